import type { AuditEvent } from '../../api/organization.ts'

export type EventType = AuditEvent['type']

interface Wording {
  title: string
  /**
   * What the actor did. `{device}` and the like become names; what is in square brackets is left out where its name is
   * not known.
   */
  did: string
  /** The same of several at once; without it, every event has its own line. Devices that acted are the subject. */
  many?: string
}

/** Of every type that the service writes: the compiler finds a type without words. */
export const wordings: Record<EventType, Wording> = {
  'api_key.changed': { title: 'API key changed', did: 'changed {fields} of the API key[ {name}]' },
  'api_key.created': { title: 'API key created', did: 'created the API key[ {name}]' },
  'api_key.expiring': { title: 'API key expires soon', did: 'announced that the API key[ {name}] expires' },
  'api_key.revoked': { title: 'API key revoked', did: 'revoked the API key[ {name}]' },
  'api_key.rotated': { title: 'API key rotated', did: 'rotated the API key[ {name}]' },
  'application.changed': { title: 'Application changed', did: 'changed {application}' },
  'application.created': { title: 'Application registered', did: 'registered {application}' },
  'application.disabled': { title: 'Application disabled', did: 'disabled {application}' },
  'application.enabled': { title: 'Application enabled', did: 'enabled {application}' },
  'approval.changed': { title: 'Sign-in policy changed', did: 'changed who may sign in to {application}' },
  'approval.declined': { title: 'Approval declined', did: 'declined a request to approve {application}' },
  'approval.given': { title: 'App approved', did: 'approved {application}' },
  'approval.permissions_changed': {
    title: 'App permissions changed',
    did: 'changed what {application} may do',
  },
  'approval.requested': { title: 'Approval requested', did: 'asked for the approval of {application}' },
  'approval.withdrawn': { title: 'Approval withdrawn', did: 'withdrew the approval of {application}' },
  'authorization_code.reused': {
    title: 'Authorization code reused',
    did: 'sent an authorization code a second time',
  },
  'client_secret.rotated': { title: 'Client secret rotated', did: 'rotated the secret of {application}' },
  'client_secret.rotation_requested': {
    title: 'Client secret requested',
    did: 'requested a new secret for {application}',
  },
  'command.canceled': {
    title: 'Command canceled',
    did: 'canceled the command[ {name}] to {device}',
    many: 'canceled {count} commands',
  },
  'command.created': {
    title: 'Command sent',
    did: 'sent the command[ {name}] to {device}',
    many: 'sent commands to {count} devices',
  },
  'command.finished': {
    title: 'Command finished',
    did: 'finished the command[ {name}][: {state}]',
    many: 'finished commands',
  },
  'customer.created': { title: 'Customer created', did: 'created {customer}' },
  'customer.renamed': { title: 'Customer renamed', did: 'renamed {customer}[ to {name}]' },
  'customer.second_factor_policy_changed': {
    title: 'Second factor policy changed',
    did: 'changed who needs a second factor[ to {policy}]',
  },
  'data.exported': { title: 'Data exported', did: 'exported the {what}[ of {device}]' },
  'device.changed': { title: 'Device changed', did: 'changed {fields} of {device}', many: 'changed {count} devices' },
  'device.claim_failed': {
    title: 'Device claim failed',
    did: 'could not claim a device[ with serial number {sn}]',
    many: 'could not claim {count} devices',
  },
  'database.loss_accepted': {
    title: 'Loss of data accepted',
    did: 'let the service use a database that lacks what was acknowledged[: {primary}]',
  },
  'device.claimed': {
    title: 'Device claimed',
    did: 'claimed {device}[ into {space}]',
    many: 'claimed {count} devices',
  },
  'device.registered': { title: 'Device registered', did: 'registered', many: 'registered' },
  'device.registered_again': {
    title: 'Device registered again',
    did: 'registered again and got a new key',
    many: 'registered again and got new keys',
  },
  'device.removed': { title: 'Device removed', did: 'removed {device}', many: 'removed {count} devices' },
  'device.replace_opened': {
    title: 'Hardware replacement started',
    did: 'allowed new hardware for {device}',
    many: 'allowed new hardware for {count} devices',
  },
  'device.updated': {
    title: 'Firmware updated',
    did: 'updated its firmware[ to {firmware_version}]',
    many: 'updated their firmware',
  },
  'grant.connected': { title: 'App connected by a user', did: 'signed in to {application}' },
  'grant.opened': { title: 'App connected', did: 'connected {application}' },
  'grant.revoked': { title: 'App disconnected', did: 'disconnected {application}' },
  'group.created': { title: 'Group created', did: 'created the group {group}' },
  'group.deleted': { title: 'Group deleted', did: 'deleted {group}' },
  'group.member_added': {
    title: 'Group member added',
    did: 'added {user} to {group}',
    many: 'added {count} users to groups',
  },
  'group.member_removed': {
    title: 'Group member removed',
    did: 'removed {user} from {group}',
    many: 'removed {count} users from groups',
  },
  'group.roles_changed': { title: 'Roles of a group changed', did: 'changed what {group} may do' },
  'group.renamed': { title: 'Group renamed', did: 'renamed the group[ {previous_name}][ to {name}]' },
  'hardware_key.added': { title: 'Hardware key added', did: 'added a hardware key' },
  'hardware_key.revoked': { title: 'Hardware key revoked', did: 'revoked a hardware key' },
  'hub_cell.added': { title: 'Hub cell added', did: 'added the hub cell[ {cell}]' },
  'hub_cell.addresses_changed': {
    title: 'Hub cell addresses changed',
    did: 'changed the addresses of the hub cell[ {cell}]',
  },
  'hub_cell.buckets_moved': { title: 'Devices moved', did: 'moved devices[ from hub cell {from}][ to {to}]' },
  'hub_cell.drained': { title: 'Hub cell drained', did: 'drained the hub cell[ {cell}]' },
  'hub_cell.opened': { title: 'Hub cell opened', did: 'opened the hub cell[ {cell}]' },
  'hub_cell.removed': { title: 'Hub cell removed', did: 'removed the hub cell[ {cell}]' },
  'member.added': { title: 'User added', did: 'added {user}', many: 'added {count} users' },
  'member.changed': { title: 'User changed', did: 'changed the role or groups of {user}' },
  'member.invitation_ended': { title: 'Invitation expired', did: 'ended the invitation[ for {email}]' },
  'member.invitation_link_ended': { title: 'Invitation link expired', did: 'ended the invitation link[ for {email}]' },
  'member.invitation_link_made': { title: 'Invitation link created', did: 'created an invitation link[ for {email}]' },
  'member.invitation_withdrawn': { title: 'Invitation withdrawn', did: 'withdrew the invitation[ for {email}]' },
  'member.invited': { title: 'User invited', did: 'invited {email}', many: 'invited {count} people' },
  'member.joined': { title: 'User joined', did: 'joined' },
  'member.roles_changed': { title: 'Roles of a user changed', did: 'changed what {user} may do' },
  'member.sessions_ended': { title: 'User signed out everywhere', did: 'signed {user} out of every browser' },
  'member.removed': { title: 'User removed', did: 'removed {user}', many: 'removed {count} users' },
  'member.second_factor_reset': { title: 'Second factors reset', did: 'removed the second factors of {user}' },
  'member.second_factor_reset_cancelled': {
    title: 'Reset of second factors cancelled',
    did: 'cancelled the reset of the second factors of {user}',
  },
  'member.second_factor_reset_confirmed': {
    title: 'Reset of second factors confirmed',
    did: 'confirmed the reset of the second factors of {user}',
  },
  'member.second_factor_reset_requested': {
    title: 'Reset of second factors requested',
    did: 'asked to reset the second factors of {user}',
  },
  'model.changed': { title: 'Model changed', did: 'changed the model[ {model}]' },
  'model.commands_changed': { title: 'Commands changed', did: 'changed the commands of the model[ {model}]' },
  'model.created': { title: 'Model created', did: 'created the model[ {model}]' },
  'model.dictionary_changed': {
    title: 'Data dictionary changed',
    did: 'changed the data dictionary of the model[ {model}]',
  },
  'partner.changed': { title: 'Partner changed', did: 'changed {partner}' },
  'partner.created': { title: 'Partner created', did: 'created {partner}' },
  'partner_domain.entered': { title: 'Domain entered', did: 'entered the domain {domain}' },
  'partner_domain.lost': { title: 'Domain no longer verified', did: 'ended the verification of {domain}' },
  'partner_domain.removed': { title: 'Domain removed', did: 'removed the domain {domain}' },
  'partner_domain.verified': { title: 'Domain verified', did: 'verified the domain {domain}' },
  'partner_member.removed': { title: 'Partner member removed', did: 'removed {user} from {partner}' },
  'password.reset': { title: 'Password reset', did: 'set a new password' },
  'password.reset_link_ended': { title: 'Password link expired', did: 'ended a password reset link of {user}' },
  'password.reset_link_made': { title: 'Password link created', did: 'created a password reset link for {user}' },
  'application_request.approved': { title: 'Application approved', did: 'approved the request for {application}' },
  'application_request.refused': {
    title: 'Application refused',
    did: 'refused the request for the application[ {name}]',
  },
  'application_request.requested': { title: 'Application requested', did: 'asked for the application[ {name}]' },
  'application_request.withdrawn': {
    title: 'Application request withdrawn',
    did: 'withdrew the request for the application[ {name}]',
  },
  'presentation_change.approved': {
    title: 'Change of an application approved',
    did: 'approved a change of {fields}[ of {application}]',
  },
  'presentation_change.refused': {
    title: 'Change of an application refused',
    did: 'refused a change of {fields}[ of {application}]',
  },
  'presentation_change.requested': {
    title: 'Change of an application requested',
    did: 'asked to change {fields}[ of {application}]',
  },
  'presentation_change.withdrawn': {
    title: 'Change of an application withdrawn',
    did: 'withdrew the change of {fields}[ of {application}]',
  },
  'refresh_token.replayed': { title: 'Refresh token replayed', did: 'used an old refresh token again' },
  'key.guessing_limited': { title: 'Many wrong keys', did: 'sent many wrong operator or API keys[ from {address}]' },
  'session.ended': { title: 'Session ended', did: 'ended another session' },
  'session.others_ended': { title: 'Other sessions ended', did: 'ended every other session' },
  'session.proof_failed': { title: 'Confirmation of identity failed', did: 'failed to confirm their identity' },
  'session.proved': { title: 'Identity confirmed', did: 'confirmed their identity' },
  'session.second_factor_failed': { title: 'Second factor failed', did: 'gave a wrong second factor' },
  'session.sign_in_failed': { title: 'Sign-in failed', did: 'failed to sign in' },
  'session.signed_in': { title: 'Signed in', did: 'signed in' },
  'session.signed_out': { title: 'Signed out', did: 'signed out' },
  'session.signed_out_everywhere': { title: 'Signed out everywhere', did: 'signed out of every session' },
  'signing_key.added': { title: 'Signing key added', did: 'added the signing key[ {kid}]' },
  'signing_key.removed': { title: 'Signing key removed', did: 'removed the signing key[ {kid}]' },
  'settings.changed': {
    title: 'Settings changed',
    did: 'changed the settings of {device}[ ({keys})]',
    many: 'changed the settings of {count} devices',
  },
  'settings.template_changed': {
    title: 'Settings template changed',
    did: '{change} a template of settings[ ({keys})]',
  },
  'space.changed': { title: 'Space changed', did: 'changed {space}', many: 'changed {count} spaces' },
  'space.created': { title: 'Space created', did: 'created {space}', many: 'created {count} spaces' },
  'space.deleted': { title: 'Space deleted', did: 'deleted {space}', many: 'deleted {count} spaces' },
  'user.email_changed': { title: 'Email changed', did: 'changed their email[ from {before}][ to {email}]' },
  'user.email_verified': { title: 'Email verified', did: 'proved to own the email[ {email}]' },
  'user.email_released': { title: 'Email released', did: 'released the email[ {email}]' },
  'user.passkey_added': { title: 'Passkey added', did: 'added the passkey[ {name}]' },
  'user.passkey_removed': { title: 'Passkey removed', did: 'removed the passkey[ {name}]' },
  'user.password_change_failed': { title: 'Password change failed', did: 'failed to change a password' },
  'user.sessions_ended': { title: 'User signed out everywhere', did: 'signed {user} out of every browser' },
  'user.password_changed': { title: 'Password changed', did: 'changed their password' },
  'user.recovery_code_used': { title: 'Recovery code used', did: 'used a recovery code' },
  'user.recovery_codes_created': { title: 'Recovery codes created', did: 'created new recovery codes' },
  'user.totp_enabled': { title: 'Authenticator app added', did: 'added an authenticator app' },
  'user.totp_removed': { title: 'Authenticator app removed', did: 'removed the authenticator app' },
  'webhook.changed': { title: 'Webhook changed', did: 'changed a webhook' },
  'webhook.created': { title: 'Webhook created', did: 'created a webhook' },
  'webhook.deleted': { title: 'Webhook deleted', did: 'deleted a webhook' },
  'webhook.disabled': { title: 'Webhook disabled', did: 'disabled a webhook' },
  'webhook.secret_rotated': { title: 'Webhook secret rotated', did: 'rotated the secret of a webhook' },
}

