// Generated from the OpenAPI document by `npm run generate:api-types`. Do not edit.

/** What a user, an application or an API key may do, and why. */
export interface Access {
  /** What kind it is. */
  kind: 'user' | 'application' | 'api_key'
  /** Identifies the access. */
  id: string
  /** The name of the access. */
  name: string
  /** Of a user. */
  email: string | null
  /** False: deactivated, disabled or expired, and may do nothing. */
  active: boolean
  permissions: CallerPermissions
  /** What it was given, up to 100; with `space_id`, what counts there. */
  held: HeldPermissions[]
  /** Whether it was given more than these. */
  more: boolean
}

/** A page of a list: see `Access`. */
export interface AccessList {
  /** The items of this page. */
  items: Access[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** Where a permission comes from. */
export interface AccessReason {
  /** The organization’s administrator, a role, the approval of an application, or the key’s own. */
  kind: 'administrator' | 'role' | 'approval' | 'api_key'
  /** The role of the person. */
  role: SpaceRole | null
  /** The group whose role it is; null where the user has it directly. */
  group: GroupReference | null
}

/** A space in which it counts, with everything below it. */
export interface AccessSpace {
  /** Identifies the access space. */
  id: string
  /** The names from the top. Null: the space was deleted, and covers nothing. */
  path: string[] | null
}

/** Who did it. */
export interface Actor {
  /** `user`, `operator`, `application`, `api_key`, `device`, `system` or `visitor`. */
  kind: string
  /** Identifies the actor. */
  id?: string | undefined
}

/** One data point over many devices, reduced to fit a chart. */
export interface Aggregate {
  /** The start of the range. */
  from: string
  /** The end of the range. */
  to: string
  /** The length of each interval. */
  bucket_seconds: number
  /** Devices that have sent the data point; 5,000 of them are read at most. */
  devices: number
  /** False: more than 5,000 devices have sent it. */
  complete: boolean
  /** Oldest first. An interval without a value is left out. */
  series: AggregateBucket[]
}

/** The last values of the devices in one interval, put together. */
export interface AggregateBucket {
  /** When it happened. */
  at: string
  /** The smallest value. */
  min: number
  /** The largest value. */
  max: number
  /** The average value. */
  avg: number
  /** The values of all devices together. */
  sum: number
  /** Devices that sent a value in this interval. */
  count: number
}

/** A value that the data dictionary of the model calls an alarm. */
export interface AlarmValue {
  /** The name of the data point. */
  key: string
  /** The value. */
  value: number | string | boolean
  /** The message with which the alarm began; null where none was recorded since the dictionary changed. */
  since: string | null
}

/** A pending invitation to a customer or to a partner. */
export interface AnyInvitation {
  /** Identifies the invitation. */
  id: string
  /** The email address of the person. */
  email: string
  /** The name of the person, if it was given. */
  name: string | null
  /** False until somebody creates its link: where this service sends no mail, a token or an API key invites without one. */
  has_link: boolean
  made_by: InvitationMaker
  /** When it was created. */
  created_at: string
  /** When it stops working. */
  expires_at: string
  /** The customer. */
  customer_id: string | null
  /** The partner. */
  partner_id: string | null
  /** The role of the person. */
  role: Role | null
  /** The groups that the person will join. */
  group_ids: string[]
  /** Whether the person will see devices and spaces in the portal as a member. A token or an API key cannot set it. */
  can_view_devices: boolean
}

/** A page of a list: see `AnyInvitation`. */
export interface AnyInvitationList {
  /** The items of this page. */
  items: AnyInvitation[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A pending invitation, with its link. */
export interface AnyInvitationWithLink {
  /** Identifies the invitation. */
  id: string
  /** The email address of the person. */
  email: string
  /** The name of the person, if it was given. */
  name: string | null
  /** False until somebody creates its link: where this service sends no mail, a token or an API key invites without one. */
  has_link: boolean
  made_by: InvitationMaker
  /** When it was created. */
  created_at: string
  /** When it stops working. */
  expires_at: string
  /** The customer. */
  customer_id: string | null
  /** The partner. */
  partner_id: string | null
  /** The role of the person. */
  role: Role | null
  /** The groups that the person will join. */
  group_ids: string[]
  /** Whether the person will see devices and spaces in the portal as a member. A token or an API key cannot set it. */
  can_view_devices: boolean
  /** Returned only this once: hand it to the person. Single use, valid for seven days. */
  link: string
  /** Whether the link was also mailed to the person; false where this service sends no mail. */
  mailed: boolean
}

/** An API key, without the key itself. */
export interface ApiKey {
  /** Identifies the api key. */
  id: string
  /** What the key is for. */
  name: string
  /** Who or what uses it. */
  used_by: string | null
  /** The first characters of the key. */
  hint: string
  /** An instant after which it no longer works. Null: it works until it is revoked. */
  expires_at: string | null
  /** It no longer works. It is listed for 30 days after its expiry. */
  expired: boolean
  /** The key of its rotation. */
  replaced_by: string | null
  /** The user who created it; null when the account is gone. */
  created_by: string | null
  /** When it was created. */
  created_at: string
  /** When it was last used; null before the first time. */
  last_used_at: string | null
  /** What it may do. Null: everything but commands to devices. */
  permissions: Permissions | null
  /** Null: everywhere. */
  within: PermittedSpace[] | null
}

/** What to change about an API key; what is absent stays. */
export interface ApiKeyChange {
  /** What the key is for. */
  name?: string | undefined
  /** Who or what uses it. */
  used_by?: string | null | undefined
  /** An instant after which it no longer works. Null: it works until it is revoked. At most 1,830 days ahead. */
  expires_at?: string | null | undefined
  /** What it may do. Null: everything but commands to devices. */
  permissions?: Permissions | null | undefined
  /** The spaces to which devices, spaces and audit are limited, each with everything below it. A space that was deleted covers nothing. Null: everywhere. */
  within?: string[] | null | undefined
}

/** A page of a list: see `ApiKey`. */
export interface ApiKeyList {
  /** The items of this page. */
  items: ApiKey[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** How to rotate the key. */
export interface ApiKeyRotation {
  /** How long the key before works on, unless it expires earlier. Use 0 after a leak. */
  overlap_seconds?: number | undefined
}

/** An application of a partner. */
export interface ApplicationInfo {
  /** The id of the application. */
  client_id: string
  /** The name of the application. */
  name: string
  /** An https address, shown beside the name; null for none. */
  home_page: string | null
  /** The path of the logo; it changes with the logo. */
  logo: string | null
  /** Where a person may be sent back to, byte for byte. */
  redirect_uris: string[]
  /** The algorithm that signs its id_tokens. */
  id_token_alg: 'RS256' | 'ES256'
  /** Set by the operator. */
  enabled: boolean
  /** The valid secrets, oldest first; only their first characters. */
  secrets: ClientSecretHint[]
  /** When the partner asked for a new secret; null if it did not. */
  secret_rotation_requested_at: string | null
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions: RequestedPermissions | null
  /** What the partner asked to change of what people see, while it waits or once it was refused. Null: nothing. */
  requested_change: RequestedChange | null
  /** When it was created. */
  created_at: string
}

/** What to change about an application; what is absent stays. */
export interface ApplicationChange {
  /** The name of the application. */
  name?: string | undefined
  /** An https address, shown beside the name. */
  home_page?: string | null | undefined
  /** The logo; null for none. */
  logo?: Logo | null | undefined
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions?: RequestedPermissions | null | undefined
  /** Absolute, without a fragment, https except on a loopback host. Stored and compared byte for byte. */
  redirect_uris?: string[] | undefined
}

/** A page of a list: see `Application`. */
export interface ApplicationList {
  /** The items of this page. */
  items: ApplicationInfo[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A new application that waits for the operator, or was refused. */
export interface ApplicationRequest {
  /** It becomes the `client_id` once the operator approves. */
  id: string
  /** Grows whenever the partner changes its request. */
  revision: number
  /** The name of the application request. */
  name: string
  /** An https address, shown beside the name; null for none. */
  home_page: string | null
  /** Whether a logo is wanted. */
  has_logo: boolean
  /** Where a person may be sent back to, byte for byte. */
  redirect_uris: string[]
  /** The algorithm that signs its id_tokens. */
  id_token_alg: 'RS256' | 'ES256'
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions: RequestedPermissions | null
  /** When the person asked. */
  requested_at: string
  /** When the operator refused it. Null: it waits for the operator. */
  refused_at: string | null
  /** Why the operator refused it. */
  reason: string | null
}

/** A page of a list: see `ApplicationRequest`. */
export interface ApplicationRequestList {
  /** The items of this page. */
  items: ApplicationRequest[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A requested application, with the wanted logo. */
export interface ApplicationRequestWithLogo {
  /** It becomes the `client_id` once the operator approves. */
  id: string
  /** Grows whenever the partner changes its request. */
  revision: number
  /** The name of the application request. */
  name: string
  /** An https address, shown beside the name; null for none. */
  home_page: string | null
  /** Whether a logo is wanted. */
  has_logo: boolean
  /** Where a person may be sent back to, byte for byte. */
  redirect_uris: string[]
  /** The algorithm that signs its id_tokens. */
  id_token_alg: 'RS256' | 'ES256'
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions: RequestedPermissions | null
  /** When the person asked. */
  requested_at: string
  /** When the operator refused it. Null: it waits for the operator. */
  refused_at: string | null
  /** Why the operator refused it. */
  reason: string | null
  /** The logo; null for none. */
  logo: Logo | null
}

/** An application to ask for. */
export interface ApplicationWish {
  /** The name of the application wish. */
  name: string
  /** An https address, shown beside the name. */
  home_page?: string | null | undefined
  /** Absolute, without a fragment, https except on a loopback host. Stored and compared byte for byte. */
  redirect_uris: string[]
  /** The algorithm that signs its id_tokens. */
  id_token_alg?: 'RS256' | 'ES256' | undefined
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions?: RequestedPermissions | null | undefined
  /** The logo; null for none. */
  logo?: Logo | null | undefined
}

/** What to change about a request; what is absent stays. */
export interface ApplicationWishChange {
  /** The name of the application wish. */
  name?: string | undefined
  /** An https address, shown beside the name. */
  home_page?: string | null | undefined
  /** The logo; null for none. */
  logo?: Logo | null | undefined
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions?: RequestedPermissions | null | undefined
  /** Absolute, without a fragment, https except on a loopback host. Stored and compared byte for byte. */
  redirect_uris?: string[] | undefined
  /** The algorithm that signs its id_tokens. */
  id_token_alg?: 'RS256' | 'ES256' | undefined
}

/** An application, with the number of its grants. */
export interface ApplicationWithGrants {
  /** The id of the application. */
  client_id: string
  /** The name of the application. */
  name: string
  /** An https address, shown beside the name; null for none. */
  home_page: string | null
  /** The path of the logo; it changes with the logo. */
  logo: string | null
  /** Where a person may be sent back to, byte for byte. */
  redirect_uris: string[]
  /** The algorithm that signs its id_tokens. */
  id_token_alg: 'RS256' | 'ES256'
  /** Set by the operator. */
  enabled: boolean
  /** The valid secrets, oldest first; only their first characters. */
  secrets: ClientSecretHint[]
  /** When the partner asked for a new secret; null if it did not. */
  secret_rotation_requested_at: string | null
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions: RequestedPermissions | null
  /** What the partner asked to change of what people see, while it waits or once it was refused. Null: nothing. */
  requested_change: RequestedChange | null
  /** When it was created. */
  created_at: string
  /** The partner. */
  partner_id: string
  /** Customers that are connected now. Disabling the application revokes all of these grants. */
  active_grants: number
}

/** A member asks the administrators to approve an application. */
export interface ApprovalRequest {
  /** Identifies the approval request. */
  id: string
  application: RequestedApplication
  user: UserReference
  /** What the person needs it for, in their own words. */
  note: string | null
  /** When the person asked. */
  requested_at: string
}

/** A page of a list: see `ApprovalRequest`. */
export interface ApprovalRequestList {
  /** The items of this page. */
  items: ApprovalRequest[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** The first devices to look at; there is one page. */
export interface AttentionList {
  /** The items. */
  items: Device[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: null
}

/** The longest that something may be or last. */
export interface Bound {
  /** What is limited. */
  what: string
  /** The longest that it may be or last. */
  max: number
  /** What is counted. */
  unit: 'characters' | 'seconds'
}

/** Buckets to move to a cell. */
export interface BucketMove {
  /** Buckets to move; all cells together have 1,024. */
  buckets: number
  /** The cell to take them from; by default those with the most. */
  from_cell?: string | undefined
  /** Devices are sent to their new cell within this time, one bucket after the other; 600 by default. Null: they stay where they are until they register again. */
  redirect_over_seconds?: number | null | undefined
}

/** Permissions, and the spaces in which those for devices, spaces and audit count. */
export interface CallerAllowance {
  permissions: CallerPermissions
  /** Null: everywhere. */
  within: PermittedSpace[] | null
}

/** The level in each area; a level includes the ones before it. See /docs/permissions. */
export interface CallerPermissions {
  /** Devices, their state and history. */
  devices: 'none' | 'read' | 'manage' | 'command'
  /** The tree of spaces. */
  spaces: 'none' | 'read' | 'manage'
  /** Users, groups and invitations. */
  people: 'none' | 'read' | 'manage'
  /** The audit log. */
  audit: 'none' | 'read'
  /** API keys and connected apps: of people only. */
  integrations: 'none' | 'manage'
}

/** An application after a change. */
export interface ChangedApplication {
  /** The id of the application. */
  client_id: string
  /** The name of the application. */
  name: string
  /** An https address, shown beside the name; null for none. */
  home_page: string | null
  /** The path of the logo; it changes with the logo. */
  logo: string | null
  /** Where a person may be sent back to, byte for byte. */
  redirect_uris: string[]
  /** The algorithm that signs its id_tokens. */
  id_token_alg: 'RS256' | 'ES256'
  /** Set by the operator. */
  enabled: boolean
  /** The valid secrets, oldest first; only their first characters. */
  secrets: ClientSecretHint[]
  /** When the partner asked for a new secret; null if it did not. */
  secret_rotation_requested_at: string | null
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions: RequestedPermissions | null
  /** What the partner asked to change of what people see, while it waits or once it was refused. Null: nothing. */
  requested_change: RequestedChange | null
  /** When it was created. */
  created_at: string
  /** The partner. */
  partner_id: string
  /** Grants that this change revoked. */
  revoked_grants: number
}

/** A connected application after a change. */
export interface ChangedConnectedApp {
  /** The id of the application. */
  client_id: string
  /** The name of the application. */
  name: string
  /** An https address, shown beside the name; null for none. */
  home_page: string | null
  /** The path of the logo. */
  logo: string | null
  /** The partner that makes it. */
  partner_name: string
  /** The domain that this partner has proven to be its own. Null: none. */
  partner_domain: string | null
  /** False while the application is disabled by the operator. */
  enabled: boolean
  policy: SignInPolicy
  /** What it may do: its level in each area. Null: everything. */
  permissions: Permissions | null
  /** Null: everywhere. */
  within: PermittedSpace[] | null
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions: RequestedPermissions | null
  /** When the organization approved it. */
  approved_at: string
  /** Who approved it; null when the account is gone. */
  approved_by: UserReference | null
  /** When it was connected; null before the first time. */
  connected_at: string | null
  /** When it was last used; null before the first time. */
  last_used_at: string | null
  /** How many people connected it under the current grant. */
  user_count: number
  /** The latest 20 of them. */
  users: ConnectedUser[]
  /** What happened to tokens already issued: they `stay` unless `revoke_tokens` was sent. */
  tokens: 'stay' | 'revoked' | 'none'
}

/** A space inside another, with what is in it and below it. */
export interface ChildSpace {
  /** Identifies the child space. */
  id: string
  /** The space it stands in; null at the top of the tree. */
  parent_id: string | null
  /** The name of the child space. */
  name: string
  /** Kept in sync with a partner's cloud: it cannot be moved, and no other application can rename or delete it. */
  synced: boolean
  /** The application that syncs it. */
  synced_by: string | null
  /** When it was created. */
  created_at: string
  /** The number of spaces below it, at any depth. */
  spaces_below: number
  devices: DeviceCounts
}

/** A page of a list: see `ChildSpace`. */
export interface ChildSpaceList {
  /** The items of this page. */
  items: ChildSpace[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** Up to 1,000 devices. */
export interface ChosenDevices {
  /** The devices, by id. */
  device_ids: string[]
}

/** A model whose devices can be claimed. */
export interface ClaimableModel {
  /** Identifies the claimable model. */
  id: string
  /** The name of the model. */
  name: string
  /** The partner that makes it. */
  partner_name: string
}

/** A page of a list: see `ClaimableModel`. */
export interface ClaimableModelList {
  /** The items of this page. */
  items: ClaimableModel[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A valid client secret, by its first characters. */
export interface ClientSecretHint {
  /** The first characters of the secret. */
  hint: string
  /** When it was created. */
  created_at: string
  /** When it stops working. */
  expires_at: string | null
}

/** How to rotate the secret. */
export interface ClientSecretRotation {
  /** How long the previous secret stays valid. Use 0 after a leak. */
  overlap_seconds?: number | undefined
}

/** A command to a device. */
export interface Command {
  /** Identifies the command. */
  id: string
  /** The device. */
  device_id: string
  /** What the device is called now; null once it is removed. */
  device_name: string | null
  /** Lower-case letters, digits and underscores, beginning with a letter; 64 characters or fewer. */
  name: string
  /** What its model called it for people when it was sent. */
  label: string | null
  /** Secret ones are null. */
  parameters: {
    [key: string]: unknown
  }
  /** The names of the secret parameters. */
  secret: string[]
  state: CommandState
  /** Where it came from. */
  source: 'portal' | 'application' | 'api_key'
  /** The user who created it; null when the account is gone. */
  created_by: CommandCreator | null
  /** Of the call for many devices. */
  batch_id: string | null
  /** When it was created. */
  created_at: string
  /** After this instant it is not handed out. */
  expires_at: string
  /** How often it was handed out. */
  attempts: number
  /** When it was last handed out; null before. */
  sent_at: string | null
  /** When the device, or its cloud, was first known to have it; null before. */
  delivered_at: string | null
  /** When the device first said that it is in progress; null before. */
  started_at: string | null
  /** When its state became final; null before. */
  finished_at: string | null
  /** What the device said last. */
  message: string | null
  /** What the device returned: any JSON. */
  result: unknown
}

/** What came of a command for many devices. */
export interface CommandBatch {
  /** The call for many devices that created it. */
  batch_id: string
  /** One result per device, in the order of the call. */
  results: CommandResult[]
}

/** The number of commands in each state. */
export interface CommandCounts {
  /** In the state `queued`. */
  queued: number
  /** In the state `sent`. */
  sent: number
  /** In the state `in_progress`. */
  in_progress: number
  /** In the state `done`. */
  done: number
  /** In the state `failed`. */
  failed: number
  /** In the state `rejected`. */
  rejected: number
  /** In the state `expired`. */
  expired: number
  /** In the state `unknown`. */
  unknown: number
  /** In the state `canceled`. */
  canceled: number
}

/** Who sent the command. */
export interface CommandCreator {
  /** `user`, `application` or `api_key`. */
  kind: string
  /** Identifies the command creator. */
  id: string
  /** As it was called then. */
  name: string | null
}

/** A page of a list: see `Command`. */
export interface CommandList {
  /** The items of this page. */
  items: Command[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** The report is stored. */
export interface CommandReportAccepted {
  /** Always true: the message is stored. */
  success: true
  /** Another command waits for the device. */
  command?: true | undefined
}

/** What came of the command for one device. */
export interface CommandResult {
  /** The device. */
  device_id: string
  /** 202, or the status with which a call for this device alone is refused. */
  status: number
  /** The command. */
  id?: string | undefined
  /** Why it was refused. */
  code?: string | undefined
  /** A sentence for people. Branch on `code`. */
  error?: string | undefined
  /** What else is known about it. */
  details?: FieldProblem[] | undefined
}

/** `queued`: no device has it yet. `sent`: it was handed out. `in_progress`, `done`, `failed`, `rejected`: the device says so. `expired`: it was not carried out in time. `unknown`: the device had it, and nothing came for longer than its timeout; a late report still counts. `canceled`: nobody will carry it out. */
export type CommandState =
  | 'queued'
  | 'sent'
  | 'in_progress'
  | 'done'
  | 'failed'
  | 'rejected'
  | 'expired'
  | 'unknown'
  | 'canceled'

/** What a device can be asked to do. */
export interface CommandsOfDevice {
  /** In the order in which they are shown. */
  commands: DeclaredCommand[]
  /** The data points that can be set. */
  settable: DictionaryEntry[]
}

/** An application that this organization approved. */
export interface ConnectedApp {
  /** The id of the application. */
  client_id: string
  /** The name of the application. */
  name: string
  /** An https address, shown beside the name; null for none. */
  home_page: string | null
  /** The path of the logo. */
  logo: string | null
  /** The partner that makes it. */
  partner_name: string
  /** The domain that this partner has proven to be its own. Null: none. */
  partner_domain: string | null
  /** False while the application is disabled by the operator. */
  enabled: boolean
  policy: SignInPolicy
  /** What it may do: its level in each area. Null: everything. */
  permissions: Permissions | null
  /** Null: everywhere. */
  within: PermittedSpace[] | null
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions: RequestedPermissions | null
  /** When the organization approved it. */
  approved_at: string
  /** Who approved it; null when the account is gone. */
  approved_by: UserReference | null
  /** When it was connected; null before the first time. */
  connected_at: string | null
  /** When it was last used; null before the first time. */
  last_used_at: string | null
  /** How many people connected it under the current grant. */
  user_count: number
  /** The latest 20 of them. */
  users: ConnectedUser[]
}

/** What to change of the approval: who may connect the application, what it may do, and where. What is left out stays. */
export interface ConnectedAppChange {
  /** Who may connect the application. */
  policy?:
    | {
        /** What kind it is. */
        kind: 'everyone' | 'administrators'
      }
    | {
        /** What kind it is. */
        kind: 'group'
        /** The group. */
        group_id: string
      }
    | undefined
  /** What it may do: its level in each area. Null: everything. */
  permissions?: Permissions | null | undefined
  /** The spaces to which devices, spaces and audit are limited, each with everything below it. A space that was deleted covers nothing. Null: everywhere. */
  within?: string[] | null | undefined
  /** Also revoke every token already issued: the people admitted must connect again. */
  revoke_tokens?: boolean | undefined
}

/** A page of a list: see `ConnectedApp`. */
export interface ConnectedAppList {
  /** The items of this page. */
  items: ConnectedApp[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A person who connected the application. */
export interface ConnectedUser {
  /** Identifies the connected user. */
  id: string
  /** The name of the person. */
  name: string
  /** The email address of the person. */
  email: string
  /** When the person connected it. */
  connected_at: string
}

/** A new API key, with the key itself. */
export interface CreatedApiKey {
  /** Identifies the api key. */
  id: string
  /** What the key is for. */
  name: string
  /** Who or what uses it. */
  used_by: string | null
  /** The first characters of the key. */
  hint: string
  /** An instant after which it no longer works. Null: it works until it is revoked. */
  expires_at: string | null
  /** It no longer works. It is listed for 30 days after its expiry. */
  expired: boolean
  /** The key of its rotation. */
  replaced_by: string | null
  /** The user who created it; null when the account is gone. */
  created_by: string | null
  /** When it was created. */
  created_at: string
  /** When it was last used; null before the first time. */
  last_used_at: string | null
  /** What it may do. Null: everything but commands to devices. */
  permissions: Permissions | null
  /** Null: everywhere. */
  within: PermittedSpace[] | null
  /** Returned only this once. Send it as `Authorization: <key>`. */
  key: string
}

/** A new application, with its secret. */
export interface CreatedApplication {
  /** The id of the application. */
  client_id: string
  /** The name of the application. */
  name: string
  /** An https address, shown beside the name; null for none. */
  home_page: string | null
  /** The path of the logo; it changes with the logo. */
  logo: string | null
  /** Where a person may be sent back to, byte for byte. */
  redirect_uris: string[]
  /** The algorithm that signs its id_tokens. */
  id_token_alg: 'RS256' | 'ES256'
  /** Set by the operator. */
  enabled: boolean
  /** The valid secrets, oldest first; only their first characters. */
  secrets: ClientSecretHint[]
  /** When the partner asked for a new secret; null if it did not. */
  secret_rotation_requested_at: string | null
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions: RequestedPermissions | null
  /** What the partner asked to change of what people see, while it waits or once it was refused. Null: nothing. */
  requested_change: RequestedChange | null
  /** When it was created. */
  created_at: string
  /** The partner. */
  partner_id: string
  /** Returned only this once. */
  client_secret: string
}

/** A new invitation; with its link where a person made it in the portal. */
export interface CreatedInvitation {
  /** Identifies the invitation. */
  id: string
  /** The email address of the person. */
  email: string
  /** The name of the person, if it was given. */
  name: string | null
  /** False until somebody creates its link: where this service sends no mail, a token or an API key invites without one. */
  has_link: boolean
  made_by: InvitationMaker
  /** When it was created. */
  created_at: string
  /** When it stops working. */
  expires_at: string
  role: Role
  /** The groups that the person will join. */
  group_ids: string[]
  /** Whether the person will see devices and spaces in the portal as a member. A token or an API key cannot set it. */
  can_view_devices: boolean
  /** Returned only this once: hand it to the person. Single use, valid for seven days. */
  link: string | null
  /** Whether the link was also mailed to the person; false where this service sends no mail. */
  mailed: boolean
}

/** A new model, with its first hardware key. */
export interface CreatedModel {
  /** Identifies the model. */
  id: string
  /** The name of the model. */
  name: string
  /** How its devices prove what they are. */
  authentication_method: 'MAC & Serial Number'
  /** Seconds without a message after which a device counts as offline. 120 unless set. */
  offline_after_seconds: number
  /** When it was created. */
  created_at: string
  /** The first key of its "Hardware Keys" tab. */
  hardware_key: string
}

/** A new partner, with its lab tenant. */
export interface CreatedPartner {
  /** Identifies the partner. */
  id: string
  /** The name of the partner. */
  name: string
  /** `host[:port]`, in lower case. */
  portal_domain: string | null
  /** When it was created. */
  created_at: string
  lab: LabTenant
}

/** A new API key, with the key itself. */
export interface CreatedPartnerApiKey {
  /** Identifies the partner api key. */
  id: string
  /** The name of the partner api key. */
  name: string
  /** Who or what uses it. */
  used_by: string | null
  /** The first characters of the key. */
  hint: string
  /** An instant after which it no longer works. Null: it works until it is revoked. */
  expires_at: string | null
  /** It no longer works. It is listed for 30 days after its expiry. */
  expired: boolean
  /** The key of its rotation. */
  replaced_by: string | null
  /** The user who created it; null when the account is gone. */
  created_by: string | null
  /** When it was created. */
  created_at: string
  /** When it was last used; null before the first time. */
  last_used_at: string | null
  /** Returned only this once. Send it as `Authorization: <key>`. */
  key: string
}

/** A new webhook, with its secret. */
export interface CreatedWebhook {
  /** Identifies the webhook. */
  id: string
  /** Where events are sent. */
  url: string
  /** A note of your own about it. */
  description: string | null
  /** The types of event that are sent. */
  events: string[]
  /** Whether it is in use. */
  enabled: boolean
  /** When it was disabled; null while it is enabled. */
  disabled_at: string | null
  /** `gone`: it responded with 410. `failing`: it accepted nothing for a day. */
  disabled_because: 'by_partner' | 'gone' | 'failing' | null
  /** Since when it accepts nothing; null while it works. */
  failing_since: string | null
  /** Until when the previous secret also signs; null for none. */
  previous_secret_expires_at: string | null
  /** When it was created. */
  created_at: string
  /** Returned only this once: the `whsec_…` secret of Standard Webhooks. Stored encrypted, since it signs every delivery. */
  secret: string
}

/** What people see now; the logo by its path. */
export interface CurrentLook {
  /** The name of the current look. */
  name: string
  /** An https address, shown beside the name; null for none. */
  home_page: string | null
  /** The logo; null for none. */
  logo: string | null
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions: RequestedPermissions | null
}

/** A customer: an organization with users, spaces and devices. */
export interface Customer {
  /** Identifies the customer. */
  id: string
  /** The partner. */
  partner_id: string
  /** The name of the customer. */
  name: string
  /** Whether it is the tenant of a partner for tests. */
  lab: boolean
  /** When it was created. */
  created_at: string
}

/** An active administrator of the customer. */
export interface CustomerAdministrator {
  /** The name of the customer administrator. */
  name: string
  /** The email address of the person. */
  email: string
}

/** An application that a customer approved. */
export interface CustomerApp {
  /** The id of the application. */
  client_id: string
  /** The name of the customer app. */
  name: string
  /** The partner that makes it. */
  partner_name: string
  /** Whether it is in use. */
  enabled: boolean
  /** When the organization approved it. */
  approved_at: string
  /** When it was connected; null before the first time. */
  connected_at: string | null
  /** When it was last used; null before the first time. */
  last_used_at: string | null
}

/** A page of a list: see `CustomerApp`. */
export interface CustomerAppList {
  /** The items of this page. */
  items: CustomerApp[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** The new name of a customer. */
export interface CustomerChange {
  /** The name of the customer. */
  name: string
}

/** A group of users of a customer. */
export interface CustomerGroup {
  /** Identifies the customer group. */
  id: string
  /** The customer. */
  customer_id: string
  /** The name of the customer group. */
  name: string
  /** When it was created. */
  created_at: string
}

/** A page of a list: see `CustomerGroup`. */
export interface CustomerGroupList {
  /** The items of this page. */
  items: CustomerGroup[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** The person to invite. */
export interface CustomerInvitee {
  /** The email address of the person. */
  email: string
  /** The name of the customer invitee. */
  name?: string | undefined
  role: Role
  /** Whether the person will see devices and spaces in the portal as a member. A token or an API key cannot set it. */
  can_view_devices?: boolean | undefined
}

/** A page of a list: see `Customer`. */
export interface CustomerList {
  /** The items of this page. */
  items: Customer[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A customer that the person belongs to. */
export interface CustomerMembership {
  /** Identifies the customer membership. */
  id: string
  /** The name of the customer membership. */
  name: string
  /** Whether it is the tenant of a partner for tests. */
  lab: boolean
  /** The role of the person. */
  role: 'administrator' | 'member'
  /** Whether a member sees all devices and spaces in the portal. */
  can_view_devices: boolean
  /** Whether the customer portal opens: for an administrator, and for a member with a role somewhere. */
  can_open_portal: boolean
  /** For a member, whom to ask: up to five. Empty for an administrator. */
  administrators: CustomerAdministrator[]
  /** What the organization asks of the person in this session; null: no second factor. */
  second_factor: SecondFactorDemand | null
}

/** What the data points of a model mean. Telemetry is never refused because of it. */
export interface DataDictionary {
  /** In the order in which they are shown. */
  data_points: DictionaryEntry[]
}

/** The latest value of a data point. */
export interface DataPointValue {
  /** The value. */
  value: number | string | boolean
  /** When the device measured it. */
  at: string
}

/** A command that the devices of a model understand. */
export interface DeclaredCommand {
  /** Lower-case letters, digits and underscores, beginning with a letter; 64 characters or fewer. */
  name: string
  /** The name for people, on one line. */
  label?: string | undefined
  /** What the device then does, on one line. */
  description?: string | undefined
  /** In the order in which people are asked for them. */
  parameters?: DeclaredParameter[] | undefined
  /** True: people are asked whether they are sure. */
  confirm?: boolean | undefined
  /** True: refused while the device is offline, instead of waiting for it. */
  requires_online?: boolean | undefined
  /** Seconds after which it is no longer handed out; 3,600 if absent. */
  expires_after?: number | undefined
  /** Seconds that the device may take until its next report; 300 if absent. */
  timeout?: number | undefined
}

/** The commands that the devices of a model understand. Any other is refused. */
export interface DeclaredCommands {
  /** In the order in which they are shown. */
  commands: DeclaredCommand[]
}

/** A parameter of a command. */
export interface DeclaredParameter {
  /** Letters, digits and underscores, beginning with a letter; 64 characters or fewer. */
  key: string
  /** What its value is. */
  type: 'number' | 'boolean' | 'text'
  /** The name for people, on one line. */
  label?: string | undefined
  /** True: the command is refused without it. */
  required?: boolean | undefined
  /** The smallest number that is accepted. */
  min?: number | undefined
  /** The largest number that is accepted. */
  max?: number | undefined
  /** The most characters of a text. */
  max_length?: number | undefined
  /** The values that are accepted; any if absent. */
  values?: (number | string | boolean)[] | undefined
  /** True: only the device is shown the value; it is sealed, and erased once the command has ended. */
  secret?: boolean | undefined
}

/** A device of this organization. */
export interface Device {
  /** Identifies the device. */
  id: string
  /** The model of the device. */
  model_id: string
  /** The MAC address of the device. */
  mac: string
  /** The serial number of the device. */
  sn: string
  /** The firmware, as a semantic version. */
  firmware_version: string
  status: DeviceStatus
  /** Since when it has this status. */
  status_at: string
  /** Why the device needs attention; null while it is well. */
  reason: DeviceReason | null
  /** The alarm of a device that is online or reports an error. */
  alarm: AlarmValue | null
  /** When its last message arrived; null before the first. */
  last_seen_at: string | null
  /** When the device registered. */
  registered_at: string
  /** When a customer claimed it; null while nobody did. */
  claimed_at: string | null
  /** Until when the device may register again; null while it may not. */
  replace_until: string | null
  /** The name of the device. */
  name: string | null
  /** The space of the device; null for none. */
  space_id: string | null
  /** The names of its space and those above it, from the top. */
  space_path: string[]
  /** The tags that the organization gave the device, in order. */
  tags: string[]
}

/** What to change about a device; what is absent stays. */
export interface DeviceChange {
  /** The name of the device. */
  name?: string | null | undefined
  /** The space of the device; null for none. */
  space_id?: string | null | undefined
  /** All tags it then has, in lower case. */
  tags?: string[] | undefined
  /** What your organization notes about the device. */
  note?: string | null | undefined
}

/** Devices to change in one call. */
export interface DeviceChangeList {
  /** One change per device. */
  devices: ListedDeviceChange[]
}

/** What came of one line of the list. */
export interface DeviceChangeResult {
  /** What came of the line. */
  outcome: 'changed' | 'unchanged' | 'not_found' | 'unknown_space' | 'invalid'
  /** A sentence for people. Branch on `outcome`. */
  error?: string | undefined
  /** What else is known about it. */
  details?: FieldProblem[] | undefined
}

/** What came of every line of the list. */
export interface DeviceChangeResults {
  /** One result per line, in the order of the call. */
  results: DeviceChangeResult[]
}

/** What proves that the device is at hand, and where it belongs. */
export interface DeviceClaim {
  /** Six hexadecimal pairs with colons between them, such as 00:1a:2b:3c:4d:5e. */
  mac: string
  /** 1 to 128 characters, with no control characters and no space at either end. */
  sn: string
  /** The model of the device. */
  model_id: string
  /** The name of the device claim. */
  name?: string | null | undefined
  /** The space of the device; null for none. */
  space_id?: string | null | undefined
}

/** Devices to claim in one call. */
export interface DeviceClaimList {
  /** One claim per device. */
  devices: DeviceClaim[]
}

/** What came of one line of the list. */
export interface DeviceClaimResult {
  /** What came of the line. */
  outcome: 'claimed' | 'already_yours' | 'claim_failed' | 'unknown_space' | 'invalid' | 'not_tried'
  /** The device. */
  device_id?: string | undefined
  /** A sentence for people. Branch on `outcome`. */
  error?: string | undefined
  /** What else is known about it. */
  details?: FieldProblem[] | undefined
}

/** What came of every line of the list. */
export interface DeviceClaimResults {
  /** One result per line, in the order of the call. */
  results: DeviceClaimResult[]
  /** When to send the lines again that were `not_tried`; null when there are none. */
  retry_after_seconds: number | null
}

/** A column of the device list. */
export type DeviceColumn =
  | 'status'
  | 'since'
  | 'reason'
  | 'last_seen_at'
  | 'model'
  | 'space'
  | 'tags'
  | 'mac'
  | 'sn'
  | 'firmware_version'
  | 'registered_at'

/** A command to carry out. */
export interface DeviceCommand {
  /** A command may come more than once: carry out each id once, and report it by this id. */
  id: string
  /** The device. */
  device_id: string
  /** As the model declares it. */
  name: string
  /** As the model declares them; those that were not given are absent. */
  parameters: {
    [key: string]: number | string | boolean
  }
  /** `in_progress`: the device has reported so before, and may have restarted since. */
  state: 'sent' | 'in_progress'
  /** When it was created. */
  created_at: string
  /** Do not begin with it after this instant. */
  expires_at: string
  /** How often it was handed out, this time included. */
  attempt: number
}

/** The number of devices in each status. */
export interface DeviceCounts {
  /** Counted up to 100000. */
  never_seen: number
  /** Counted up to 100000. */
  online: number
  /** Counted up to 100000. */
  offline: number
  /** Counted up to 100000. */
  error: number
}

/** A page of a list: see `Device`. */
export interface DeviceList {
  /** The items of this page. */
  items: Device[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** Why a device needs attention. `no_telemetry`: nothing came for as long as its model allows. `reported_error`, `reported_offline`: the device said so. `alarm`: it is online, and a value is an alarm. */
export type DeviceReason =
  | 'alarm'
  | 'reported_error'
  | 'connection_lost'
  | 'no_telemetry'
  | 'reported_offline'
  | 'never_seen'

/** What came of one device of the list. */
export interface DeviceRemovalResult {
  /** What came of the device. */
  outcome: 'removed' | 'already_removed' | 'not_found'
}

/** What came of every device of the list. */
export interface DeviceRemovalResults {
  /** One result per device, in the order of the call. */
  results: DeviceRemovalResult[]
}

/** One setting of a device. Null where nothing is wanted, or reported. */
export interface DeviceSetting {
  /** The data point. */
  key: string
  /** A number, text or a boolean, as the data dictionary of the model says. */
  desired: number | string | boolean | null
  /** A number, text or a boolean, as the data dictionary of the model says. */
  reported: number | string | boolean | null
  /** When the device last sent the value. */
  reported_at: string | null
  /** The state it is in. */
  state: SettingState | null
  /** Why it is in this state, for people. */
  message: string | null
  /** What a template says; null: none says anything. */
  template: SettingOfTemplate | null
  /** True: a template says otherwise. */
  differs: boolean
}

/** What is wanted of a device, and what became of it. */
export interface DeviceSettings {
  /** Counts up with every change; 0: nothing was ever wanted. */
  version: number
  /** The newest version that the device has reported about. */
  reported_version: number | null
  /** When it reported that. */
  reported_at: string | null
  /** The state it is in. */
  state: SettingState | null
  /** True: at least one setting differs from the templates. */
  differs: boolean
  /** How it was last changed. */
  source: 'customer' | 'device' | 'template' | null
  /** When what is wanted last changed. */
  changed_at: string | null
  /** Who last changed it; null: nobody yet. */
  changed_by: Actor | null
  /** Every setting that the model has, that is wanted, or that a template names. */
  values: DeviceSetting[]
}

/** `offline`: nothing came for as long as its model allows, or the device said so. */
export type DeviceStatus = 'never_seen' | 'online' | 'offline' | 'error'

/** A tag that at least one device has. */
export interface DeviceTag {
  /** A tag that the organization gave some of its devices. */
  tag: string
}

/** A page of a list: see `DeviceTag`. */
export interface DeviceTagList {
  /** The items of this page. */
  items: DeviceTag[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** How many devices match. */
export interface DeviceTotal {
  /** How many match, or at least match. */
  total: number
  /** `true`: counting stopped, there are at least as many. */
  more: boolean
}

/** The counts of the last day, oldest first; there is one page. */
export interface DeviceTrend {
  /** The items. */
  items: DeviceTrendPoint[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: null
}

/** The number of devices in each status at an instant. */
export interface DeviceTrendPoint {
  /** When it happened. */
  at: string
  /** Counted up to 100000. */
  never_seen: number
  /** Counted up to 100000. */
  online: number
  /** Counted up to 100000. */
  offline: number
  /** Counted up to 100000. */
  error: number
}

/** A saved view of the device list, for everyone who administers the organization. */
export interface DeviceView {
  /** Identifies the device view. */
  id: string
  /** The name of the device view. */
  name: string
  query: DeviceViewQuery
  /** When it was created. */
  created_at: string
}

/** What to change about a view; what is absent stays. */
export interface DeviceViewChange {
  /** The name of the device view. */
  name?: string | undefined
  query?: DeviceViewQuery | undefined
}

/** A page of a list: see `DeviceView`. */
export interface DeviceViewList {
  /** The items of this page. */
  items: DeviceView[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** Filters, order and columns of a device list. */
export interface DeviceViewQuery {
  /** In this space or any below it. */
  space_id?: string | undefined
  /** `true`: in no space. */
  no_space?: boolean | undefined
  /** The model of the device. */
  model_id?: string | undefined
  /** In any of these statuses, with commas between them: never_seen, online, offline, error. */
  status?: string | undefined
  /** With this tag. */
  tag?: string | undefined
  settings?: SettingsFilter | undefined
  /** Part of a name, a MAC or a serial number. One or two characters match the beginning of a word only. */
  search?: string | undefined
  /** The order; with `-`, the other way round. `status` begins with what needs attention. By default `registered_at`. */
  sort?:
    | 'registered_at'
    | '-registered_at'
    | 'name'
    | '-name'
    | 'status'
    | '-status'
    | 'status_at'
    | '-status_at'
    | 'last_seen_at'
    | '-last_seen_at'
    | 'model'
    | '-model'
    | 'space'
    | '-space'
    | 'mac'
    | '-mac'
    | 'sn'
    | '-sn'
    | undefined
  /** The columns beside the name, in order. */
  columns?: DeviceColumn[] | undefined
}

/** A device of this organization, with its note. */
export interface DeviceWithNote {
  /** Identifies the device. */
  id: string
  /** The model of the device. */
  model_id: string
  /** The MAC address of the device. */
  mac: string
  /** The serial number of the device. */
  sn: string
  /** The firmware, as a semantic version. */
  firmware_version: string
  status: DeviceStatus
  /** Since when it has this status. */
  status_at: string
  /** Why the device needs attention; null while it is well. */
  reason: DeviceReason | null
  /** The alarm of a device that is online or reports an error. */
  alarm: AlarmValue | null
  /** When its last message arrived; null before the first. */
  last_seen_at: string | null
  /** When the device registered. */
  registered_at: string
  /** When a customer claimed it; null while nobody did. */
  claimed_at: string | null
  /** Until when the device may register again; null while it may not. */
  replace_until: string | null
  /** The name of the device. */
  name: string | null
  /** The space of the device; null for none. */
  space_id: string | null
  /** The names of its space and those above it, from the top. */
  space_path: string[]
  /** The tags that the organization gave the device, in order. */
  tags: string[]
  /** What your organization notes about the device. */
  note: string | null
}

/** A device of this organization, with its note and its state. */
export interface DeviceWithState {
  /** Identifies the device. */
  id: string
  /** The model of the device. */
  model_id: string
  /** The MAC address of the device. */
  mac: string
  /** The serial number of the device. */
  sn: string
  /** The firmware, as a semantic version. */
  firmware_version: string
  status: DeviceStatus
  /** Since when it has this status. */
  status_at: string
  /** Why the device needs attention; null while it is well. */
  reason: DeviceReason | null
  /** The alarm of a device that is online or reports an error. */
  alarm: AlarmValue | null
  /** When its last message arrived; null before the first. */
  last_seen_at: string | null
  /** When the device registered. */
  registered_at: string
  /** When a customer claimed it; null while nobody did. */
  claimed_at: string | null
  /** Until when the device may register again; null while it may not. */
  replace_until: string | null
  /** The name of the device. */
  name: string | null
  /** The space of the device; null for none. */
  space_id: string | null
  /** The names of its space and those above it, from the top. */
  space_path: string[]
  /** The tags that the organization gave the device, in order. */
  tags: string[]
  /** What your organization notes about the device. */
  note: string | null
  /** The latest value of every data point, with its instant. */
  state: {
    [key: string]: DataPointValue
  }
}

/** What a data point means and how it is shown. */
export interface DictionaryEntry {
  /** 1 to 128 characters, with no control characters and no line separators. */
  key: string
  /** What its values are. */
  type: 'number' | 'boolean' | 'text'
  /** The name for people, on one line. */
  label?: string | undefined
  /** What it is about, on one line. */
  description?: string | undefined
  /** The unit of a number, such as °C. */
  unit?: string | undefined
  /** Digits behind the decimal point of a number. */
  decimals?: number | undefined
  /** The smallest number that is in range. */
  min?: number | undefined
  /** The largest number that is in range. */
  max?: number | undefined
  /** What single values mean. */
  values?: ValueMeaning[] | undefined
  /** True: the chart of a device opens with it. */
  chart?: boolean | undefined
  /** True: customers may set it, and devices are sent what they want. */
  settable?: boolean | undefined
}

/** An entry for a data point that devices have sent. */
export interface DictionarySuggestion {
  entry: DictionaryEntry
  /** How many of the devices that were looked at have it. */
  devices: number
  /** The smallest number among their latest values; null without numbers. */
  min: number | null
  /** The largest number among their latest values; null without numbers. */
  max: number | null
}

/** Entries for what devices have sent; there is one page. */
export interface DictionarySuggestionList {
  /** The items. */
  items: DictionarySuggestion[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: null
}

/** The sessions that have ended. */
export interface EndedSessions {
  /** How many there were. */
  sessions: number
}

/** What is wrong with one field of the request. */
export interface FieldProblem {
  /** The path of the field, such as `admin.email`. */
  field: string
  /** What would be right. */
  message: string
}

/** What became of a command. */
export interface FleetCommandReport {
  /** `in_progress` restarts the time that the command may take. The first of `done`, `failed` and `rejected` is final: the same again is accepted, another is refused. */
  status: 'in_progress' | 'done' | 'failed' | 'rejected'
  /** For people, at most 1,024 bytes. */
  message?: string | null | undefined
  /** Any JSON, at most 16 KiB. */
  result?: unknown | undefined
}

/** Commands for devices of this partner. */
export interface FleetCommands {
  /** The oldest first, at most one for each device. */
  commands: DeviceCommand[]
  /** Send it with the next poll: these commands have arrived. Null without commands. */
  after: string | null
}

/** The devices of one model and firmware version, by status. */
export interface FleetCount {
  /** The model of the device. */
  model_id: string
  /** The name of the model. */
  model_name: string
  /** The firmware, as a semantic version. */
  firmware_version: string
  /** Counted up to 100000. */
  never_seen: number
  /** Counted up to 100000. */
  online: number
  /** Counted up to 100000. */
  offline: number
  /** Counted up to 100000. */
  error: number
}

/** The devices of a partner by model, firmware version and status. */
export interface FleetCounts {
  /** Null: the fleet is large and not counted yet. */
  counted_at: string | null
  /** The largest first, 200 at most. */
  items: FleetCount[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: null
}

/** A group of users. */
export interface Group {
  /** Identifies the group. */
  id: string
  /** The name of the group. */
  name: string
  /** When it was created. */
  created_at: string
}

/** A page of a list: see `Group`. */
export interface GroupList {
  /** The items of this page. */
  items: Group[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A group, by id and name. */
export interface GroupReference {
  /** Identifies the group reference. */
  id: string
  /** The name of the group. */
  name: string
}

/** A key that lets devices of a model register. */
export interface HardwareKey {
  /** Identifies the hardware key. */
  id: string
  /** Sent as `hardware_key` at registration. */
  hardware_key: string
  /** Registrations that used it. */
  uses: number
  /** When it was last used; null before the first time. */
  last_used_at: string | null
  /** When it was created. */
  created_at: string
  /** When it was revoked; null while it works. */
  revoked_at: string | null
}

/** All hardware keys of the model; there is one page. */
export interface HardwareKeyList {
  /** The items. */
  items: HardwareKey[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: null
}

/** Permissions, where they count and where they come from. */
export interface HeldPermissions {
  permissions: CallerPermissions
  /** Null: everywhere. With `space_id`, only that space and those above it. */
  within: AccessSpace[] | null
  by: AccessReason
}

/** A message of a device, as it was stored. */
export interface HistoryMessage {
  /** What the device called the message; null if nothing. */
  message_id: string | null
  /** When the device measured it. */
  timestamp: string
  /** When the message arrived. */
  received_at: string
  /** What the device said of itself. */
  status: string
  /** Null for a data point that the message removed. */
  telemetries: {
    [key: string]: number | string | boolean | null
  }
  /** The message replaced the whole state. */
  override?: true | undefined
}

/** A page of a list: see `HistoryMessage`. */
export interface HistoryMessageList {
  /** The items of this page. */
  items: HistoryMessage[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A group of processes with addresses of its own, which serves a share of the devices. */
export interface HubCell {
  /** Its `LANDBRIDGE_CELL` */
  name: string
  /** Where the device sends telemetry over HTTPS. */
  hub_url: string
  /** The same with a certificate that never changes, for devices that pin it. */
  hub_url_static_cert: string
  /** Where the device sends telemetry over MQTT. */
  mqtt_hub_url: string
  /** `draining`: it is given no devices. */
  state: 'open' | 'draining'
  /** Whether one of its processes runs. */
  running: boolean
  /** Its share of 1,024 buckets, over which the devices are spread evenly. */
  buckets: number
  /** Of these, buckets whose devices stay where they are until they register again. */
  buckets_without_redirect: number
  /** When the last of its buckets begins to be sent to it; null when all are. */
  redirected_at: string | null
  /** When it was created. */
  created_at: string
  /** When one of its processes last said that it runs. */
  seen_at: string
}

/** All hub cells; there is one page. */
export interface HubCellList {
  /** The items. */
  items: HubCell[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: null
}

/** How many buckets were moved, and the cells afterwards. */
export interface HubCellMoves {
  /** Buckets that were moved. */
  moved: number
  /** The items. */
  items: HubCell[]
}

/** How devices learn of their new cell. */
export interface HubCellRedirect {
  /** Devices are sent to their new cell within this time, one bucket after the other; 600 by default. Null: they stay where they are until they register again. */
  redirect_over_seconds?: number | null | undefined
}

/** What became of a path. */
export interface ImportedPath {
  /** The last space of the path. */
  space_id: string
  /** How many spaces were created for this path; 0 when all existed. */
  created: number
}

/** A request of an application or a device that failed, with the reason. */
export interface IntegrationFailure {
  /** Identifies the integration failure. */
  id: string
  /** When it happened. */
  at: string
  /** The `x-request-id` of the response; over MQTT, the id of the connection. */
  request_id: string
  /** Such as `token`, `authorize`, `registration`, `telemetry`, `mqtt`. */
  endpoint: string
  /** The HTTP status of the response; 0 where there was none. */
  status: number
  /** The error in the response. */
  error: string
  /** The sentence in the response. */
  description: string | null
  /** The reason, which is not sent to the client. */
  reason: string
  /** What was received. Never a token, secret or code. */
  detail: string | null
  /** What to do about it. */
  advice: string
  /** The `client_id` of the application. */
  application_id: string | null
  /** The model of the device. */
  model_id: string | null
  /** The device. */
  device_id: string | null
}

/** A page of a list: see `IntegrationFailure`. */
export interface IntegrationFailureList {
  /** The items of this page. */
  items: IntegrationFailure[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A pending invitation to this organization. */
export interface Invitation {
  /** Identifies the invitation. */
  id: string
  /** The email address of the person. */
  email: string
  /** The name of the person, if it was given. */
  name: string | null
  /** False until somebody creates its link: where this service sends no mail, a token or an API key invites without one. */
  has_link: boolean
  made_by: InvitationMaker
  /** When it was created. */
  created_at: string
  /** When it stops working. */
  expires_at: string
  role: Role
  /** The groups that the person will join. */
  group_ids: string[]
  /** Whether the person will see devices and spaces in the portal as a member. A token or an API key cannot set it. */
  can_view_devices: boolean
}

/** A page of a list: see `Invitation`. */
export interface InvitationList {
  /** The items of this page. */
  items: Invitation[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** The invitation becomes invalid when they lose the right to invite. The operator has no id. */
export interface InvitationMaker {
  /** What made the invitation. */
  kind: 'operator' | 'user' | 'application' | 'api_key'
  /** Identifies the invitation maker. */
  id: string | null
  /** The name of who made it; null when it is gone. */
  name: string | null
}

/** A pending invitation to this organization, with its link. */
export interface InvitationWithLink {
  /** Identifies the invitation. */
  id: string
  /** The email address of the person. */
  email: string
  /** The name of the person, if it was given. */
  name: string | null
  /** False until somebody creates its link: where this service sends no mail, a token or an API key invites without one. */
  has_link: boolean
  made_by: InvitationMaker
  /** When it was created. */
  created_at: string
  /** When it stops working. */
  expires_at: string
  role: Role
  /** The groups that the person will join. */
  group_ids: string[]
  /** Whether the person will see devices and spaces in the portal as a member. A token or an API key cannot set it. */
  can_view_devices: boolean
  /** Returned only this once: hand it to the person. Single use, valid for seven days. */
  link: string
  /** Whether the link was also mailed to the person; false where this service sends no mail. */
  mailed: boolean
}

/** The person to invite. */
export interface Invitee {
  /** The email address of the person. */
  email: string
  /** The name of the person. */
  name?: string | undefined
}

/** The partner's customer for tests. */
export interface LabTenant {
  /** The customer. */
  customer_id: string
}

/** The application, API key or person whose rate it is. */
export interface LimitedCaller {
  /** Identifies the limited caller. */
  id: string
  /** The name of the limited caller. */
  name: string | null
}

/** A customer or partner. */
export interface LimitedTenant {
  /** What kind it is. */
  kind: 'customer' | 'partner'
  /** Identifies the limited tenant. */
  id: string
  /** The name of the limited tenant. */
  name: string | null
}

/** The limits in force. */
export interface Limits {
  /** The items. */
  items: RateLimit[]
  /** How many of each thing there may be. */
  quotas: Quota[]
  /** Lengths and lifetimes. */
  bounds: Bound[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: null
}

/** What to change about one device; what is absent stays. */
export interface ListedDeviceChange {
  /** Identifies the listed device. */
  id: string
  /** The name of the listed device. */
  name?: string | null | undefined
  /** The space of the device; null for none. */
  space_id?: string | null | undefined
}

/** A picture to be shown to people. */
export interface Logo {
  /** The media type of the picture. */
  type: 'image/png' | 'image/jpeg' | 'image/webp'
  /** Base64, 128 KiB or less. */
  data: string
}

/** A mail to a person, without what it says. */
export interface Mail {
  /** The part before the @ of its `Message-ID`. */
  id: string
  /** What it is about, such as invitation, welcome, password_reset. */
  kind: string
  /** To whom, in lower case. */
  recipient: string
  /** Its subject, on one line. */
  subject: string
  /** `queued`: waits for its first or next attempt. `dropped`: never attempted, `failure` says why. `kept`: not sent, but readable here, in a lab without a mail server. */
  state: 'queued' | 'sent' | 'failed' | 'dropped' | 'kept'
  /** The user. */
  user_id: string | null
  /** The customer. */
  customer_id: string | null
  /** When it was created. */
  created_at: string
  /** It is given up then: its link or code has expired, or a day is over. */
  useful_until: string
  /** Attempts so far. */
  attempts: number
  /** When the last attempt was made; null before the first. */
  attempted_at: string | null
  /** An attempt is being made now. */
  under_way: boolean
  /** When it is tried again; null when it will not be, or is just being sent. */
  next_attempt_at: string | null
  /** Why the last attempt failed, or why there was none. */
  failure: string | null
  /** The last words of the mail server. What it repeats of the mail is left out. */
  response: string | null
}

/** What a mail says. */
export interface MailContent {
  /** All of its text. */
  text: string
  /** Where its button leads. */
  link: string | null
}

/** A page of a list: see `Mail`. */
export interface MailList {
  /** The items of this page. */
  items: Mail[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** Where mails are handed in. */
export interface MailServer {
  /** `kept`: a lab without a mail server, where mails are readable here. `none`: no mails, links are handed over by hand. */
  state: 'sends' | 'kept' | 'none'
  /** Without user and password. */
  address: string | null
  /** The start of the range. */
  from: string | null
}

/** The same settings for many devices. */
export interface ManySettingsChange {
  /** The devices, by id. */
  device_ids: string[]
  /** By data point; null no longer wants it. What is absent stays. */
  values: {
    [key: string]: number | string | boolean | null
  }
}

/** A device model of a partner. */
export interface Model {
  /** Identifies the model. */
  id: string
  /** The name of the model. */
  name: string
  /** How its devices prove what they are. */
  authentication_method: 'MAC & Serial Number'
  /** Seconds without a message after which a device counts as offline. 120 unless set. */
  offline_after_seconds: number
  /** When it was created. */
  created_at: string
}

/** What to change about a model; what is absent stays. */
export interface ModelChange {
  /** The name of the model. */
  name?: string | undefined
  /** Seconds without a message after which a device counts as offline. 120 unless set. */
  offline_after_seconds?: number | undefined
}

/** An OpenAPI 3.1 document; the message is its schema `Telemetry`. */
export interface ModelDocument {
  [key: string]: unknown
}

/** A page of a list: see `Model`. */
export interface ModelList {
  /** The items of this page. */
  items: Model[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** Who did it, with the name while the person, application or API key exists. */
export interface NamedActor {
  /** What did it, such as `user`, `application` or `device`. */
  kind: string
  /** Identifies the named actor. */
  id?: string | undefined
  /** The name of who did it. */
  name?: string | undefined
}

/** An audit event, with the name of who did it. */
export interface NamedAuditEvent {
  /** Identifies the named audit event. */
  id: string
  /** What happened. */
  type:
    | 'api_key.changed'
    | 'api_key.created'
    | 'api_key.expiring'
    | 'api_key.revoked'
    | 'api_key.rotated'
    | 'application.changed'
    | 'application.created'
    | 'application.disabled'
    | 'application.enabled'
    | 'application_request.approved'
    | 'application_request.refused'
    | 'application_request.requested'
    | 'application_request.withdrawn'
    | 'approval.changed'
    | 'approval.declined'
    | 'approval.given'
    | 'approval.permissions_changed'
    | 'approval.requested'
    | 'approval.withdrawn'
    | 'authorization_code.reused'
    | 'client_secret.rotated'
    | 'client_secret.rotation_requested'
    | 'command.canceled'
    | 'command.created'
    | 'command.finished'
    | 'customer.created'
    | 'customer.renamed'
    | 'customer.second_factor_policy_changed'
    | 'data.exported'
    | 'database.loss_accepted'
    | 'device.changed'
    | 'device.claim_failed'
    | 'device.claimed'
    | 'device.registered'
    | 'device.registered_again'
    | 'device.removed'
    | 'device.replace_opened'
    | 'device.updated'
    | 'grant.connected'
    | 'grant.opened'
    | 'grant.revoked'
    | 'group.created'
    | 'group.deleted'
    | 'group.member_added'
    | 'group.member_removed'
    | 'group.renamed'
    | 'group.roles_changed'
    | 'hardware_key.added'
    | 'hardware_key.revoked'
    | 'hub_cell.added'
    | 'hub_cell.addresses_changed'
    | 'hub_cell.buckets_moved'
    | 'hub_cell.drained'
    | 'hub_cell.opened'
    | 'hub_cell.removed'
    | 'key.guessing_limited'
    | 'member.added'
    | 'member.changed'
    | 'member.invitation_ended'
    | 'member.invitation_link_ended'
    | 'member.invitation_link_made'
    | 'member.invitation_withdrawn'
    | 'member.invited'
    | 'member.joined'
    | 'member.removed'
    | 'member.roles_changed'
    | 'member.second_factor_reset'
    | 'member.second_factor_reset_cancelled'
    | 'member.second_factor_reset_confirmed'
    | 'member.second_factor_reset_requested'
    | 'member.sessions_ended'
    | 'model.changed'
    | 'model.commands_changed'
    | 'model.created'
    | 'model.dictionary_changed'
    | 'partner.changed'
    | 'partner.created'
    | 'partner_domain.entered'
    | 'partner_domain.lost'
    | 'partner_domain.removed'
    | 'partner_domain.verified'
    | 'partner_member.removed'
    | 'password.reset'
    | 'password.reset_link_ended'
    | 'password.reset_link_made'
    | 'presentation_change.approved'
    | 'presentation_change.refused'
    | 'presentation_change.requested'
    | 'presentation_change.withdrawn'
    | 'refresh_token.replayed'
    | 'session.ended'
    | 'session.others_ended'
    | 'session.proof_failed'
    | 'session.proved'
    | 'session.second_factor_failed'
    | 'session.sign_in_failed'
    | 'session.signed_in'
    | 'session.signed_out'
    | 'session.signed_out_everywhere'
    | 'settings.changed'
    | 'settings.template_changed'
    | 'signing_key.added'
    | 'signing_key.removed'
    | 'space.changed'
    | 'space.created'
    | 'space.deleted'
    | 'user.email_changed'
    | 'user.email_released'
    | 'user.email_verified'
    | 'user.passkey_added'
    | 'user.passkey_removed'
    | 'user.password_change_failed'
    | 'user.password_changed'
    | 'user.recovery_code_used'
    | 'user.recovery_codes_created'
    | 'user.sessions_ended'
    | 'user.totp_enabled'
    | 'user.totp_removed'
    | 'webhook.changed'
    | 'webhook.created'
    | 'webhook.deleted'
    | 'webhook.disabled'
    | 'webhook.secret_rotated'
  /** When it happened. */
  at: string
  actor: NamedActor
  /** The partner. */
  partner_id?: string | undefined
  /** The `client_id` of the application. */
  application_id?: string | undefined
  /** The customer. */
  customer_id?: string | undefined
  /** The device. */
  device_id?: string | undefined
  /** What else is known about it. */
  details: {
    [key: string]: unknown
  }
}

/** A page of a list: see `NamedAuditEvent`. */
export interface NamedAuditEventList {
  /** The items of this page. */
  items: NamedAuditEvent[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
  /** The current names, by id, of the people, devices, applications and other things that the events of this page mention; of a space its path, `Building A / Floor 2`. What no longer exists, or is not known to the caller, is missing. */
  names: {
    [key: string]: string
  }
}

/** The first person of the partner. */
export interface NewAdministrator {
  /** The name of the administrator. */
  name: string
  /** The email address of the person. */
  email: string
  /** The first password; the person can change it. */
  password: string
}

/** An API key to create. */
export interface NewApiKey {
  /** What the key is for. */
  name: string
  /** Who or what uses it. */
  used_by?: string | null | undefined
  /** An instant after which it no longer works. Null: it works until it is revoked. At most 1,830 days ahead. */
  expires_at?: string | null | undefined
  /** What it may do. Null: everything but commands to devices. */
  permissions?: Permissions | null | undefined
  /** The spaces to which devices, spaces and audit are limited, each with everything below it. A space that was deleted covers nothing. Null: everywhere. */
  within?: string[] | null | undefined
}

/** An application to register. */
export interface NewApplication {
  /** The name of the application. */
  name: string
  /** An https address, shown beside the name. */
  home_page?: string | null | undefined
  /** Absolute, without a fragment, https except on a loopback host. Stored and compared byte for byte. */
  redirect_uris: string[]
  /** The algorithm that signs its id_tokens. */
  id_token_alg?: 'RS256' | 'ES256' | undefined
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions?: RequestedPermissions | null | undefined
}

/** A new client secret. */
export interface NewClientSecret {
  /** The secret of the application. Returned only this once. */
  client_secret: string
  /** When the previous secret stops working. */
  previous_expires_at: string
}

/** A command that the model of the device declares. */
export interface NewCommand {
  /** Lower-case letters, digits and underscores, beginning with a letter; 64 characters or fewer. */
  name: string
  /** Values for what the model declares, by key; 16,384 bytes or fewer as JSON. */
  parameters?:
    | {
        [key: string]: unknown
      }
    | undefined
  /** Seconds after which it is no longer handed out, instead of those that the model declares. */
  expires_after?: number | undefined
}

/** A command for many devices: each is judged by its own model. */
export interface NewCommands {
  /** The devices, by id. */
  device_ids: string[]
  /** Lower-case letters, digits and underscores, beginning with a letter; 64 characters or fewer. */
  name: string
  /** Values for what the model declares, by key; 16,384 bytes or fewer as JSON. */
  parameters?:
    | {
        [key: string]: unknown
      }
    | undefined
  /** Seconds after which it is no longer handed out, instead of those that the model declares. */
  expires_after?: number | undefined
}

/** A customer to create. */
export interface NewCustomer {
  /** The partner. */
  partner_id: string
  /** The name of the customer. */
  name: string
}

/** A view to save. */
export interface NewDeviceView {
  /** The name of the device view. */
  name: string
  query: DeviceViewQuery
}

/** A group to create, or its new name. */
export interface NewGroup {
  /** The name of the group. */
  name: string
}

/** The person to invite. */
export interface NewInvitation {
  /** The email address of the person. */
  email: string
  /** The name of the person, if it was given. */
  name?: string | undefined
  role: Role
  /** Ids of the groups that the person will join. */
  groups?: string[] | undefined
  /** Whether the person will see devices and spaces in the portal as a member. A token or an API key cannot set it. */
  can_view_devices?: boolean | undefined
}

/** A model to create. */
export interface NewModel {
  /** The name of the model. */
  name: string
  /** How its devices prove what they are. */
  authentication_method: 'MAC & Serial Number'
  /** Seconds without a message after which a device counts as offline. 120 unless set. */
  offline_after_seconds?: number | undefined
}

/** A partner to create. */
export interface NewPartner {
  /** The name of the partner. */
  name: string
  /** `host[:port]`, in lower case. */
  portal_domain: string | null
  admin: NewAdministrator
}

/** An API key to create. */
export interface NewPartnerApiKey {
  /** The name of the partner api key. */
  name: string
  /** Who or what uses it. */
  used_by?: string | null | undefined
  /** An instant after which it no longer works. Null: it works until it is revoked. At most 1,830 days ahead. */
  expires_at?: string | null | undefined
}

/** The domain to verify. */
export interface NewPartnerDomain {
  /** Such as `acme.com`, without a host or path. */
  domain: string
}

/** A role in a space; null: everywhere. */
export interface NewRole {
  role: SpaceRole
  /** The space of the device; null for none. */
  space_id: string | null
}

/** The roles that replace those of before. */
export interface NewRoles {
  /** All of them, one per space. */
  roles: NewRole[]
}

/** A template to create. */
export interface NewSettingTemplate {
  /** The model of the device. */
  model_id: string
  /** It counts in this space and everywhere below it; null: everywhere. */
  space_id?: string | null | undefined
  /** What the devices should have, by data point. */
  values: {
    [key: string]: number | string | boolean
  }
}

/** A signing key to add. */
export interface NewSigningKey {
  /** The algorithm of the signature. */
  alg?: 'RS256' | 'ES256' | undefined
}

/** A space to create. */
export interface NewSpace {
  /** The name of the space. */
  name: string
  /** The space it stands in; null at the top of the tree. */
  parent_id?: string | null | undefined
  /** Allowed only with an application's token. */
  synced?: boolean | undefined
}

/** A user to add to a customer. */
export interface NewUser {
  /** The name of the person. */
  name: string
  /** The email address of the person. */
  email: string
  /** The first password; the person can change it. */
  password: string
  role: Role
  /** Names. A group that does not exist is created. */
  groups?: string[] | undefined
}

/** A webhook to add. */
export interface NewWebhook {
  /** Absolute https; no loopback, private or reserved address. */
  url: string
  /** A note of your own about it. */
  description?: string | null | undefined
  /** The types of event that are sent. */
  events: (
    | 'device.registered'
    | 'device.updated'
    | 'device.claimed'
    | 'device.removed'
    | 'device.status_changed'
    | 'device.command'
    | 'grant.revoked'
    | 'grant.connected'
    | 'approval.requested'
    | 'approval.given'
    | 'approval.withdrawn'
    | 'application.disabled'
    | 'api_key.expiring'
  )[]
}

/** A new webhook secret. */
export interface NewWebhookSecret {
  /** Returned only this once: the `whsec_…` secret of Standard Webhooks. Stored encrypted, since it signs every delivery. */
  secret: string
  /** Until when the previous secret also signs; null for none. */
  previous_secret_expires_at: string | null
}

/** The organization itself. */
export interface OrganizationInfo {
  /** Identifies the organization. */
  id: string
  /** The name of the organization. */
  name: string
  /** A partner's tenant for tests. */
  lab: boolean
  /** When it was created. */
  created_at: string
  counts: OrganizationCounts
}

/** Something that happened in an organization, kept for good. */
export interface OrganizationAuditEvent {
  /** Identifies the organization audit event. */
  id: string
  /** What happened. */
  type:
    | 'api_key.changed'
    | 'api_key.created'
    | 'api_key.expiring'
    | 'api_key.revoked'
    | 'api_key.rotated'
    | 'approval.changed'
    | 'approval.declined'
    | 'approval.given'
    | 'approval.permissions_changed'
    | 'approval.requested'
    | 'approval.withdrawn'
    | 'authorization_code.reused'
    | 'command.canceled'
    | 'command.created'
    | 'command.finished'
    | 'customer.created'
    | 'customer.renamed'
    | 'customer.second_factor_policy_changed'
    | 'data.exported'
    | 'device.changed'
    | 'device.claim_failed'
    | 'device.claimed'
    | 'device.removed'
    | 'device.replace_opened'
    | 'device.updated'
    | 'grant.connected'
    | 'grant.opened'
    | 'grant.revoked'
    | 'group.created'
    | 'group.deleted'
    | 'group.member_added'
    | 'group.member_removed'
    | 'group.renamed'
    | 'group.roles_changed'
    | 'member.added'
    | 'member.changed'
    | 'member.invitation_ended'
    | 'member.invitation_link_ended'
    | 'member.invitation_link_made'
    | 'member.invitation_withdrawn'
    | 'member.invited'
    | 'member.joined'
    | 'member.removed'
    | 'member.second_factor_reset'
    | 'member.second_factor_reset_cancelled'
    | 'member.second_factor_reset_confirmed'
    | 'member.second_factor_reset_requested'
    | 'member.roles_changed'
    | 'member.sessions_ended'
    | 'partner.created'
    | 'password.reset_link_ended'
    | 'password.reset_link_made'
    | 'refresh_token.replayed'
    | 'settings.changed'
    | 'settings.template_changed'
    | 'space.changed'
    | 'space.created'
    | 'space.deleted'
  /** When it happened. */
  at: string
  actor: Actor
  /** The partner. */
  partner_id?: string | undefined
  /** The `client_id` of the application. */
  application_id?: string | undefined
  /** The customer. */
  customer_id?: string | undefined
  /** The device. */
  device_id?: string | undefined
  /** What else is known about it. */
  details: {
    [key: string]: unknown
  }
}

/** A page of a list: see `OrganizationAuditEvent`. */
export interface OrganizationAuditEventList {
  /** The items of this page. */
  items: OrganizationAuditEvent[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
  /** The current names, by id, of the people, devices, applications and other things that the events of this page mention; of a space its path, `Building A / Floor 2`. What no longer exists, or is not known to the caller, is missing. */
  names: {
    [key: string]: string
  }
}

/** How much there is of everything. */
export interface OrganizationCounts {
  /** The number of users. */
  users: number
  /** The number of groups. */
  groups: number
  /** The number of spaces. */
  spaces: number
  /** Counted up to 100000 in each status. */
  devices: number
  devices_by_status: DeviceCounts
}

/** The rates and quotas of the caller’s tenant, and how much of them is used. */
export interface OwnLimits {
  /** Calls per time. */
  rates: UsedRate[]
  /** How many of each thing there may be. */
  quotas: UsedQuota[]
}

/** What the caller may do. */
export interface OwnPermissions {
  /** A token and an API key have one entry, a person one per role. */
  reach: CallerAllowance[]
}

/** A partner: a company that builds applications and devices. */
export interface Partner {
  /** Identifies the partner. */
  id: string
  /** The name of the partner. */
  name: string
  /** `host[:port]`, in lower case. */
  portal_domain: string | null
  /** When it was created. */
  created_at: string
}

/** An API key, without the key itself. */
export interface PartnerApiKey {
  /** Identifies the partner api key. */
  id: string
  /** The name of the partner api key. */
  name: string
  /** Who or what uses it. */
  used_by: string | null
  /** The first characters of the key. */
  hint: string
  /** An instant after which it no longer works. Null: it works until it is revoked. */
  expires_at: string | null
  /** It no longer works. It is listed for 30 days after its expiry. */
  expired: boolean
  /** The key of its rotation. */
  replaced_by: string | null
  /** The user who created it; null when the account is gone. */
  created_by: string | null
  /** When it was created. */
  created_at: string
  /** When it was last used; null before the first time. */
  last_used_at: string | null
}

/** What to change about an API key; what is absent stays. */
export interface PartnerApiKeyChange {
  /** The name of the partner api key. */
  name?: string | undefined
  /** Who or what uses it. */
  used_by?: string | null | undefined
  /** An instant after which it no longer works. Null: it works until it is revoked. At most 1,830 days ahead. */
  expires_at?: string | null | undefined
}

/** A page of a list: see `PartnerApiKey`. */
export interface PartnerApiKeyList {
  /** The items of this page. */
  items: PartnerApiKey[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** Something that concerns a partner, kept for good. */
export interface PartnerAuditEvent {
  /** Identifies the partner audit event. */
  id: string
  /** What happened. */
  type:
    | 'api_key.changed'
    | 'api_key.created'
    | 'api_key.expiring'
    | 'api_key.revoked'
    | 'api_key.rotated'
    | 'application.changed'
    | 'application.created'
    | 'application.disabled'
    | 'application.enabled'
    | 'application_request.approved'
    | 'application_request.refused'
    | 'application_request.requested'
    | 'application_request.withdrawn'
    | 'client_secret.rotated'
    | 'client_secret.rotation_requested'
    | 'customer.created'
    | 'data.exported'
    | 'device.claimed'
    | 'device.registered'
    | 'device.registered_again'
    | 'device.removed'
    | 'device.replace_opened'
    | 'device.updated'
    | 'hardware_key.added'
    | 'hardware_key.revoked'
    | 'member.invitation_ended'
    | 'member.invitation_link_ended'
    | 'member.invitation_link_made'
    | 'member.invitation_withdrawn'
    | 'member.invited'
    | 'member.joined'
    | 'model.changed'
    | 'model.commands_changed'
    | 'model.created'
    | 'model.dictionary_changed'
    | 'partner.changed'
    | 'partner.created'
    | 'partner_domain.entered'
    | 'partner_domain.lost'
    | 'partner_domain.removed'
    | 'partner_domain.verified'
    | 'partner_member.removed'
    | 'presentation_change.approved'
    | 'presentation_change.refused'
    | 'presentation_change.requested'
    | 'presentation_change.withdrawn'
    | 'webhook.changed'
    | 'webhook.created'
    | 'webhook.deleted'
    | 'webhook.disabled'
    | 'webhook.secret_rotated'
  /** When it happened. */
  at: string
  actor: Actor
  /** The partner. */
  partner_id?: string | undefined
  /** The `client_id` of the application. */
  application_id?: string | undefined
  /** The customer. */
  customer_id?: string | undefined
  /** The device. */
  device_id?: string | undefined
  /** What else is known about it. */
  details: {
    [key: string]: unknown
  }
}

/** A page of a list: see `PartnerAuditEvent`. */
export interface PartnerAuditEventList {
  /** The items of this page. */
  items: PartnerAuditEvent[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
  /** The current names, by id, of the people, devices, applications and other things that the events of this page mention; of a space its path, `Building A / Floor 2`. What no longer exists, or is not known to the caller, is missing. */
  names: {
    [key: string]: string
  }
}

/** What to change about the pages of the partner; what is absent stays. */
export interface PartnerBranding {
  /** The name of the partner branding. */
  name?: string | undefined
  /** `#rrggbb` */
  accent_color?: string | null | undefined
  /** The logo; null for none. */
  logo?: Logo | null | undefined
}

/** What to change about a partner; what is absent stays. */
export interface PartnerChange {
  /** The name of the partner. */
  name?: string | undefined
  /** `host[:port]`, in lower case. */
  portal_domain?: string | null | undefined
}

/** A device as its partner sees it, without account data of the customer. */
export interface PartnerDevice {
  /** Identifies the partner device. */
  id: string
  /** The model of the device. */
  model_id: string
  /** The MAC address of the device. */
  mac: string
  /** The serial number of the device. */
  sn: string
  /** The firmware, as a semantic version. */
  firmware_version: string
  status: DeviceStatus
  /** Since when it has this status. */
  status_at: string
  /** Why the device needs attention; null while it is well. */
  reason: DeviceReason | null
  /** The alarm of a device that is online or reports an error. */
  alarm: AlarmValue | null
  /** When its last message arrived; null before the first. */
  last_seen_at: string | null
  /** When the device registered. */
  registered_at: string
  /** When a customer claimed it; null while nobody did. */
  claimed_at: string | null
  /** Until when the device may register again; null while it may not. */
  replace_until: string | null
  /** Whether a customer claimed the device. */
  claimed: boolean
}

/** A page of a list: see `PartnerDevice`. */
export interface PartnerDeviceList {
  /** The items of this page. */
  items: PartnerDevice[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A device as its partner sees it, with its state. */
export interface PartnerDeviceWithState {
  /** Identifies the partner device. */
  id: string
  /** The model of the device. */
  model_id: string
  /** The MAC address of the device. */
  mac: string
  /** The serial number of the device. */
  sn: string
  /** The firmware, as a semantic version. */
  firmware_version: string
  status: DeviceStatus
  /** Since when it has this status. */
  status_at: string
  /** Why the device needs attention; null while it is well. */
  reason: DeviceReason | null
  /** The alarm of a device that is online or reports an error. */
  alarm: AlarmValue | null
  /** When its last message arrived; null before the first. */
  last_seen_at: string | null
  /** When the device registered. */
  registered_at: string
  /** When a customer claimed it; null while nobody did. */
  claimed_at: string | null
  /** Until when the device may register again; null while it may not. */
  replace_until: string | null
  /** Whether a customer claimed the device. */
  claimed: boolean
  /** The latest value of every data point, with its instant. */
  state: {
    [key: string]: DataPointValue
  }
}

/** The domain that customers see beside the name of the partner, once verified. */
export interface PartnerDomain {
  /** In ASCII, as people see it. Null: none was entered. */
  domain: string | null
  /** Where to publish the TXT record. */
  record_name: string | null
  /** What the TXT record has to contain. */
  record_value: string | null
  /** Null: not verified. Customers are told so. */
  verified_at: string | null
  /** When the service last looked for the record. */
  checked_at: string | null
  /** Of the last check. `unreachable`: DNS gave no answer, which says nothing about the record. */
  result: 'found' | 'missing' | 'unreachable' | null
  /** When the verification ends unless the record is found before. */
  ends_at: string | null
}

/** The partner itself. */
export interface PartnerInfo {
  /** Identifies the partner info. */
  id: string
  /** The name of the partner. */
  name: string
  /** Set by the operator. */
  portal_domain: string | null
  /** `#rrggbb` */
  accent_color: string | null
  /** The path of the logo. */
  logo: string | null
  /** The tenant of the partner for tests. */
  lab_customer_id: string | null
  /** What the partner asked to change of what people see, while it waits or once it was refused. Null: nothing. */
  requested_change: RequestedChange | null
  /** When it was created. */
  created_at: string
}

/** A pending invitation to a partner. */
export interface PartnerInvitation {
  /** Identifies the partner invitation. */
  id: string
  /** The email address of the person. */
  email: string
  /** The name of the person, if it was given. */
  name: string | null
  /** False until somebody creates its link: where this service sends no mail, a token or an API key invites without one. */
  has_link: boolean
  made_by: InvitationMaker
  /** When it was created. */
  created_at: string
  /** When it stops working. */
  expires_at: string
}

/** A page of a list: see `PartnerInvitation`. */
export interface PartnerInvitationList {
  /** The items of this page. */
  items: PartnerInvitation[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A pending invitation to a partner, with its link. */
export interface PartnerInvitationWithLink {
  /** Identifies the partner invitation. */
  id: string
  /** The email address of the person. */
  email: string
  /** The name of the person, if it was given. */
  name: string | null
  /** False until somebody creates its link: where this service sends no mail, a token or an API key invites without one. */
  has_link: boolean
  made_by: InvitationMaker
  /** When it was created. */
  created_at: string
  /** When it stops working. */
  expires_at: string
  /** Returned only this once: hand it to the person. Single use, valid for seven days. */
  link: string
  /** Whether the link was also mailed to the person; false where this service sends no mail. */
  mailed: boolean
}

/** A page of a list: see `Partner`. */
export interface PartnerList {
  /** The items of this page. */
  items: Partner[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A person who works for a partner. */
export interface PartnerMember {
  /** Identifies the partner member. */
  id: string
  /** The email address of the person. */
  email: string
  /** The name of the person. */
  name: string
  /** When it was created. */
  created_at: string
}

/** A page of a list: see `PartnerMember`. */
export interface PartnerMemberList {
  /** The items of this page. */
  items: PartnerMember[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A partner that the person works for. */
export interface PartnerMembership {
  /** Identifies the partner membership. */
  id: string
  /** The name of the partner membership. */
  name: string
}

/** Which steps of an integration are done, from what there is. */
export interface PartnerProgress {
  /** Whether the operator has registered an application. */
  application_registered: boolean
  /** Whether a customer has approved one of the applications. */
  application_approved: boolean
  /** Whether there is a model. */
  model_added: boolean
  /** Whether a device has registered and was not removed. */
  device_registered: boolean
  /** Whether such a device has sent telemetry. */
  telemetry_received: boolean
  /** Whether a customer, such as the lab tenant, has claimed a device. */
  device_claimed: boolean
  /** Whether there is a webhook. */
  webhook_added: boolean
  /** Whether the partner has more than one member. */
  colleague_joined: boolean
}

/** A one-time link to set a new password. */
export interface PasswordReset {
  /** Returned only this once: hand it to the person. Single use, valid for a day. */
  link: string
  /** When it stops working. */
  expires_at: string
  /** Whether the link was also mailed to the person; false where this service sends no mail. */
  mailed: boolean
}

/** A reset of a person’s second factors that waits for its time. */
export interface PendingSecondFactorReset {
  /** When it was asked for. */
  asked_at: string
  /** When the second factors are removed. */
  takes_effect_at: string
}

/** The level in each area; a level includes the ones before it. See /docs/permissions. */
export interface Permissions {
  /** Devices, their state and history. */
  devices: 'none' | 'read' | 'manage' | 'command'
  /** The tree of spaces. */
  spaces: 'none' | 'read' | 'manage'
  /** Users, groups and invitations. */
  people: 'none' | 'read' | 'manage'
  /** The audit log. */
  audit: 'none' | 'read'
}

/** A space of a permission, which counts in it and everything below it. */
export interface PermittedSpace {
  /** Identifies the permitted space. */
  id: string
  /** Null: the space was deleted, and covers nothing. */
  name: string | null
}

/** A person with an account on this service. */
export interface Person {
  /** Identifies the person. */
  id: string
  /** The email address of the person. */
  email: string
  /** The name of the person. */
  name: string
  /** Whether the address is proven to be theirs. */
  email_verified: boolean
  /** When it was created. */
  created_at: string
}

/** A person, with their memberships and whether they are signed in. */
export interface PersonDetails {
  /** Identifies the person details. */
  id: string
  /** The email address of the person. */
  email: string
  /** The name of the person details. */
  name: string
  /** Whether the address is proven to be theirs. */
  email_verified: boolean
  /** When it was created. */
  created_at: string
  sign_in: SignInState
  /** The customers that the person belongs to. */
  customers: PersonMembership[]
  /** The partners that the person works for. */
  partners: PartnerMembership[]
}

/** A page of a list: see `Person`. */
export interface PersonList {
  /** The items of this page. */
  items: Person[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A customer that the person belongs to. */
export interface PersonMembership {
  /** Identifies the person membership. */
  id: string
  /** The name of the person membership. */
  name: string
  /** Whether it is the tenant of a partner for tests. */
  lab: boolean
  role: Role
  /** False: the person cannot act for the organization. */
  active: boolean
}

/** The revision that was looked at. */
export interface PresentationApproval {
  /** Grows whenever the partner changes its request. */
  revision: number
}

/** A change of what people see that waits for the operator. */
export interface PresentationChange {
  /** Identifies the presentation. */
  id: string
  /** Grows whenever the partner changes its request. */
  revision: number
  /** The partner. */
  partner_id: string
  /** The partner that makes it. */
  partner_name: string
  /** The domain that this partner has proven to be its own. Null: none. */
  partner_domain: string | null
  /** The application. Null: the partner itself. */
  client_id: string | null
  current: CurrentLook
  /** What is to change. A null home page or logo among them is to be removed; null permissions ask for everything. */
  fields: ('name' | 'home_page' | 'logo' | 'requested_permissions')[]
  /** The wanted name, if it is among the fields. */
  name: string | null
  /** The wanted home page, if it is among the fields. */
  home_page: string | null
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions: RequestedPermissions | null
  /** When the person asked. */
  requested_at: string
}

/** A page of a list: see `PresentationChange`. */
export interface PresentationChangeList {
  /** The items of this page. */
  items: PresentationChange[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A change that waits, with the wanted logo. */
export interface PresentationChangeWithLogo {
  /** Identifies the presentation change. */
  id: string
  /** Grows whenever the partner changes its request. */
  revision: number
  /** The partner. */
  partner_id: string
  /** The partner that makes it. */
  partner_name: string
  /** The domain that this partner has proven to be its own. Null: none. */
  partner_domain: string | null
  /** The application. Null: the partner itself. */
  client_id: string | null
  current: CurrentLook
  /** What is to change. A null home page or logo among them is to be removed; null permissions ask for everything. */
  fields: ('name' | 'home_page' | 'logo' | 'requested_permissions')[]
  /** The wanted name, if it is among the fields. */
  name: string | null
  /** The wanted home page, if it is among the fields. */
  home_page: string | null
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions: RequestedPermissions | null
  /** When the person asked. */
  requested_at: string
  /** The logo; null for none. */
  logo: Logo | null
}

/** The revision that was looked at, and why it is refused. */
export interface PresentationRefusal {
  /** Grows whenever the partner changes its request. */
  revision: number
  /** Shown to the partner. */
  reason: string
}

/** How many of a thing there may be. */
export interface Quota {
  /** As in `LANDBRIDGE_QUOTAS`. */
  name: string
  /** What is limited. */
  what: string
  /** What may have that many. */
  per: string
  /** The largest value. */
  max: number
}

/** A limit of requests per time. */
export interface RateLimit {
  /** What is limited. */
  what: string
  /** What the limit is counted by: an address, an application, an account … */
  per: string
  /** Requests in that time. */
  max: number
  /** The time in which it is counted. */
  window_seconds: number
}

/** A rate or quota that a tenant has used to 80% or more, or beyond. */
export interface ReachedLimit {
  tenant: LimitedTenant
  /** Of the rate or quota. */
  name: string
  /** What is limited. */
  what: string
  /** When it was last reached. */
  used: number
  /** When it was last reached. */
  max: number
  /** Whose rate it is; null where all callers of the tenant share it. */
  caller: LimitedCaller | null
  /** When 80% of it were last used, or more. */
  reached_at: string
  /** When a call was last refused because of it; null if none was. */
  refused_at: string | null
  /** Refused calls for a quota; for a rate, minutes with refused calls, once for each process. */
  refusals: number
}

/** Rates and quotas that tenants have nearly or fully used. */
export interface ReachedLimits {
  /** The items. */
  items: ReachedLimit[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: null
}

/** A mail to a person. */
export interface ReadableMail {
  /** The part before the @ of its `Message-ID`. */
  id: string
  /** What it is about, such as invitation, welcome, password_reset. */
  kind: string
  /** To whom, in lower case. */
  recipient: string
  /** Its subject, on one line. */
  subject: string
  /** `queued`: waits for its first or next attempt. `dropped`: never attempted, `failure` says why. `kept`: not sent, but readable here, in a lab without a mail server. */
  state: 'queued' | 'sent' | 'failed' | 'dropped' | 'kept'
  /** The user. */
  user_id: string | null
  /** The customer. */
  customer_id: string | null
  /** When it was created. */
  created_at: string
  /** It is given up then: its link or code has expired, or a day is over. */
  useful_until: string
  /** Attempts so far. */
  attempts: number
  /** When the last attempt was made; null before the first. */
  attempted_at: string | null
  /** An attempt is being made now. */
  under_way: boolean
  /** When it is tried again; null when it will not be, or is just being sent. */
  next_attempt_at: string | null
  /** Why the last attempt failed, or why there was none. */
  failure: string | null
  /** The last words of the mail server. What it repeats of the mail is left out. */
  response: string | null
  /** What it says. Null, except in a lab without a mail server. */
  content: MailContent | null
}

/** An application, with its partner. */
export interface RegisteredApplication {
  /** The id of the application. */
  client_id: string
  /** The name of the application. */
  name: string
  /** An https address, shown beside the name; null for none. */
  home_page: string | null
  /** The path of the logo; it changes with the logo. */
  logo: string | null
  /** Where a person may be sent back to, byte for byte. */
  redirect_uris: string[]
  /** The algorithm that signs its id_tokens. */
  id_token_alg: 'RS256' | 'ES256'
  /** Set by the operator. */
  enabled: boolean
  /** The valid secrets, oldest first; only their first characters. */
  secrets: ClientSecretHint[]
  /** When the partner asked for a new secret; null if it did not. */
  secret_rotation_requested_at: string | null
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions: RequestedPermissions | null
  /** What the partner asked to change of what people see, while it waits or once it was refused. Null: nothing. */
  requested_change: RequestedChange | null
  /** When it was created. */
  created_at: string
  /** The partner. */
  partner_id: string
}

/** What to change about an application; what is absent stays. */
export interface RegisteredApplicationChange {
  /** Whether it is in use. */
  enabled?: boolean | undefined
  /** The name of the application. */
  name?: string | undefined
  /** An https address, shown beside the name. */
  home_page?: string | null | undefined
  /** The logo; null for none. */
  logo?: Logo | null | undefined
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions?: RequestedPermissions | null | undefined
  /** Absolute, without a fragment, https except on a loopback host. Stored and compared byte for byte. */
  redirect_uris?: string[] | undefined
}

/** A page of a list: see `RegisteredApplication`. */
export interface RegisteredApplicationList {
  /** The items of this page. */
  items: RegisteredApplication[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** How long the device may register again. */
export interface ReplaceWindow {
  /** Until when the device may register again. */
  replace_until: string
}

/** Who may connect the application: everyone unless told otherwise. */
export interface RequestApproval {
  /** Who may connect the application. */
  policy?:
    | {
        /** What kind it is. */
        kind: 'everyone' | 'administrators'
      }
    | {
        /** What kind it is. */
        kind: 'group'
        /** The group. */
        group_id: string
      }
    | undefined
}

/** The application to approve. */
export interface RequestedApplication {
  /** The id of the application. */
  client_id: string
  /** The name of the requested application. */
  name: string
  /** The partner that makes it. */
  partner_name: string
  /** The domain that this partner has proven to be its own. Null: none. */
  partner_domain: string | null
  /** An https address, shown beside the name; null for none. */
  home_page: string | null
  /** The path of the logo. */
  logo: string | null
}

/** A change of what people see that waits for the operator, or was refused. */
export interface RequestedChange {
  /** Identifies the requested. */
  id: string
  /** Grows whenever the partner changes its request. */
  revision: number
  /** What is to change. A null home page or logo among them is to be removed; null permissions ask for everything. */
  fields: ('name' | 'home_page' | 'logo' | 'requested_permissions')[]
  /** The wanted name, if it is among the fields. */
  name: string | null
  /** The wanted home page, if it is among the fields. */
  home_page: string | null
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions: RequestedPermissions | null
  /** When the person asked. */
  requested_at: string
  /** When the operator refused it. Null: it waits for the operator. */
  refused_at: string | null
  /** Why the operator refused it. */
  reason: string | null
}

/** A requested change, with the wanted logo. */
export interface RequestedChangeWithLogo {
  /** Identifies the requested change. */
  id: string
  /** Grows whenever the partner changes its request. */
  revision: number
  /** What is to change. A null home page or logo among them is to be removed; null permissions ask for everything. */
  fields: ('name' | 'home_page' | 'logo' | 'requested_permissions')[]
  /** The wanted name, if it is among the fields. */
  name: string | null
  /** The wanted home page, if it is among the fields. */
  home_page: string | null
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions: RequestedPermissions | null
  /** When the person asked. */
  requested_at: string
  /** When the operator refused it. Null: it waits for the operator. */
  refused_at: string | null
  /** Why the operator refused it. */
  reason: string | null
  /** The logo; null for none. */
  logo: Logo | null
}

/** A level and the reason for it. */
export interface RequestedForAudit {
  /** It includes the ones before it. */
  level: 'none' | 'read'
  /** Why, shown to people at consent. */
  reason: string
}

/** A level and the reason for it. */
export interface RequestedForDevices {
  /** It includes the ones before it. */
  level: 'none' | 'read' | 'manage' | 'command'
  /** Why, shown to people at consent. */
  reason: string
}

/** A level and the reason for it. */
export interface RequestedLevel {
  /** It includes the ones before it. */
  level: 'none' | 'read' | 'manage'
  /** Why, shown to people at consent. */
  reason: string
}

/** What an application asks for, with a reason for each that people see at consent. An area that is absent, or whose level is `none`, is not asked for; `{}` is for one that only signs people in. Null asks for everything but commands to devices. See /docs/permissions. */
export interface RequestedPermissions {
  devices?: RequestedForDevices | undefined
  spaces?: RequestedLevel | undefined
  people?: RequestedLevel | undefined
  audit?: RequestedForAudit | undefined
}

/** The role of a person in a customer. */
export type Role = 'administrator' | 'member'

/** A role in a space and everything below it; without a space, everywhere. */
export interface RoleInSpace {
  role: SpaceRole
  /** The space of the device; null for none. */
  space_id: string | null
  /** The names of the space and those above it, from the top. */
  space_path: string[]
}

/** What a user or a group was given itself, everywhere first. */
export interface Roles {
  /** One per space. */
  roles: RoleInSpace[]
}

/** The API key that replaces another, with the key itself. */
export interface RotatedApiKey {
  /** Identifies the rotated api key. */
  id: string
  /** The name of the rotated api key. */
  name: string
  /** Who or what uses it. */
  used_by: string | null
  /** The first characters of the key. */
  hint: string
  /** An instant after which it no longer works. Null: it works until it is revoked. */
  expires_at: string | null
  /** It no longer works. It is listed for 30 days after its expiry. */
  expired: boolean
  /** The key of its rotation. */
  replaced_by: string | null
  /** The user who created it; null when the account is gone. */
  created_by: string | null
  /** When it was created. */
  created_at: string
  /** When it was last used; null before the first time. */
  last_used_at: string | null
  /** What it may do. Null: everything but commands to devices. */
  permissions: Permissions | null
  /** Null: everywhere. */
  within: PermittedSpace[] | null
  /** Returned only this once. Send it as `Authorization: <key>`. */
  key: string
  /** Until when the key before still works. */
  previous_expires_at: string
}

/** The API key that replaces another, with the key itself. */
export interface RotatedPartnerApiKey {
  /** Identifies the rotated partner api key. */
  id: string
  /** The name of the rotated partner api key. */
  name: string
  /** Who or what uses it. */
  used_by: string | null
  /** The first characters of the key. */
  hint: string
  /** An instant after which it no longer works. Null: it works until it is revoked. */
  expires_at: string | null
  /** It no longer works. It is listed for 30 days after its expiry. */
  expired: boolean
  /** The key of its rotation. */
  replaced_by: string | null
  /** The user who created it; null when the account is gone. */
  created_by: string | null
  /** When it was created. */
  created_at: string
  /** When it was last used; null before the first time. */
  last_used_at: string | null
  /** Returned only this once. Send it as `Authorization: <key>`. */
  key: string
  /** Until when the key before still works. */
  previous_expires_at: string
}

/** How many active users have which second factor, counted up to 10,000. */
export interface SecondFactorCounts {
  /** With a passkey. */
  passkey: number
  /** With an app that shows codes, and no passkey. */
  app: number
  /** With neither. */
  none: number
  /** Of those without one, who are required to have one. */
  missing: number
}

/** That the organization requires a second factor of this person. */
export interface SecondFactorDemand {
  /** Until then nothing is refused. */
  due_at: string
  /** What the person has to do until then: nothing more, set one up, or present theirs in this session. */
  step: 'met' | 'set_up' | 'present'
}

/** Who has to have a second factor, and since when. Everybody has seven days to set one up. */
export interface SecondFactorPolicy {
  /** Who has to have a second factor: nobody, administrators, or all users. */
  policy: 'optional' | 'administrators' | 'all'
  /** Since when administrators need one; null: they do not. */
  administrators_since: string | null
  /** Since when every user needs one; null: they do not. */
  all_since: string | null
}

/** Who shall have a second factor. */
export interface SecondFactorPolicyChange {
  /** Who has to have a second factor: nobody, administrators, or all users. */
  policy: 'optional' | 'administrators' | 'all'
}

/** A reset of the second factors of a person that waits for its time. */
export interface SecondFactorReset {
  /** The administrator who asked for it. */
  asked_by: string
  /** Their name. */
  asked_by_name: string
  /** When it was asked for. */
  asked_at: string
  /** When the second factors are removed. */
  takes_effect_at: string
}

/** How long a device had each status. */
export interface SecondsByStatus {
  /** Seconds in this status. */
  never_seen: number
  /** Seconds in this status. */
  online: number
  /** Seconds in this status. */
  offline: number
  /** Seconds in this status. */
  error: number
}

/** Why the secret should be rotated. */
export interface SecretRotationRequest {
  /** A leaked secret should be rotated without an overlap. */
  reason: 'leaked' | 'lost' | 'routine'
  /** Anything the operator should know. */
  note?: string | undefined
}

/** Numbers of data points, reduced to fit a chart. */
export interface Series {
  /** The start of the range. */
  from: string
  /** The end of the range. */
  to: string
  /** The length of each interval. */
  bucket_seconds: number
  /** The intervals, by data point. */
  series: {
    [key: string]: SeriesBucket[]
  }
}

/** The values of one interval. */
export interface SeriesBucket {
  /** The start of the interval. */
  at: string
  /** The smallest value. */
  min: number
  /** The largest value. */
  max: number
  /** The average value. */
  avg: number
  /** Values in this interval. */
  count: number
}

/** The addresses and abilities of this service, as in RFC 8414 and OpenID Connect Discovery. */
export interface ServerMetadata {
  /** The public address of this service. */
  issuer: string
  /** Where a person is sent to connect an application. */
  authorization_endpoint: string
  /** Where a code or a refresh token is exchanged. */
  token_endpoint: string
  /** Who signed in. */
  userinfo_endpoint: string
  /** Where a token is revoked. */
  revocation_endpoint: string
  /** The keys that sign id_tokens. */
  jwks_uri: string
}

/** Who is signed in, and their memberships. */
export interface Session {
  user: SessionUser
  /** The customers that the person belongs to. */
  customers: CustomerMembership[]
  /** The partners that the person works for. */
  partners: PartnerMembership[]
}

/** The person who is signed in. */
export interface SessionUser {
  /** Identifies the session user. */
  id: string
  /** The name of the person. */
  name: string
  /** The email address of the person. */
  email: string
}

/** What the template of the nearest space says. */
export interface SettingOfTemplate {
  /** Identifies the setting of template. */
  id: string
  /** A number, text or a boolean, as the data dictionary of the model says. */
  value: number | string | boolean
}

/** `in_sync`: applied, and as the device reports it. `pending`: the device has not said anything yet, or reports another value. `rejected`: the device refused it. `unsupported`: the model, or this hardware, does not have it. */
export type SettingState = 'in_sync' | 'pending' | 'rejected' | 'unsupported'

/** What all devices of a model should have in a space and below it. The nearest space counts, key by key. */
export interface SettingTemplate {
  /** Identifies the setting template. */
  id: string
  /** The model of the device. */
  model_id: string
  /** The name of the model. */
  model_name: string
  /** It counts in this space and everywhere below it; null: everywhere. */
  space_id: string | null
  /** The names of its space and those above it, from the top. */
  space_path: string[]
  /** What the devices should have, by data point. */
  values: {
    [key: string]: number | string | boolean
  }
  /** When it was created. */
  created_at: string
  /** When it last changed. */
  changed_at: string
}

/** What to change about a template; new values replace all former ones. */
export interface SettingTemplateChange {
  /** It counts in this space and everywhere below it; null: everywhere. */
  space_id?: string | null | undefined
  /** What the devices should have, by data point. */
  values?:
    | {
        [key: string]: number | string | boolean
      }
    | undefined
}

/** A page of a list: see `SettingTemplate`. */
export interface SettingTemplateList {
  /** The items of this page. */
  items: SettingTemplate[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** What to change about the settings of a device. */
export interface SettingsChange {
  /** By data point; null no longer wants it. What is absent stays. */
  values: {
    [key: string]: number | string | boolean | null
  }
  /** The version that you know; 409 `settings_changed` if there is a newer one. */
  base_version?: number | undefined
}

/** The worst state of its desired settings, or `differs`: they differ from the templates for its model and space. */
export type SettingsFilter = 'in_sync' | 'pending' | 'rejected' | 'unsupported' | 'differs'

/** What came of one device. */
export interface SettingsResult {
  /** The device. */
  device_id: string
  /** 200, or the status that a call for this device alone would have had. */
  status: number
  /** With 200: the newest version of its settings. */
  version?: number | undefined
  /** What happened, for programs. */
  code?: string | undefined
  /** A sentence for people. Branch on `code`. */
  error?: string | undefined
  /** What else is known about it. */
  details?: FieldProblem[] | undefined
}

/** What came of every device. */
export interface SettingsResults {
  /** One result per device, in the order of the call. */
  results: SettingsResult[]
}

/** Who may connect it: `everyone`, `administrators`, or one `group`. Administrators always may. */
export interface SignInPolicy {
  /** `everyone`, `administrators` or `group`. */
  kind: string
  /** The group. */
  group_id: string | null
  /** The name of the group. */
  group_name: string | null
}

/** Whether the person can sign in, and is signed in. */
export interface SignInState {
  /** False until they set one; then nobody can sign in as them. */
  has_password: boolean
  /** Browsers in which the person is signed in. */
  sessions: number
  /** When they last used a session that is still valid; null for none. */
  last_seen_at: string | null
  /** When their open link to set a new password expires; null for none. */
  reset_link_expires_at: string | null
}

/** A key that signs id_tokens. */
export interface SigningKey {
  /** The id of the key, as in the key set. */
  kid: string
  /** The algorithm of the signature. */
  alg: 'RS256' | 'ES256'
  /** `published` and not signing yet, `signing`, or `retired` and still published. */
  state: 'published' | 'signing' | 'retired'
  /** When it was created. */
  created_at: string
  /** When it starts to sign. */
  signs_from: string
  /** When it stops signing; null while that is open. */
  signs_until: string | null
  /** When it leaves the key set; null while it signs. */
  published_until: string | null
}

/** All signing keys; there is one page. */
export interface SigningKeyList {
  /** The items. */
  items: SigningKey[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: null
}

/** A space of this organization: a building, a floor, a room. */
export interface Space {
  /** Identifies the space. */
  id: string
  /** The space it stands in; null at the top of the tree. */
  parent_id: string | null
  /** The name of the space. */
  name: string
  /** Kept in sync with a partner's cloud: it cannot be moved, and no other application can rename or delete it. */
  synced: boolean
  /** The application that syncs it. */
  synced_by: string | null
  /** When it was created. */
  created_at: string
}

/** What to change about a space; what is absent stays. */
export interface SpaceChange {
  /** The name of the space. */
  name?: string | undefined
  /** The space it stands in; null at the top of the tree. */
  parent_id?: string | null | undefined
  /** The application stops syncing the space. */
  synced?: false | undefined
}

/** A number or boolean that devices in a space send. */
export interface SpaceDataPoint {
  /** The name of the data point. */
  key: string
  /** What its values are; `number` where devices differ. */
  type: 'number' | 'boolean'
  /** The model that most of these devices have. */
  model_id: string
  /** Devices that have sent it. */
  devices: number
}

/** The 100 most common data points; there is one page. */
export interface SpaceDataPointList {
  /** The items. */
  items: SpaceDataPoint[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: null
}

/** Paths of spaces to find or create. */
export interface SpaceImport {
  /** One path per space, in any order; a path creates what is missing above it too. */
  paths: string[][]
}

/** What an import created. */
export interface SpaceImportResult {
  /** How many spaces were created in all. */
  created: number
  /** One per path, in the same order. */
  results: ImportedPath[]
}

/** A page of a list: see `Space`. */
export interface SpaceList {
  /** The items of this page. */
  items: Space[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A space that was found, and where it is. */
export interface SpaceMatch {
  /** Identifies the space match. */
  id: string
  /** The space it stands in; null at the top of the tree. */
  parent_id: string | null
  /** The name of the space match. */
  name: string
  /** Kept in sync with a partner's cloud: it cannot be moved, and no other application can rename or delete it. */
  synced: boolean
  /** The application that syncs it. */
  synced_by: string | null
  /** When it was created. */
  created_at: string
  /** The spaces above it, from the top of the tree down. */
  above: SpaceReference[]
}

/** The closest spaces; there is one page. */
export interface SpaceMatchList {
  /** The items. */
  items: SpaceMatch[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: null
}

/** The path of a space. */
export interface SpacePath {
  /** Names from the top of the tree down. */
  path: string[]
  /** For the last space of the path, if this call creates it. */
  synced?: boolean | undefined
}

/** One of the spaces above another. */
export interface SpaceReference {
  /** Identifies the space reference. */
  id: string
  /** The name of the space reference. */
  name: string
}

/** A `viewer` sees devices and spaces, an `operator` also changes and commands devices, a `manager` also changes spaces and sees the audit log there. */
export type SpaceRole = 'viewer' | 'operator' | 'manager'

/** A space with what is in it and below it. */
export interface SpaceSummary {
  /** Identifies the space summary. */
  id: string
  /** The space it stands in; null at the top of the tree. */
  parent_id: string | null
  /** The name of the space summary. */
  name: string
  /** Kept in sync with a partner's cloud: it cannot be moved, and no other application can rename or delete it. */
  synced: boolean
  /** The application that syncs it. */
  synced_by: string | null
  /** When it was created. */
  created_at: string
  /** The spaces above it, from the top of the tree down. */
  above: SpaceReference[]
  /** The number of spaces below it, at any depth. */
  spaces_below: number
  /** Whether a space below it is synced: it cannot be moved then. */
  synced_below: boolean
  devices: DeviceCounts
  devices_directly: DeviceCounts
}

/** The certificate that never changes, for devices that pin it. */
export interface StaticCertificate {
  /** Where devices that pin it connect. */
  url: string
  /** PEM. */
  certificate: string
  /** `AB:CD:…` */
  sha256_fingerprint: string
}

/** A period in which a device had one status, cut to the range. */
export interface StatusPeriod {
  status: DeviceStatus
  /** When it began. */
  from: string
  /** When it ended; null while it lasts. */
  to: string | null
}

/** A page of a list: see `StatusPeriod`. */
export interface StatusPeriodList {
  /** The items of this page. */
  items: StatusPeriod[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** To whom to send a test. */
export interface TestMail {
  /** The end of the range. */
  to: string
}

/** A period in which a data point had one value. */
export interface TimelinePeriod {
  /** When it began. */
  from: string
  /** When it ended, or the last message before a gap. */
  to: string
  /** Null where several values were too close together. */
  value: number | string | boolean | null
  /** How many values there were: more than 1 where the value is null. */
  changes: number
}

/** Values of data points as periods. */
export interface Timelines {
  /** The start of the range. */
  from: string
  /** The end of the range. */
  to: string
  /** The periods, by data point. */
  timelines: {
    [key: string]: TimelinePeriod[]
  }
}

/** How much of a range a device could be reached. */
export interface Uptime {
  /** The start of the range. */
  from: string
  /** The end of the range. */
  to: string
  /** Share of the time since its first message in which it was `online` or `error`. */
  uptime: number | null
  seconds: SecondsByStatus
}

/** How many of a thing there are and may be. */
export interface UsedQuota {
  /** As in the code of its refusal, `too_many_…`. */
  name: string
  /** What is limited. */
  what: string
  /** Null where it is not counted for the whole tenant. */
  used: number | null
  /** The largest value. */
  max: number
  /** When a call was last refused because of it; null if none was. */
  refused_at: string | null
}

/** A limit of calls per time, and how many there were. */
export interface UsedRate {
  /** As in the `RateLimit` header. */
  name: string
  /** What is limited. */
  what: string
  /** Calls in the current window, to a hundredth of `max`; for `credential` your own. */
  used: number
  /** The largest value. */
  max: number
  /** The time in which it is counted. */
  window_seconds: number
  /** When a call was last refused because of it; null if none was. */
  refused_at: string | null
}

/** A user of an organization. */
export interface User {
  /** Identifies the user. */
  id: string
  /** The email address of the person. */
  email: string
  /** The name of the person. */
  name: string
  /** Whether the address is proven to be theirs. */
  email_verified: boolean
  role: Role
  /** False: the person cannot act for the organization. */
  active: boolean
  /** Whether a member may open the customer portal to see devices and spaces, without changing anything. Administrators may anyway. */
  can_view_devices: boolean
  /** The groups of the person. */
  groups: GroupReference[]
  /** When it was created. */
  created_at: string
}

/** What to change about a user of an organization; what is absent stays. */
export interface UserChange {
  role?: Role | undefined
  /** False: the person cannot act for the organization. */
  active?: boolean | undefined
  /** Lets a member see devices and spaces in the portal. */
  can_view_devices?: boolean | undefined
  /** Replaces the groups of the person. */
  groups?: string[] | undefined
}

/** A page of a list: see `User`. */
export interface UserList {
  /** The items of this page. */
  items: User[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A person, by id, name and email. */
export interface UserReference {
  /** Identifies the user reference. */
  id: string
  /** The name of the person. */
  name: string
  /** The email address of the person. */
  email: string
}

/** A user of an organization, with their second factor. */
export interface UserWithSecondFactor {
  /** Identifies the user with second factor. */
  id: string
  /** The email address of the person. */
  email: string
  /** The name of the user with second factor. */
  name: string
  /** Whether the address is proven to be theirs. */
  email_verified: boolean
  role: Role
  /** False: the person cannot act for the organization. */
  active: boolean
  /** Whether a member may open the customer portal to see devices and spaces, without changing anything. Administrators may anyway. */
  can_view_devices: boolean
  /** The groups of the person. */
  groups: GroupReference[]
  /** When it was created. */
  created_at: string
  /** The strongest that the person has; null: none. */
  second_factor: 'passkey' | 'app' | null
  /** Until when the person has to set one up; null: not required, or done. */
  second_factor_due_at: string | null
  /** The reset that is pending; null: none. */
  second_factor_reset: SecondFactorReset | null
}

/** A page of a list: see `UserWithSecondFactor`. */
export interface UserWithSecondFactorList {
  /** The items of this page. */
  items: UserWithSecondFactor[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** What one value of a data point means. */
export interface ValueMeaning {
  /** A value as devices send it; text of 200 characters or fewer. */
  value: number | string | boolean
  /** What it means, on one line. */
  label?: string | undefined
  /** True: a device with this value needs attention. */
  alarm?: boolean | undefined
}

/** A new application that a partner asks for. */
export interface WaitingApplicationRequest {
  /** It becomes the `client_id` once the operator approves. */
  id: string
  /** Grows whenever the partner changes its request. */
  revision: number
  /** The name of the waiting application request. */
  name: string
  /** An https address, shown beside the name; null for none. */
  home_page: string | null
  /** Whether a logo is wanted. */
  has_logo: boolean
  /** Where a person may be sent back to, byte for byte. */
  redirect_uris: string[]
  /** The algorithm that signs its id_tokens. */
  id_token_alg: 'RS256' | 'ES256'
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions: RequestedPermissions | null
  /** When the person asked. */
  requested_at: string
  /** The partner. */
  partner_id: string
  /** The partner that makes it. */
  partner_name: string
  /** The domain that this partner has proven to be its own. Null: none. */
  partner_domain: string | null
}

/** A page of a list: see `WaitingApplicationRequest`. */
export interface WaitingApplicationRequestList {
  /** The items of this page. */
  items: WaitingApplicationRequest[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A requested application, with the wanted logo. */
export interface WaitingApplicationRequestWithLogo {
  /** It becomes the `client_id` once the operator approves. */
  id: string
  /** Grows whenever the partner changes its request. */
  revision: number
  /** The name of the waiting application request. */
  name: string
  /** An https address, shown beside the name; null for none. */
  home_page: string | null
  /** Whether a logo is wanted. */
  has_logo: boolean
  /** Where a person may be sent back to, byte for byte. */
  redirect_uris: string[]
  /** The algorithm that signs its id_tokens. */
  id_token_alg: 'RS256' | 'ES256'
  /** What the application asks for, with the reasons that people see at consent. Null: everything. */
  requested_permissions: RequestedPermissions | null
  /** When the person asked. */
  requested_at: string
  /** The partner. */
  partner_id: string
  /** The partner that makes it. */
  partner_name: string
  /** The domain that this partner has proven to be its own. Null: none. */
  partner_domain: string | null
  /** The logo; null for none. */
  logo: Logo | null
}

/** The requests of partners that wait for the operator. */
export interface WaitingRequests {
  /** Changes of what people see, counted up to 100. */
  changes: number
  /** New applications, counted up to 100. */
  applications: number
  /** Applications whose partner asks for a new secret, up to 100. */
  secrets: {
    /** The id of the application. */
    client_id: string
    /** The name of the waiting requests. */
    name: string
  }[]
}

/** An address that receives events. */
export interface Webhook {
  /** Identifies the webhook. */
  id: string
  /** Where events are sent. */
  url: string
  /** A note of your own about it. */
  description: string | null
  /** The types of event that are sent. */
  events: string[]
  /** Whether it is in use. */
  enabled: boolean
  /** When it was disabled; null while it is enabled. */
  disabled_at: string | null
  /** `gone`: it responded with 410. `failing`: it accepted nothing for a day. */
  disabled_because: 'by_partner' | 'gone' | 'failing' | null
  /** Since when it accepts nothing; null while it works. */
  failing_since: string | null
  /** Until when the previous secret also signs; null for none. */
  previous_secret_expires_at: string | null
  /** When it was created. */
  created_at: string
}

/** What to change about a webhook; what is absent stays. */
export interface WebhookChange {
  /** Absolute https; no loopback, private or reserved address. */
  url?: string | undefined
  /** A note of your own about it. */
  description?: string | null | undefined
  /** The types of event that are sent. */
  events?:
    | (
        | 'device.registered'
        | 'device.updated'
        | 'device.claimed'
        | 'device.removed'
        | 'device.status_changed'
        | 'device.command'
        | 'grant.revoked'
        | 'grant.connected'
        | 'approval.requested'
        | 'approval.given'
        | 'approval.withdrawn'
        | 'application.disabled'
        | 'api_key.expiring'
      )[]
    | undefined
  /** Whether it is in use. */
  enabled?: boolean | undefined
}

/** An event on its way to a webhook. */
export interface WebhookDelivery {
  /** Sent as `webhook-id`, the same in every attempt. */
  event_id: string
  /** The type of the event. */
  type: string
  /** What became of it so far. */
  state: 'pending' | 'delivered' | 'failed'
  /** When the event happened. */
  queued_at: string
  /** Attempts so far. */
  attempts: number
  /** When it is tried again; null when it will not be, or is just being sent. */
  next_attempt_at: string | null
  /** Why it waits: `under_way` it is being sent now, `queued` it is due and is sent as soon as a slot is free, `retry_delay` its last attempt failed, `event_type_failing` other deliveries of this event type failed several times in a row, so they are tried one at a time with pauses of up to 30 seconds. */
  next_attempt_reason: 'under_way' | 'queued' | 'retry_delay' | 'event_type_failing' | null
  /** When the last attempt was made; null before the first. */
  attempted_at: string | null
  /** The HTTP status of the last attempt; null when there was no response. */
  response_status: number | null
  /** Why the last attempt failed. */
  failure: string | null
  /** How long the last attempt took. */
  duration_ms: number | null
  /** The body, byte for byte as it was signed. */
  payload: string
}

/** A page of a list: see `WebhookDelivery`. */
export interface WebhookDeliveryList {
  /** The items of this page. */
  items: WebhookDelivery[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** A page of a list: see `Webhook`. */
export interface WebhookList {
  /** The items of this page. */
  items: Webhook[]
  /** Send it as `after` to get the next page. Null on the last page. */
  next: string | null
}

/** How to rotate the secret. */
export interface WebhookSecretRotation {
  /** How long the previous secret also signs. Use 0 after a leak. */
  overlap_seconds?: number | undefined
}

/** What the withdrawal ended. */
export interface WithdrawnApproval {
  /** The id of the application. */
  client_id: string
  /** Whether there was a grant to revoke. Its tokens fail from the next request on. */
  grant_revoked: boolean
  /** Spaces the application kept in sync. They stay, and can be moved now. */
  spaces_released: number
}

/**
 * What each operation takes and returns, by its method and path. The names of the path's parameters are in the path.
 * portal/src/api/operations.ts reads it; pages use the names given in portal/src/api/.
 */
export interface Operations {
  'GET /.well-known/openid-configuration': { response: ServerMetadata }
  'POST /core/v1/operator/partners': { body: NewPartner; response: CreatedPartner }
  'GET /core/v1/operator/partners': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: PartnerList
  }
  'GET /core/v1/operator/partners/{id}': { response: Partner }
  'PATCH /core/v1/operator/partners/{id}': { body: PartnerChange; response: Partner }
  'POST /core/v1/operator/partners/{id}/applications': { body: NewApplication; response: CreatedApplication }
  'GET /core/v1/operator/partners/{id}/applications': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: RegisteredApplicationList
  }
  'GET /core/v1/operator/applications': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: RegisteredApplicationList
  }
  'GET /core/v1/operator/applications/{client_id}': { response: ApplicationWithGrants }
  'PATCH /core/v1/operator/applications/{client_id}': {
    body: RegisteredApplicationChange
    response: ChangedApplication
  }
  'POST /core/v1/operator/applications/{client_id}/secret': { body?: ClientSecretRotation; response: NewClientSecret }
  'GET /core/v1/operator/waiting-requests': { response: WaitingRequests }
  'GET /core/v1/operator/application-requests': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: WaitingApplicationRequestList
  }
  'GET /core/v1/operator/application-requests/{id}': { response: WaitingApplicationRequestWithLogo }
  'POST /core/v1/operator/application-requests/{id}/approve': {
    body: PresentationApproval
    response: CreatedApplication
  }
  'POST /core/v1/operator/application-requests/{id}/refuse': { body: PresentationRefusal; response: undefined }
  'GET /core/v1/operator/presentation-changes': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: PresentationChangeList
  }
  'GET /core/v1/operator/presentation-changes/{id}': { response: PresentationChangeWithLogo }
  'POST /core/v1/operator/presentation-changes/{id}/approve': { body: PresentationApproval; response: undefined }
  'POST /core/v1/operator/presentation-changes/{id}/refuse': { body: PresentationRefusal; response: undefined }
  'POST /core/v1/operator/customers': { body: NewCustomer; response: Customer }
  'GET /core/v1/operator/customers': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** The partner. */
      partner_id?: string | undefined
      /** A part of the name; one or two characters are the beginning of a word. */
      search?: string | undefined
    }
    response: CustomerList
  }
  'GET /core/v1/operator/customers/{id}': { response: Customer }
  'PATCH /core/v1/operator/customers/{id}': { body: CustomerChange; response: Customer }
  'GET /core/v1/operator/customers/{id}/connected-apps': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: CustomerAppList
  }
  'POST /core/v1/operator/customers/{id}/users': { body: NewUser; response: User }
  'GET /core/v1/operator/customers/{id}/users': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: UserList
  }
  'GET /core/v1/operator/customers/{id}/users/{user_id}': { response: User }
  'PATCH /core/v1/operator/customers/{id}/users/{user_id}': { body: UserChange; response: User }
  'DELETE /core/v1/operator/customers/{id}/users/{user_id}': { response: undefined }
  'POST /core/v1/operator/customers/{id}/groups': { body: NewGroup; response: CustomerGroup }
  'GET /core/v1/operator/customers/{id}/groups': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: CustomerGroupList
  }
  'GET /core/v1/operator/customers/{id}/groups/{group_id}': { response: CustomerGroup }
  'GET /core/v1/operator/users': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** The whole email address. */
      email?: string | undefined
      /** A part of the email address or the name; one or two characters are the beginning of it. */
      search?: string | undefined
      /** The order; with `-`, the other way round. By default the order in which the accounts were created. */
      sort?: 'name' | '-name' | 'email' | '-email' | undefined
    }
    response: PersonList
  }
  'GET /core/v1/operator/users/{id}': { response: PersonDetails }
  'POST /core/v1/operator/users/{id}/password-reset': { response: PasswordReset }
  'POST /core/v1/operator/users/{id}/end-sessions': { response: EndedSessions }
  'POST /core/v1/operator/users/{id}/release-email': { response: Person }
  'POST /core/v1/operator/users/{id}/second-factor-reset': { response: PendingSecondFactorReset }
  'DELETE /core/v1/operator/users/{id}/second-factor-reset': { response: undefined }
  'GET /core/v1/operator/partners/{id}/members': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: PartnerMemberList
  }
  'POST /core/v1/operator/partners/{id}/invitations': { body: Invitee; response: PartnerInvitationWithLink }
  'DELETE /core/v1/operator/partners/{id}/members/{user_id}': { response: undefined }
  'GET /core/v1/operator/invitations': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** The customer. */
      customer_id?: string | undefined
      /** The partner. */
      partner_id?: string | undefined
    }
    response: AnyInvitationList
  }
  'POST /core/v1/operator/customers/{id}/invitations': { body: CustomerInvitee; response: AnyInvitationWithLink }
  'POST /core/v1/operator/invitations/{id}/link': { response: AnyInvitationWithLink }
  'DELETE /core/v1/operator/invitations/{id}': { response: undefined }
  'GET /core/v1/operator/audit-events': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** What kind it is. */
      type?: string | undefined
      /** The `client_id` of the application. */
      application_id?: string | undefined
      /** The device. */
      device_id?: string | undefined
      /** Events at or after this instant. */
      since?: string | undefined
      /** Events before this instant. */
      until?: string | undefined
      /** The user, application, API key or device that acted. */
      actor_id?: string | undefined
      /** The partner. */
      partner_id?: string | undefined
      /** The customer. */
      customer_id?: string | undefined
    }
    response: NamedAuditEventList
  }
  'GET /core/v1/operator/audit-events.jsonl': {
    query: {
      /** What kind it is. */
      type?: string | undefined
      /** The `client_id` of the application. */
      application_id?: string | undefined
      /** The device. */
      device_id?: string | undefined
      /** Events at or after this instant. */
      since?: string | undefined
      /** Events before this instant. */
      until?: string | undefined
      /** The user, application, API key or device that acted. */
      actor_id?: string | undefined
      /** The partner. */
      partner_id?: string | undefined
      /** The customer. */
      customer_id?: string | undefined
    }
    response: string
  }
  'GET /core/v1/operator/audit-events.csv': {
    query: {
      /** What kind it is. */
      type?: string | undefined
      /** The `client_id` of the application. */
      application_id?: string | undefined
      /** The device. */
      device_id?: string | undefined
      /** Events at or after this instant. */
      since?: string | undefined
      /** Events before this instant. */
      until?: string | undefined
      /** The user, application, API key or device that acted. */
      actor_id?: string | undefined
      /** The partner. */
      partner_id?: string | undefined
      /** The customer. */
      customer_id?: string | undefined
    }
    response: string
  }
  'GET /core/v1/operator/audit-events/{id}': { response: NamedAuditEvent }
  'GET /core/v1/operator/signing-keys': { response: SigningKeyList }
  'POST /core/v1/operator/signing-keys': { body?: NewSigningKey; response: SigningKey }
  'DELETE /core/v1/operator/signing-keys/{kid}': {
    query: {
      /** Unpublish it at once: every id_token it signed is invalid from now on. */
      leaked?: boolean | undefined
    }
    response: undefined
  }
  'GET /core/v1/operator/hub-cells': { response: HubCellList }
  'POST /core/v1/operator/hub-cells/rebalance': { body?: HubCellRedirect; response: HubCellMoves }
  'POST /core/v1/operator/hub-cells/{name}/move': { body: BucketMove; response: HubCellMoves }
  'POST /core/v1/operator/hub-cells/{name}/drain': { body?: HubCellRedirect; response: HubCellMoves }
  'POST /core/v1/operator/hub-cells/{name}/open': { response: HubCellMoves }
  'DELETE /core/v1/operator/hub-cells/{name}': { response: undefined }
  'GET /core/v1/operator/mail-server': { response: MailServer }
  'GET /core/v1/operator/mails': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** `queued`: waits for its first or next attempt. `dropped`: never attempted, `failure` says why. `kept`: not sent, but readable here, in a lab without a mail server. */
      state?: 'queued' | 'sent' | 'failed' | 'dropped' | 'kept' | undefined
      /** The whole address. */
      recipient?: string | undefined
    }
    response: MailList
  }
  'GET /core/v1/operator/mails/{id}': { response: ReadableMail }
  'POST /core/v1/operator/mails/{id}/retry': { response: ReadableMail }
  'POST /core/v1/operator/mails/test': { body: TestMail; response: ReadableMail }
  'GET /core/v1/operator/limits/reached': { response: ReachedLimits }
  'GET /core/v1/operator/limits': { response: Limits }
  'GET /core/v1/partner/info': { response: PartnerInfo }
  'PATCH /core/v1/partner/info': { body: PartnerBranding; response: PartnerInfo }
  'GET /core/v1/partner/domain': { response: PartnerDomain }
  'PUT /core/v1/partner/domain': { body: NewPartnerDomain; response: PartnerDomain }
  'DELETE /core/v1/partner/domain': { response: undefined }
  'POST /core/v1/partner/domain/check': { response: PartnerDomain }
  'GET /core/v1/partner/presentation-changes/{id}': { response: RequestedChangeWithLogo }
  'DELETE /core/v1/partner/presentation-changes/{id}': { response: undefined }
  'GET /core/v1/partner/progress': { response: PartnerProgress }
  'GET /core/v1/partner/applications': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: ApplicationList
  }
  'GET /core/v1/partner/applications/{client_id}': { response: ApplicationInfo }
  'PATCH /core/v1/partner/applications/{client_id}': { body: ApplicationChange; response: ApplicationInfo }
  'POST /core/v1/partner/applications/{client_id}/secret-rotation': {
    body: SecretRotationRequest
    response: ApplicationInfo
  }
  'POST /core/v1/partner/application-requests': { body: ApplicationWish; response: ApplicationRequest }
  'GET /core/v1/partner/application-requests': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: ApplicationRequestList
  }
  'GET /core/v1/partner/application-requests/{id}': { response: ApplicationRequestWithLogo }
  'PATCH /core/v1/partner/application-requests/{id}': {
    body: ApplicationWishChange
    response: ApplicationRequestWithLogo
  }
  'DELETE /core/v1/partner/application-requests/{id}': { response: undefined }
  'GET /core/v1/partner/models': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** Words of the name, in any order. The closest names come first, in one page. */
      search?: string | undefined
    }
    response: ModelList
  }
  'POST /core/v1/partner/models': { body: NewModel; response: CreatedModel }
  'GET /core/v1/partner/models/{id}': { response: Model }
  'PATCH /core/v1/partner/models/{id}': { body: ModelChange; response: Model }
  'GET /core/v1/partner/models/{id}/hardware-keys': { response: HardwareKeyList }
  'POST /core/v1/partner/models/{id}/hardware-keys': { response: HardwareKey }
  'DELETE /core/v1/partner/models/{id}/hardware-keys/{key_id}': { response: undefined }
  'GET /core/v1/partner/models/{id}/dictionary': { response: DataDictionary }
  'PUT /core/v1/partner/models/{id}/dictionary': { body: DataDictionary; response: DataDictionary }
  'GET /core/v1/partner/models/{id}/dictionary/suggestions': { response: DictionarySuggestionList }
  'GET /core/v1/partner/models/{id}/openapi.json': { response: ModelDocument }
  'GET /core/v1/partner/models/{id}/commands': { response: DeclaredCommands }
  'PUT /core/v1/partner/models/{id}/commands': { body: DeclaredCommands; response: DeclaredCommands }
  'GET /core/v1/partner/devices': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** The model of the device. */
      model_id?: string | undefined
      /** One or more of never_seen, online, offline, error, with commas between them; or the parameter repeated for each. */
      status?: string | string[] | undefined
      /** Whether a customer claimed the device. */
      claimed?: boolean | undefined
      /** Part of a MAC or a serial number. One or two characters match the beginning only. */
      search?: string | undefined
      /** The order; with `-`, the other way round. `status` begins with what needs attention. By default `registered_at`. */
      sort?:
        | 'registered_at'
        | '-registered_at'
        | 'status'
        | '-status'
        | 'status_at'
        | '-status_at'
        | 'last_seen_at'
        | '-last_seen_at'
        | 'model'
        | '-model'
        | 'mac'
        | '-mac'
        | 'sn'
        | '-sn'
        | undefined
    }
    response: PartnerDeviceList
  }
  'GET /core/v1/partner/devices/total': {
    query: {
      /** The model of the device. */
      model_id?: string | undefined
      /** One or more of never_seen, online, offline, error, with commas between them; or the parameter repeated for each. */
      status?: string | string[] | undefined
      /** Whether a customer claimed the device. */
      claimed?: boolean | undefined
      /** Part of a MAC or a serial number. One or two characters match the beginning only. */
      search?: string | undefined
    }
    response: DeviceTotal
  }
  'GET /core/v1/partner/devices/{id}': { response: PartnerDeviceWithState }
  'DELETE /core/v1/partner/devices/{id}': { response: undefined }
  'GET /core/v1/partner/devices/counts': { response: FleetCounts }
  'GET /core/v1/partner/static-certificate': { response: StaticCertificate }
  'GET /core/v1/partner/commands': {
    query: {
      /** Seconds. */
      wait?: number | undefined
      /** `after` of the response before. */
      after?: string | undefined
      /** Items per page. */
      limit?: number | undefined
    }
    response: FleetCommands
  }
  'POST /core/v1/partner/commands/{id}': { body: FleetCommandReport; response: CommandReportAccepted }
  'POST /core/v1/partner/devices/{id}/replace': { response: ReplaceWindow }
  'GET /core/v1/partner/devices/{id}/history': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** By default a day before `to`. */
      from?: string | undefined
      /** By default now. */
      to?: string | undefined
      /** At most 100 names of data points, with commas between them; or the parameter repeated for each. */
      keys?: string | string[] | undefined
      /** By `timestamp`. */
      order?: 'oldest_first' | 'newest_first' | undefined
    }
    response: HistoryMessageList
  }
  'GET /core/v1/partner/devices/{id}/history.csv': {
    query: {
      /** By default a day before `to`. */
      from?: string | undefined
      /** By default now. */
      to?: string | undefined
      /** At most 100 names of data points, with commas between them; or the parameter repeated for each. */
      keys?: string | string[] | undefined
      /** `labels`: columns have the labels and units of the model’s data dictionary, and its order. */
      headers?: 'keys' | 'labels' | undefined
    }
    response: string
  }
  'GET /core/v1/partner/devices/{id}/series': {
    query: {
      /** By default a day before `to`. */
      from?: string | undefined
      /** By default now. */
      to?: string | undefined
      /** At most 20 names of data points, with commas between them; or the parameter repeated for each. */
      keys: string | string[]
      /** Intervals that the range is cut into. */
      buckets?: number | undefined
    }
    response: Series
  }
  'GET /core/v1/partner/devices/{id}/timelines': {
    query: {
      /** By default a day before `to`. */
      from?: string | undefined
      /** By default now. */
      to?: string | undefined
      /** At most 20 names of data points, with commas between them; or the parameter repeated for each. */
      keys: string | string[]
      /** The most periods of a data point. */
      buckets?: number | undefined
    }
    response: Timelines
  }
  'GET /core/v1/partner/devices/{id}/status-history': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** By default a day before `to`. */
      from?: string | undefined
      /** By default now. */
      to?: string | undefined
    }
    response: StatusPeriodList
  }
  'GET /core/v1/partner/devices/{id}/uptime': {
    query: {
      /** By default a day before `to`. */
      from?: string | undefined
      /** By default now. */
      to?: string | undefined
    }
    response: Uptime
  }
  'GET /core/v1/partner/integration-log': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** The `client_id` of the application. */
      application_id?: string | undefined
      /** The model of the device. */
      model_id?: string | undefined
      /** The endpoint that refused, such as `token` or `telemetry`. */
      endpoint?: string | undefined
      /** What happened: a sentence for people, or at OAuth endpoints a code. */
      error?: string | undefined
      /** Why the request was refused, as a code. */
      reason?: string | undefined
      /** The `X-Request-Id` of the response. */
      request_id?: string | undefined
    }
    response: IntegrationFailureList
  }
  'GET /core/v1/partner/webhooks': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: WebhookList
  }
  'POST /core/v1/partner/webhooks': { body: NewWebhook; response: CreatedWebhook }
  'GET /core/v1/partner/webhooks/{id}': { response: Webhook }
  'PATCH /core/v1/partner/webhooks/{id}': { body: WebhookChange; response: Webhook }
  'DELETE /core/v1/partner/webhooks/{id}': { response: undefined }
  'POST /core/v1/partner/webhooks/{id}/secret': { body?: WebhookSecretRotation; response: NewWebhookSecret }
  'GET /core/v1/partner/webhooks/{id}/deliveries': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** The state it is in. */
      state?: 'pending' | 'delivered' | 'failed' | undefined
    }
    response: WebhookDeliveryList
  }
  'POST /core/v1/partner/webhooks/{id}/deliveries/{event_id}/redeliver': { response: WebhookDelivery }
  'POST /core/v1/partner/webhooks/{id}/test': { response: WebhookDelivery }
  'GET /core/v1/partner/members': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: PartnerMemberList
  }
  'GET /core/v1/partner/members/{id}': { response: PartnerMember }
  'DELETE /core/v1/partner/members/{id}': { response: undefined }
  'GET /core/v1/partner/invitations': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: PartnerInvitationList
  }
  'POST /core/v1/partner/invitations': { body: Invitee; response: PartnerInvitationWithLink }
  'POST /core/v1/partner/invitations/{id}/link': { response: PartnerInvitationWithLink }
  'DELETE /core/v1/partner/invitations/{id}': { response: undefined }
  'GET /core/v1/partner/limits': { response: OwnLimits }
  'GET /core/v1/partner/audit-events': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** What kind it is. */
      type?: string | undefined
      /** The `client_id` of the application. */
      application_id?: string | undefined
      /** The device. */
      device_id?: string | undefined
      /** Events at or after this instant. */
      since?: string | undefined
      /** Events before this instant. */
      until?: string | undefined
    }
    response: PartnerAuditEventList
  }
  'GET /core/v1/partner/audit-events.jsonl': {
    query: {
      /** What kind it is. */
      type?: string | undefined
      /** The `client_id` of the application. */
      application_id?: string | undefined
      /** The device. */
      device_id?: string | undefined
      /** Events at or after this instant. */
      since?: string | undefined
      /** Events before this instant. */
      until?: string | undefined
    }
    response: string
  }
  'GET /core/v1/partner/audit-events.csv': {
    query: {
      /** What kind it is. */
      type?: string | undefined
      /** The `client_id` of the application. */
      application_id?: string | undefined
      /** The device. */
      device_id?: string | undefined
      /** Events at or after this instant. */
      since?: string | undefined
      /** Events before this instant. */
      until?: string | undefined
    }
    response: string
  }
  'GET /core/v1/partner/api-keys': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** Only those that expire within 14 days and have not been rotated. */
      expiring?: boolean | undefined
    }
    response: PartnerApiKeyList
  }
  'POST /core/v1/partner/api-keys': { body: NewPartnerApiKey; response: CreatedPartnerApiKey }
  'GET /core/v1/partner/api-keys/{id}': { response: PartnerApiKey }
  'PATCH /core/v1/partner/api-keys/{id}': { body: PartnerApiKeyChange; response: PartnerApiKey }
  'DELETE /core/v1/partner/api-keys/{id}': { response: undefined }
  'POST /core/v1/partner/api-keys/{id}/rotate': { body?: ApiKeyRotation; response: RotatedPartnerApiKey }
  'GET /core/v1/session': { response: Session }
  'GET /core/v1/organization/info': { response: OrganizationInfo }
  'GET /core/v1/organization/permissions': { response: OwnPermissions }
  'GET /core/v1/organization/users': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** A part of the name or the email address; one or two characters are the beginning of a word. */
      search?: string | undefined
      /** The order; with `-`, the other way round. By default the order in which the accounts were created. */
      sort?: 'name' | '-name' | 'email' | '-email' | 'role' | '-role' | 'created_at' | '-created_at' | undefined
    }
    response: UserList
  }
  'GET /core/v1/organization/users/{id}': { response: User }
  'PATCH /core/v1/organization/users/{id}': { body: UserChange; response: User }
  'DELETE /core/v1/organization/users/{id}': { response: undefined }
  'POST /core/v1/organization/users/{id}/end-sessions': { response: EndedSessions }
  'GET /core/v1/organization/second-factor-policy': { response: SecondFactorPolicy }
  'PATCH /core/v1/organization/second-factor-policy': { body: SecondFactorPolicyChange; response: SecondFactorPolicy }
  'GET /core/v1/organization/second-factors': { response: SecondFactorCounts }
  'GET /core/v1/organization/second-factors/users': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** A part of the name or the email address; one or two characters are the beginning of a word. */
      search?: string | undefined
      /** The order; with `-`, the other way round. By default the order in which the accounts were created. */
      sort?: 'name' | '-name' | 'email' | '-email' | 'role' | '-role' | 'created_at' | '-created_at' | undefined
      /** `missing`: those who have none, and are required to have one. */
      second_factor?: 'passkey' | 'app' | 'none' | 'missing' | undefined
    }
    response: UserWithSecondFactorList
  }
  'POST /core/v1/organization/users/{id}/second-factor-reset': { response: PendingSecondFactorReset }
  'DELETE /core/v1/organization/users/{id}/second-factor-reset': { response: undefined }
  'POST /core/v1/organization/users/{id}/second-factor-reset/confirm': { response: undefined }
  'POST /core/v1/organization/invitations': { body: NewInvitation; response: CreatedInvitation }
  'GET /core/v1/organization/invitations': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: InvitationList
  }
  'POST /core/v1/organization/invitations/{id}/link': { response: InvitationWithLink }
  'DELETE /core/v1/organization/invitations/{id}': { response: undefined }
  'POST /core/v1/organization/users/{id}/password-reset': { response: PasswordReset }
  'GET /core/v1/organization/groups': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** A part of the name; one or two characters are the beginning of a word. */
      search?: string | undefined
    }
    response: GroupList
  }
  'POST /core/v1/organization/groups': { body: NewGroup; response: Group }
  'GET /core/v1/organization/groups/{id}': { response: Group }
  'PATCH /core/v1/organization/groups/{id}': { body: NewGroup; response: Group }
  'DELETE /core/v1/organization/groups/{id}': { response: undefined }
  'GET /core/v1/organization/groups/{id}/members': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: UserList
  }
  'PUT /core/v1/organization/groups/{id}/members/{user_id}': { response: undefined }
  'DELETE /core/v1/organization/groups/{id}/members/{user_id}': { response: undefined }
  'GET /core/v1/organization/spaces': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** Only its direct children; `root` for the top of the tree. */
      parent_id?: string | 'root' | undefined
    }
    response: SpaceList
  }
  'POST /core/v1/organization/spaces': { body: NewSpace; response: Space }
  'POST /core/v1/organization/spaces/find-or-create': { body: SpacePath; response: Space }
  'POST /core/v1/organization/spaces/import': { body: SpaceImport; response: SpaceImportResult }
  'GET /core/v1/organization/spaces/search': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** Words of the name, in any order. The closest names come first, in one page. */
      search?: string | undefined
    }
    response: SpaceMatchList
  }
  'GET /core/v1/organization/spaces/{id}': { response: Space }
  'PATCH /core/v1/organization/spaces/{id}': { body: SpaceChange; response: Space }
  'DELETE /core/v1/organization/spaces/{id}': { response: undefined }
  'GET /core/v1/organization/spaces/{id}/summary': { response: SpaceSummary }
  'GET /core/v1/organization/spaces/{id}/children': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: ChildSpaceList
  }
  'GET /core/v1/organization/spaces/{id}/data-points': { response: SpaceDataPointList }
  'GET /core/v1/organization/spaces/{id}/series': {
    query: {
      /** The name of the data point. */
      key: string
      /** By default a day before `to`. */
      from?: string | undefined
      /** By default now. */
      to?: string | undefined
      /** Intervals that the range is cut into. With many devices there are fewer, down to 20. */
      buckets?: number | undefined
    }
    response: Aggregate
  }
  'GET /core/v1/organization/devices': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** In this space or any below it. */
      space_id?: string | undefined
      /** `true`: in no space. */
      no_space?: boolean | undefined
      /** The model of the device. */
      model_id?: string | undefined
      /** One or more of never_seen, online, offline, error, with commas between them; or the parameter repeated for each. */
      status?: string | string[] | undefined
      /** With this tag. */
      tag?: string | undefined
      /** The worst state of its desired settings, or `differs`: they differ from the templates for its model and space. */
      settings?: 'in_sync' | 'pending' | 'rejected' | 'unsupported' | 'differs' | undefined
      /** Part of a name, a MAC or a serial number. One or two characters match the beginning of a word only. */
      search?: string | undefined
      /** The order; with `-`, the other way round. `status` begins with what needs attention. By default `registered_at`. */
      sort?:
        | 'registered_at'
        | '-registered_at'
        | 'name'
        | '-name'
        | 'status'
        | '-status'
        | 'status_at'
        | '-status_at'
        | 'last_seen_at'
        | '-last_seen_at'
        | 'model'
        | '-model'
        | 'space'
        | '-space'
        | 'mac'
        | '-mac'
        | 'sn'
        | '-sn'
        | undefined
    }
    response: DeviceList
  }
  'GET /core/v1/organization/devices/total': {
    query: {
      /** In this space or any below it. */
      space_id?: string | undefined
      /** `true`: in no space. */
      no_space?: boolean | undefined
      /** The model of the device. */
      model_id?: string | undefined
      /** One or more of never_seen, online, offline, error, with commas between them; or the parameter repeated for each. */
      status?: string | string[] | undefined
      /** With this tag. */
      tag?: string | undefined
      /** The worst state of its desired settings, or `differs`: they differ from the templates for its model and space. */
      settings?: 'in_sync' | 'pending' | 'rejected' | 'unsupported' | 'differs' | undefined
      /** Part of a name, a MAC or a serial number. One or two characters match the beginning of a word only. */
      search?: string | undefined
    }
    response: DeviceTotal
  }
  'POST /core/v1/organization/devices/claim': { body: DeviceClaim; response: Device }
  'GET /core/v1/organization/devices/{id}': { response: DeviceWithState }
  'PATCH /core/v1/organization/devices/{id}': { body: DeviceChange; response: DeviceWithNote }
  'DELETE /core/v1/organization/devices/{id}': { response: undefined }
  'POST /core/v1/organization/devices/claim-list': { body: DeviceClaimList; response: DeviceClaimResults }
  'POST /core/v1/organization/devices/change-list': { body: DeviceChangeList; response: DeviceChangeResults }
  'POST /core/v1/organization/devices/remove-list': { body: ChosenDevices; response: DeviceRemovalResults }
  'GET /core/v1/organization/devices.csv': {
    query: {
      /** In this space or any below it. */
      space_id?: string | undefined
      /** `true`: in no space. */
      no_space?: boolean | undefined
      /** The model of the device. */
      model_id?: string | undefined
      /** One or more of never_seen, online, offline, error, with commas between them; or the parameter repeated for each. */
      status?: string | string[] | undefined
      /** With this tag. */
      tag?: string | undefined
      /** The worst state of its desired settings, or `differs`: they differ from the templates for its model and space. */
      settings?: 'in_sync' | 'pending' | 'rejected' | 'unsupported' | 'differs' | undefined
      /** Part of a name, a MAC or a serial number. One or two characters match the beginning of a word only. */
      search?: string | undefined
      /** The order; with `-`, the other way round. `status` begins with what needs attention. By default `registered_at`. */
      sort?:
        | 'registered_at'
        | '-registered_at'
        | 'name'
        | '-name'
        | 'status'
        | '-status'
        | 'status_at'
        | '-status_at'
        | 'last_seen_at'
        | '-last_seen_at'
        | 'model'
        | '-model'
        | 'space'
        | '-space'
        | 'mac'
        | '-mac'
        | 'sn'
        | '-sn'
        | undefined
    }
    response: string
  }
  'POST /core/v1/organization/devices.csv': { body: ChosenDevices; response: string }
  'GET /core/v1/organization/device-tags': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: DeviceTagList
  }
  'GET /core/v1/organization/device-views': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: DeviceViewList
  }
  'POST /core/v1/organization/device-views': { body: NewDeviceView; response: DeviceView }
  'GET /core/v1/organization/device-views/{id}': { response: DeviceView }
  'PATCH /core/v1/organization/device-views/{id}': { body: DeviceViewChange; response: DeviceView }
  'DELETE /core/v1/organization/device-views/{id}': { response: undefined }
  'GET /core/v1/organization/devices/{id}/settings': { response: DeviceSettings }
  'PATCH /core/v1/organization/devices/{id}/settings': { body: SettingsChange; response: DeviceSettings }
  'PATCH /core/v1/organization/devices/settings': { body: ManySettingsChange; response: SettingsResults }
  'GET /core/v1/organization/setting-templates': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** The model of the device. */
      model_id?: string | undefined
      /** The space of the device; null for none. */
      space_id?: string | undefined
    }
    response: SettingTemplateList
  }
  'POST /core/v1/organization/setting-templates': { body: NewSettingTemplate; response: SettingTemplate }
  'GET /core/v1/organization/setting-templates/{id}': { response: SettingTemplate }
  'PATCH /core/v1/organization/setting-templates/{id}': { body: SettingTemplateChange; response: SettingTemplate }
  'DELETE /core/v1/organization/setting-templates/{id}': { response: undefined }
  'POST /core/v1/organization/setting-templates/{id}/apply': { body: ChosenDevices; response: SettingsResults }
  'POST /core/v1/organization/devices/{id}/replace': { response: ReplaceWindow }
  'GET /core/v1/organization/devices/{id}/history': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** By default a day before `to`. */
      from?: string | undefined
      /** By default now. */
      to?: string | undefined
      /** At most 100 names of data points, with commas between them; or the parameter repeated for each. */
      keys?: string | string[] | undefined
      /** By `timestamp`. */
      order?: 'oldest_first' | 'newest_first' | undefined
    }
    response: HistoryMessageList
  }
  'GET /core/v1/organization/devices/{id}/history.csv': {
    query: {
      /** By default a day before `to`. */
      from?: string | undefined
      /** By default now. */
      to?: string | undefined
      /** At most 100 names of data points, with commas between them; or the parameter repeated for each. */
      keys?: string | string[] | undefined
      /** `labels`: columns have the labels and units of the model’s data dictionary, and its order. */
      headers?: 'keys' | 'labels' | undefined
    }
    response: string
  }
  'GET /core/v1/organization/devices/{id}/series': {
    query: {
      /** By default a day before `to`. */
      from?: string | undefined
      /** By default now. */
      to?: string | undefined
      /** At most 20 names of data points, with commas between them; or the parameter repeated for each. */
      keys: string | string[]
      /** Intervals that the range is cut into. */
      buckets?: number | undefined
    }
    response: Series
  }
  'GET /core/v1/organization/devices/{id}/timelines': {
    query: {
      /** By default a day before `to`. */
      from?: string | undefined
      /** By default now. */
      to?: string | undefined
      /** At most 20 names of data points, with commas between them; or the parameter repeated for each. */
      keys: string | string[]
      /** The most periods of a data point. */
      buckets?: number | undefined
    }
    response: Timelines
  }
  'GET /core/v1/organization/devices/{id}/status-history': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** By default a day before `to`. */
      from?: string | undefined
      /** By default now. */
      to?: string | undefined
    }
    response: StatusPeriodList
  }
  'GET /core/v1/organization/devices/{id}/uptime': {
    query: {
      /** By default a day before `to`. */
      from?: string | undefined
      /** By default now. */
      to?: string | undefined
    }
    response: Uptime
  }
  'GET /core/v1/organization/devices/stream': {
    query: {
      /** The device. */
      device_id?: string | undefined
      /** The customer a session acts for: EventSource cannot send Landbridge-Customer. */
      customer_id?: string | undefined
    }
    response: string
  }
  'POST /core/v1/organization/devices/{id}/commands': { body: NewCommand; response: Command }
  'GET /core/v1/organization/devices/{id}/commands': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: CommandList
  }
  'POST /core/v1/organization/devices/commands': { body: NewCommands; response: CommandBatch }
  'DELETE /core/v1/organization/devices/{id}/commands/{command_id}': { response: Command }
  'GET /core/v1/organization/devices/{id}/commands/{command_id}': {
    query: {
      /** Seconds to wait for the next change. */
      wait?: number | undefined
    }
    response: Command
  }
  'GET /core/v1/organization/devices/{id}/declared-commands': { response: CommandsOfDevice }
  'GET /core/v1/organization/commands': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** One or more of queued, sent, in_progress, done, failed, rejected, expired, unknown, canceled, with commas between them; or the parameter repeated for each. */
      state?: string | string[] | undefined
      /** Of this call for many devices. */
      batch_id?: string | undefined
    }
    response: CommandList
  }
  'GET /core/v1/organization/commands/counts': {
    query: {
      /** Of a call for many devices. */
      batch_id: string
    }
    response: CommandCounts
  }
  'GET /core/v1/organization/devices/counts': { response: DeviceCounts }
  'GET /core/v1/organization/devices/trend': { response: DeviceTrend }
  'GET /core/v1/organization/devices/attention': {
    query: {
      /** Devices of each reason. */
      limit?: number | undefined
      /** In this space or any below it. */
      space_id?: string | undefined
    }
    response: AttentionList
  }
  'GET /core/v1/organization/models': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** Words of the name, in any order. The closest names come first, in one page. */
      search?: string | undefined
    }
    response: ClaimableModelList
  }
  'GET /core/v1/organization/models/{id}': { response: ClaimableModel }
  'GET /core/v1/organization/models/{id}/dictionary': { response: DataDictionary }
  'GET /core/v1/organization/limits': { response: OwnLimits }
  'GET /core/v1/organization/connected-apps': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: ConnectedAppList
  }
  'GET /core/v1/organization/connected-apps/{client_id}': { response: ConnectedApp }
  'PATCH /core/v1/organization/connected-apps/{client_id}': { body: ConnectedAppChange; response: ChangedConnectedApp }
  'DELETE /core/v1/organization/connected-apps/{client_id}': { response: WithdrawnApproval }
  'GET /core/v1/organization/approval-requests': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
    }
    response: ApprovalRequestList
  }
  'POST /core/v1/organization/approval-requests/{id}/approve': { body?: RequestApproval; response: ConnectedApp }
  'POST /core/v1/organization/approval-requests/{id}/decline': { response: undefined }
  'GET /core/v1/organization/audit-events': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** What kind it is. */
      type?: string | undefined
      /** The `client_id` of the application. */
      application_id?: string | undefined
      /** The device. */
      device_id?: string | undefined
      /** Events at or after this instant. */
      since?: string | undefined
      /** Events before this instant. */
      until?: string | undefined
      /** The user, application, API key or device that acted. */
      actor_id?: string | undefined
    }
    response: OrganizationAuditEventList
  }
  'GET /core/v1/organization/audit-events.jsonl': {
    query: {
      /** What kind it is. */
      type?: string | undefined
      /** The `client_id` of the application. */
      application_id?: string | undefined
      /** The device. */
      device_id?: string | undefined
      /** Events at or after this instant. */
      since?: string | undefined
      /** Events before this instant. */
      until?: string | undefined
      /** The user, application, API key or device that acted. */
      actor_id?: string | undefined
    }
    response: string
  }
  'GET /core/v1/organization/audit-events.csv': {
    query: {
      /** What kind it is. */
      type?: string | undefined
      /** The `client_id` of the application. */
      application_id?: string | undefined
      /** The device. */
      device_id?: string | undefined
      /** Events at or after this instant. */
      since?: string | undefined
      /** Events before this instant. */
      until?: string | undefined
      /** The user, application, API key or device that acted. */
      actor_id?: string | undefined
    }
    response: string
  }
  'GET /core/v1/organization/users/{id}/roles': { response: Roles }
  'PUT /core/v1/organization/users/{id}/roles': { body: NewRoles; response: Roles }
  'GET /core/v1/organization/groups/{id}/roles': { response: Roles }
  'PUT /core/v1/organization/groups/{id}/roles': { body: NewRoles; response: Roles }
  'GET /core/v1/organization/access': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** Whom to list. */
      kind?: 'user' | 'application' | 'api_key' | undefined
      /** Who may do what in this space; `permissions` are those that count there. */
      space_id?: string | undefined
      /** Only this user. */
      user_id?: string | undefined
      /** Only this application. */
      client_id?: string | undefined
      /** Only this API key. */
      api_key_id?: string | undefined
    }
    response: AccessList
  }
  'GET /core/v1/organization/api-keys': {
    query: {
      /** Items per page. */
      limit?: number | undefined
      /** The `next` of the previous page. */
      after?: string | undefined
      /** Only those that expire within 14 days and have not been rotated. */
      expiring?: boolean | undefined
    }
    response: ApiKeyList
  }
  'POST /core/v1/organization/api-keys': { body: NewApiKey; response: CreatedApiKey }
  'GET /core/v1/organization/api-keys/{id}': { response: ApiKey }
  'PATCH /core/v1/organization/api-keys/{id}': { body: ApiKeyChange; response: ApiKey }
  'DELETE /core/v1/organization/api-keys/{id}': { response: undefined }
  'POST /core/v1/organization/api-keys/{id}/rotate': { body?: ApiKeyRotation; response: RotatedApiKey }
}
