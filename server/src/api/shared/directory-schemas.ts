import { Type } from 'typebox'
import { Email, Id, Instant, Name, Nullable, Role } from '../../platform/http/schemas.ts'

/** A member of a customer. */
export const Member = Type.Object({
  id: Id,
  email: Type.String(),
  name: Type.String(),
  email_verified: Type.Boolean(),
  role: Role,
  active: Type.Boolean(),
  groups: Type.Array(Type.Object({ id: Id, name: Type.String() })),
  created_at: Instant,
})

export const MemberChange = Type.Object(
  {
    role: Type.Optional(Role),
    active: Type.Optional(Type.Boolean()),
    groups: Type.Optional(Type.Array(Id, { maxItems: 100, description: 'Replaces the groups of the person.' })),
  },
  { additionalProperties: false, minProperties: 1 },
)

export const PartnerMember = Type.Object({ id: Id, email: Type.String(), name: Type.String(), created_at: Instant })

/** To a partner; an invitation to a customer also has a role and groups. */
export const Invitation = Type.Object({
  id: Id,
  email: Type.String(),
  name: Nullable(Type.String()),
  has_link: Type.Boolean({
    description: 'False until somebody creates its link: a token or an API key invites without one.',
  }),
  made_by: Type.Object(
    {
      kind: Type.Enum(['operator', 'user', 'application', 'api_key']),
      id: Nullable(Id),
      name: Nullable(Type.String()),
    },
    { description: 'The invitation becomes invalid when they lose the right to invite. The operator has no id.' },
  ),
  created_at: Instant,
  expires_at: Instant,
})
export const InvitationLink = Type.String({
  description: 'Returned only this once: hand it to the person. Single use, valid for seven days.',
})
export const InvitationWithLink = Type.Object({ ...Invitation.properties, link: InvitationLink })
export const Invitee = Type.Object({ email: Email, name: Type.Optional(Name) }, { additionalProperties: false })

export const PasswordReset = Type.Object({
  link: Type.String({ description: 'Returned only this once: hand it to the person. Single use, valid for a day.' }),
  expires_at: Instant,
})

export const IdTokenAlg = Type.Enum(['RS256', 'ES256'])
export const RedirectUris = Type.Array(Type.String({ maxLength: 2_000 }), {
  minItems: 1,
  maxItems: 50,
  description: 'Absolute, without a fragment, https except on a loopback host. Stored and compared byte for byte.',
})

export const Application = Type.Object({
  client_id: Id,
  name: Type.String(),
  redirect_uris: Type.Array(Type.String()),
  id_token_alg: IdTokenAlg,
  enabled: Type.Boolean({ description: 'Set by the operator.' }),
  secrets: Type.Array(Type.Object({ hint: Type.String(), created_at: Instant, expires_at: Nullable(Instant) }), {
    description: 'The valid secrets, oldest first; only their first characters.',
  }),
  secret_rotation_requested_at: Nullable(Instant),
  created_at: Instant,
})
export const ClientPath = Type.Object({ client_id: Id })