/** An event of an older release may have a type without words. */
export function eventTitle(type: string): string {
  const text = type.replaceAll(/[._]/g, ' ')
  return wordings[type as EventType]?.title ?? text.charAt(0).toUpperCase() + text.slice(1)
}

/** By id, as far as the reader may know them: they come with the events. */
export type Names = Readonly<Record<string, string>>

export interface Reader {
  names: Names
  /** True where the people who can act are listed; else the filter by actor has those of the loaded events. */
  people?: boolean
  /** Where the reader sees a thing; undefined where there is no page of it. */
  pageOf(thing: Thing, id: string): string | undefined
  auditLog: string
  /** False for partners: a filter by actor would tell them who acts at a customer. */
  byActor?: boolean
  /** Who acted, where the reader may not know it. */
  unknown?: string
}

const things = {
  application: 'an application',
  customer: 'a customer',
  device: 'a device',
  group: 'a group',
  model: 'a model',
  partner: 'a partner',
  space: 'a space',
  user: 'a user',
}
export type Thing = keyof typeof things

/** A piece of a sentence; with `to` it is a link. */
export interface Piece {
  text: string
  to?: string | undefined
}

/** What the actor did, as in `claimed Meter 7 into Floor 2`. */
export function sentenceOf(event: AuditEvent, reader: Reader): Piece[] {
  const did = wordings[event.type]?.did
  if (did === undefined) return [{ text: eventTitle(event.type) }]
  return did.split(/\[(.*?)\]/).flatMap((part, index) => {
    // Every second part was in brackets, and every second word of a part in braces.
    const isOptional = index % 2 === 1
    const words = part.split(/\{(\w+)\}/)
    const pieces = words.map((word, at) => (at % 2 === 0 ? { text: word } : pieceFor(word, event, reader)))
    if (isOptional && pieces.includes(undefined)) return []
    return pieces.map((piece, at) => piece ?? { text: things[words[at] as Thing] ?? 'something' })
  })
}

