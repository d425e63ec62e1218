import { Type } from 'typebox'
import { logoTypes } from '../../directory/partners/logo.ts'
import { Email, Id, Instant, Name, Nullable, Role } from '../../platform/http/schemas.ts'
import { partLimits } from '../../platform/own-limits.ts'
import { RequestedPermissions } from './permission-schemas.ts'

export const GroupReference = Type.Object(
  { id: Id, name: Type.String() },
  { title: 'GroupReference', description: 'A group, by id and name.' },
)

/** A member of a customer. */
export const Member = Type.Object(
  {
    id: Id,
    email: Type.String(),
    name: Type.String(),
    email_verified: Type.Boolean(),
    role: Role,
    active: Type.Boolean(),
    can_view_devices: Type.Boolean({
      description:
        'Whether a member may open the customer portal to see devices and spaces, without changing anything. ' +
        'Administrators may anyway.',
    }),
    groups: Type.Array(GroupReference),
    created_at: Instant,
  },
  { title: 'User', description: 'A user of an organization.' },
)

export const MemberChange = Type.Object(
  {
    role: Type.Optional(Role),
    active: Type.Optional(Type.Boolean()),
    can_view_devices: Type.Optional(
      Type.Boolean({ description: 'Lets a member see devices and spaces in the portal.' }),
    ),
    groups: Type.Optional(Type.Array(Id, { maxItems: 100, description: 'Replaces the groups of the person.' })),
  },
  {
    title: 'UserChange',
    description: 'What to change about a user of an organization; what is absent stays.',
    additionalProperties: false,
    minProperties: 1,
  },
)

export const PartnerMember = Type.Object(
  { id: Id, email: Type.String(), name: Type.String(), created_at: Instant },
  { title: 'PartnerMember', description: 'A person who works for a partner.' },
)

/** Of an invitation. */
export const WillViewDevices = Type.Boolean({
  description:
    'Whether the person will see devices and spaces in the portal as a member. A token or an API key cannot set it.',
})

/** To a partner; an invitation to a customer also has a role and groups. */
export const Invitation = Type.Object(
  {
    id: Id,
    email: Type.String(),
    name: Nullable(Type.String()),
    has_link: Type.Boolean({
      description:
        'False until somebody creates its link: where this service sends no mail, a token or an API key invites without one.',
    }),
    made_by: Type.Object(
      {
        kind: Type.Enum(['operator', 'user', 'application', 'api_key']),
        id: Nullable(Id),
        name: Nullable(Type.String()),
      },
      {
        title: 'InvitationMaker',
        description: 'The invitation becomes invalid when they lose the right to invite. The operator has no id.',
      },
    ),
    created_at: Instant,
    expires_at: Instant,
  },
  { title: 'PartnerInvitation', description: 'A pending invitation to a partner.' },
)
export const InvitationLink = Type.String({
  description: 'Returned only this once: hand it to the person. Single use, valid for seven days.',
})
/** Whether the link was sent, too. */
export const Mailed = Type.Boolean({
  description: 'Whether the link was also mailed to the person; false where this service sends no mail.',
})
export const InvitationWithLink = Type.Object(
  { ...Invitation.properties, link: InvitationLink, mailed: Mailed },
  { title: 'PartnerInvitationWithLink', description: 'A pending invitation to a partner, with its link.' },
)
export const Invitee = Type.Object(
  { email: Email, name: Type.Optional(Name) },
  { title: 'Invitee', description: 'The person to invite.', additionalProperties: false },
)

export const EndedSessions = Type.Object(
  { sessions: Type.Integer({ description: 'How many there were.' }) },
  { title: 'EndedSessions', description: 'The sessions that have ended.' },
)

export const PasswordReset = Type.Object(
  {
    link: Type.String({ description: 'Returned only this once: hand it to the person. Single use, valid for a day.' }),
    expires_at: Instant,
    mailed: Mailed,
  },
  { title: 'PasswordReset', description: 'A one-time link to set a new password.' },
)

export const IdTokenAlg = Type.Enum(['RS256', 'ES256'])
export const RedirectUris = Type.Array(Type.String({ maxLength: 2_000 }), {
  minItems: 1,
  maxItems: partLimits.redirectUrisPerApplication,
  description: 'Absolute, without a fragment, https except on a loopback host. Stored and compared byte for byte.',
})

