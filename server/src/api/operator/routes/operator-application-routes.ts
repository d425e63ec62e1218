import { Type } from 'typebox'
import {
  createApplication,
  getApplication,
  listApplications,
  listApplicationsOfPartner,
} from '../../../directory/partners/applications.ts'
import { rotateClientSecret } from '../../../directory/partners/client-secrets.ts'
import { getPartner } from '../../../directory/partners/partners.ts'
import type { App } from '../../../platform/http/app.ts'
import { etagOf } from '../../../platform/http/etag.ts'
import { Id, IdPath, Instant, Nullable, refusals } from '../../../platform/http/schemas.ts'
import { lifetimes } from '../../../platform/own-limits.ts'
import type { Context } from '../../context.ts'
import {
  Application,
  ApplicationLook,
  ClientPath,
  NewApplication,
  RedirectUris,
} from '../../shared/directory-schemas.ts'
import { guardedChange, paged, tagged } from '../../shared/route-schemas.ts'
import { activeGrantsOf, changeApplicationAndGrants } from '../application-changes.ts'
import { operator } from '../authenticate-operator.ts'

const route = tagged('Operator: applications')

const PartnerApplication = Type.Object(
  { ...Application.properties, partner_id: Id },
  { title: 'RegisteredApplication', description: 'An application, with its partner.' },
)
const OneApplication = Type.Object(
  {
    ...PartnerApplication.properties,
    active_grants: Type.Integer({
      description: 'Customers that are connected now. Disabling the application revokes all of these grants.',
    }),
  },
  { title: 'ApplicationWithGrants', description: 'An application, with the number of its grants.' },
)
const ChangedApplication = Type.Object(
  {
    ...PartnerApplication.properties,
    revoked_grants: Type.Integer({ description: 'Grants that this change revoked.' }),
  },
  { title: 'ChangedApplication', description: 'An application after a change.' },
)
export const CreatedApplication = Type.Object(
  {
    ...PartnerApplication.properties,
    client_secret: Type.String({ description: 'Returned only this once.' }),
  },
  { title: 'CreatedApplication', description: 'A new application, with its secret.' },
)

const Registration = Type.Object(NewApplication, {
  title: 'NewApplication',
  description: 'An application to register.',
  additionalProperties: false,
})
const ApplicationChange = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean()),
    ...ApplicationLook,
    redirect_uris: Type.Optional(RedirectUris),
  },
  {
    title: 'RegisteredApplicationChange',
    description: 'What to change about an application; what is absent stays.',
    additionalProperties: false,
    minProperties: 1,
  },
)

const Rotation = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: lifetimes.maxPreviousSecretSeconds,
        default: lifetimes.previousSecretSeconds,
        description: 'How long the previous secret stays valid. Use 0 after a leak.',
      }),
    ),
  },
  { title: 'ClientSecretRotation', description: 'How to rotate the secret.', additionalProperties: false },
)

export function applicationRoutes(app: App, context: Context): void {
  app.post(
    '/partners/:id/applications',
    route({
      creates: 'applications',
      summary: "Register a partner's application",
      description: 'Hand the secret over to the partner: it is not shown again.',
      params: IdPath,
      body: Registration,
      response: { 201: CreatedApplication, ...refusals({ 409: ['name_confusable'] }) },
    }),
    async (request, reply) =>
      reply.code(201).send(await createApplication(context, operator, request.params.id, request.body)),
  )

  app.get(
    '/partners/:id/applications',
    route({
      reads: 'bounded',
      summary: "List a partner's applications",
      description: 'With their secrets by first characters only.',
      params: IdPath,
      ...paged(PartnerApplication),
    }),
    async (request) => {
      const { id } = await getPartner(context, request.params.id)
      return listApplicationsOfPartner(context, id, request.query)
    },
  )

  app.get(
    '/applications',
    route({
      reads: 'bounded',
      summary: 'List applications',
      description: 'The applications of all partners.',
      ...paged(PartnerApplication),
    }),
    async (request) => listApplications(context, request.query),
  )

  app.get(
    '/applications/:client_id',
    route({
      reads: 'bounded',
      summary: 'Get an application',
      description: 'With the number of customers that are connected now.',
      params: ClientPath,
      response: { 200: OneApplication },
    }),
    async (request, reply) => {
      const application = await getApplication(context, request.params.client_id)
      const active_grants = await activeGrantsOf(context, application.client_id)
      return reply.header('etag', etagOf(application)).send({ ...application, active_grants })
    },
  )

  app.patch(
    '/applications/:client_id',
    route({
      summary: 'Change, disable or enable an application',
      description: 'Disabling revokes every grant. Enabling restores none: every customer must connect again.',
      params: ClientPath,
      body: ApplicationChange,
      ...guardedChange(ChangedApplication, { 409: ['name_confusable'] }),
    }),
    async (request, reply) => {
      const { client_id } = request.params
      const ifMatch = request.headers['if-match']
      const changed = await changeApplicationAndGrants(context, operator, client_id, request.body, ifMatch)
      const { application, revoked_grants } = changed
      return reply.header('etag', etagOf(application)).send({ ...application, revoked_grants })
    },
  )

  app.post(
    '/applications/:client_id/secret',
    route({
      creates: { unlimited: 'only the operator rotates secrets, and two are valid at most' },
      summary: "Rotate an application's secret",
      description: 'At most two secrets are valid at once: one that is still in an earlier overlap expires now.',
      params: ClientPath,
      body: Nullable(Rotation),
      response: {
        201: Type.Object(
          { client_secret: Type.String(), previous_expires_at: Instant },
          { title: 'NewClientSecret', description: 'A new client secret.' },
        ),
      },
    }),
    async (request, reply) => {
      const { client_id } = request.params
      return reply.code(201).send(await rotateClientSecret(context, operator, client_id, request.body?.overlap_seconds))
    },
  )
}