/** What several events of one type have in common, as in `claimed 100 devices`. */
export function sentenceOfMany({ type }: AuditEvent, count: string): string {
  return wordings[type]!.many!.replace('{count}', count)
}

function pieceFor(word: string, event: AuditEvent, { names, pageOf }: Reader): Piece | undefined {
  const { fields, ...details } = event.details ?? {}
  const detail = (key: string) => (typeof details[key] === 'string' ? (details[key] as string) : undefined)
  if (word === 'fields') {
    const changed = Array.isArray(fields) ? fields.map((field) => fieldNames[field] ?? field) : []
    return { text: changed.length > 0 ? `the ${changed.join(' and ')}` : 'settings' }
  }
  if (!(word in things)) {
    const text = detail(word)
    return text === undefined ? undefined : { text }
  }
  const thing = word as Thing
  const id = ids[thing](event) ?? detail(`${thing}_id`)
  if (!id) return undefined
  if (id === event.actor.id) return { text: 'itself' }
  // The name it has now, else the one it had then.
  const sn = detail('sn')
  // The name in the event of a command is that of the command.
  const isOther = event.type.startsWith('command.')
  const then = isOther
    ? undefined
    : thing === 'device'
      ? (detail('name') ?? (sn && `device ${sn}`))
      : event.type.startsWith(thing) && detail('name')
  const text = names[id] ?? (then || undefined)
  const isGone = new RegExp(`^${thing}\\.(removed|deleted)$`).test(event.type)
  const to = isGone ? undefined : pageOf(thing, id)
  return text === undefined && to === undefined ? undefined : { text: text ?? things[thing], to }
}

const ids: Record<Thing, (event: AuditEvent) => string | undefined> = {
  application: ({ application_id }) => application_id,
  customer: ({ customer_id }) => customer_id,
  device: ({ device_id }) => device_id,
  group: () => undefined,
  model: () => undefined,
  partner: ({ partner_id }) => partner_id,
  space: () => undefined,
  user: () => undefined,
}

const fieldNames: Record<string, string> = {
  space_id: 'space',
  home_page: 'home page',
  used_by: 'user',
  within: 'spaces',
  expires_at: 'expiry',
  requested_permissions: 'requested permissions',
}