export const Logo = Type.Object(
  {
    type: Type.Enum([...logoTypes]),
    data: Type.String({ maxLength: 180_000, description: 'Base64, 128 KiB or less.' }),
  },
  { title: 'Logo', description: 'A picture to be shown to people.', additionalProperties: false },
)

export const HomePage = Type.String({ maxLength: 500, description: 'An https address, shown beside the name.' })

/** What people see of an application. */
export const ApplicationLook = {
  name: Type.Optional(Name),
  home_page: Type.Optional(Nullable(HomePage)),
  logo: Type.Optional(Nullable(Logo)),
  requested_permissions: Type.Optional(RequestedPermissions),
}

export const Revision = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'Grows whenever the partner changes its request.',
})
export const ChangedFields = Type.Array(Type.Enum(['name', 'home_page', 'logo', 'requested_permissions']), {
  description:
    'What is to change. A null home page or logo among them is to be removed; null permissions ask for everything.',
})

/** A new application, by the operator or asked for by its partner. */
export const NewApplication = {
  name: Name,
  home_page: Type.Optional(Nullable(HomePage)),
  redirect_uris: RedirectUris,
  id_token_alg: Type.Optional(IdTokenAlg),
  requested_permissions: Type.Optional(RequestedPermissions),
}

/** A new application that a partner asked for. */
export const WantedApplication = {
  id: Type.Unsafe<string>({ ...Id, description: 'It becomes the `client_id` once the operator approves.' }),
  revision: Revision,
  name: Type.String(),
  home_page: Nullable(Type.String()),
  has_logo: Type.Boolean({ description: 'Whether a logo is wanted.' }),
  redirect_uris: Type.Array(Type.String()),
  id_token_alg: IdTokenAlg,
  requested_permissions: RequestedPermissions,
  requested_at: Instant,
}

/** What a partner asked to change of what people see. */
export const RequestedChange = Type.Object(
  {
    id: Id,
    revision: Revision,
    fields: ChangedFields,
    name: Nullable(Type.String({ description: 'The wanted name, if it is among the fields.' })),
    home_page: Nullable(Type.String({ description: 'The wanted home page, if it is among the fields.' })),
    requested_permissions: RequestedPermissions,
    requested_at: Instant,
    refused_at: Nullable(
      Type.Unsafe<Date>({ ...Instant, description: 'When the operator refused it. Null: it waits for the operator.' }),
    ),
    reason: Nullable(Type.String({ description: 'Why the operator refused it.' })),
  },
  { title: 'RequestedChange', description: 'A change of what people see that waits for the operator, or was refused.' },
)

export const Application = Type.Object(
  {
    client_id: Id,
    name: Type.String(),
    home_page: Nullable(Type.String()),
    logo: Nullable(Type.String({ description: 'The path of the logo; it changes with the logo.' })),
    redirect_uris: Type.Array(Type.String()),
    id_token_alg: IdTokenAlg,
    enabled: Type.Boolean({ description: 'Set by the operator.' }),
    secrets: Type.Array(
      Type.Object(
        { hint: Type.String(), created_at: Instant, expires_at: Nullable(Instant) },
        { title: 'ClientSecretHint', description: 'A valid client secret, by its first characters.' },
      ),
      {
        description: 'The valid secrets, oldest first; only their first characters.',
      },
    ),
    secret_rotation_requested_at: Nullable(Instant),
    requested_permissions: RequestedPermissions,
    requested_change: Nullable(RequestedChange),
    created_at: Instant,
  },
  { title: 'Application', description: 'An application of a partner.' },
)
export const ClientPath = Type.Object({ client_id: Id })

export const PendingFactorReset = Type.Object(
  {
    asked_at: Type.Unsafe<Date>({ type: 'string', format: 'date-time', description: 'When it was asked for.' }),
    takes_effect_at: Type.Unsafe<Date>({
      type: 'string',
      format: 'date-time',
      description: 'When the second factors are removed.',
    }),
  },
  { title: 'PendingSecondFactorReset', description: 'A reset of a person’s second factors that waits for its time.' },
)
