import { Type } from 'typebox'
import { endSessionsOfUser } from '../../../directory/accounts/ended-sessions.ts'
import { askFactorReset, cancelFactorReset } from '../../../directory/accounts/factor-resets.ts'
import { invitePartnerMember } from '../../../directory/accounts/invitations.ts'
import { PartnerMembership } from '../../../directory/accounts/membership-schemas.ts'
import { createPasswordReset } from '../../../directory/accounts/password-resets.ts'
import { getPerson, listUsers, releaseEmail, userSorts } from '../../../directory/accounts/users.ts'
import { listPartnerMembers, removePartnerMember } from '../../../directory/partners/partner-members.ts'
import { getPartner } from '../../../directory/partners/partners.ts'
import { gated } from '../../../platform/gated-reads.ts'
import type { App } from '../../../platform/http/app.ts'
import { Empty, Id, IdPath, Instant, Name, Nullable, Role, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import {
  EndedSessions,
  InvitationWithLink,
  Invitee,
  PartnerMember,
  PasswordReset,
  PendingFactorReset,
} from '../../shared/directory-schemas.ts'
import { paged, tagged } from '../../shared/route-schemas.ts'
import { operator, readerOf } from '../authenticate-operator.ts'

const route = tagged('Operator: people')

const User = Type.Object(
  {
    id: Id,
    email: Type.String(),
    name: Type.String(),
    email_verified: Type.Boolean(),
    created_at: Instant,
  },
  { title: 'Person', description: 'A person with an account on this service.' },
)
const UserFilters = {
  email: Type.Optional(Type.String({ maxLength: 254, description: 'The whole email address.' })),
  search: Type.Optional(
    Type.String({
      maxLength: 254,
      description: 'A part of the email address or the name; one or two characters are the beginning of it.',
    }),
  ),
  sort: Type.Optional(
    Type.Enum(
      userSorts.flatMap((field) => [field, `-${field}`] as const),
      {
        description:
          'The order; with `-`, the other way round. By default the order in which the accounts were created.',
      },
    ),
  ),
}
const PersonDetails = Type.Object(
  {
    ...User.properties,
    sign_in: Type.Object(
      {
        has_password: Type.Boolean(),
        sessions: Type.Integer(),
        last_seen_at: Nullable(Instant),
        reset_link_expires_at: Nullable(Instant),
      },
      { title: 'SignInState', description: 'Whether the person can sign in, and is signed in.' },
    ),
    customers: Type.Array(
      Type.Object(
        { id: Id, name: Name, lab: Type.Boolean(), role: Role, active: Type.Boolean() },
        { title: 'PersonMembership', description: 'A customer that the person belongs to.' },
      ),
    ),
    partners: Type.Array(PartnerMembership),
  },
  { title: 'PersonDetails', description: 'A person, with their memberships and whether they are signed in.' },
)

export function peopleRoutes(app: App, context: Context): void {
  app.get(
    '/users',
    route({
      reads: 'growing',
      summary: 'List all users',
      description: 'Everybody with an account, the one with this email, or those whom a search finds.',
      ...paged(User, UserFilters),
    }),
    async (request) => listUsers(gated(context, readerOf(request)), request.query),
  )

  app.get(
    '/users/:id',
    route({
      reads: 'bounded',
      summary: 'Get a user',
      description: 'An account, with its memberships and whether the person is signed in.',
      params: IdPath,
      response: { 200: PersonDetails },
    }),
    async (request) => getPerson(context, request.params.id),
  )

  app.post(
    '/users/:id/password-reset',
    route({
      creates: { unlimited: 'of the links of a person, only the newest 20 stay' },
      summary: 'Create a one-time link to set a new password',
      description: 'Hand it to the person: there is no mailer. An earlier link no longer works.',
      params: IdPath,
      response: { 201: PasswordReset },
    }),
    async (request, reply) => reply.code(201).send(await createPasswordReset(context, operator, request.params.id)),
  )

  app.post(
    '/users/:id/end-sessions',
    route({
      creates: { unlimited: 'ends what exists' },
      summary: 'Sign a user out everywhere',
      description:
        'Ends the sessions of a person in every browser, whatever they belong to; open streams end within a second. The ' +
        'person can sign in again.',
      params: IdPath,
      response: { 200: EndedSessions },
    }),
    async (request) => endSessionsOfUser(context, operator, request.params.id),
  )

  app.post(
    '/users/:id/release-email',
    route({
      creates: { unlimited: 'changes an account that exists' },
      summary: 'Release the email of an account that somebody else created',
      description:
        'Without a mailer nothing proves an email: the person who opens the first link for it owns the account. The account ' +
        'keeps its memberships under an address that cannot receive mail, its sessions and reset links end, and ' +
        'nobody can sign in to it. The email can then be invited or added as a new person. Ask the owner first.',
      params: IdPath,
      response: { 200: User },
    }),
    async (request) => releaseEmail(context, operator, request.params.id),
  )

  app.post(
    '/users/:id/second-factor-reset',
    route({
      creates: { unlimited: 'a person has one that is pending' },
      summary: 'Reset the second factors of a user',
      description:
        'For a person who lost them all and belongs to several organizations. Ends their sessions at once, and removes the ' +
        'factors after 24 hours. The person cancels it by signing in with a second factor. Ask who it is first.',
      params: IdPath,
      response: { 201: PendingFactorReset, ...refusals({ 409: ['no_second_factor', 'reset_pending'] }) },
    }),
    async (request, reply) => {
      const target = { customerId: null, userId: request.params.id }
      return reply.code(201).send(await askFactorReset(context, operator, target))
    },
  )

  app.delete(
    '/users/:id/second-factor-reset',
    route({
      summary: 'Cancel the reset of second factors',
      description: 'Whoever asked for it. The person keeps their factors.',
      params: IdPath,
      response: { 204: Empty },
    }),
    async (request, reply) => {
      await cancelFactorReset(context, operator, { customerId: null, userId: request.params.id })
      return reply.code(204).send()
    },
  )

  app.get(
    '/partners/:id/members',
    route({
      reads: 'bounded',
      summary: "List a partner's members",
      description: 'The people who work for the partner.',
      params: IdPath,
      ...paged(PartnerMember),
    }),
    async (request) => {
      const { id } = await getPartner(context, request.params.id)
      return listPartnerMembers(context, id, request.query)
    },
  )

  app.post(
    '/partners/:id/invitations',
    route({
      creates: 'members',
      summary: 'Invite a person to a partner',
      description: 'Hand the link to the person, who joins by opening it.',
      params: IdPath,
      body: Invitee,
      response: { 201: InvitationWithLink, ...refusals({ 409: ['already_member'] }) },
    }),
    async (request, reply) =>
      reply.code(201).send(await invitePartnerMember(context, operator, request.params.id, request.body)),
  )

  app.delete(
    '/partners/:id/members/:user_id',
    route({
      summary: 'Remove a person from a partner',
      description: 'The person keeps their account. The last member cannot be removed.',
      params: Type.Object({ id: Id, user_id: Id }),
      response: { 204: Empty, ...refusals({ 409: ['last_member'] }) },
    }),
    async (request, reply) => {
      await removePartnerMember(context, operator, request.params.id, request.params.user_id)
      return reply.code(204).send()
    },
  )
}
