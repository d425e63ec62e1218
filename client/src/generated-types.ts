// Generated from the OpenAPI document by `npm run generate:api-types`. Do not edit.

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

/** One of your API keys expires within 14 days. Rotate it in the partner portal. */
export interface ApiKeyExpiringEvent {
  /** What happened. */
  type: 'api_key.expiring'
  /** When it happened. */
  timestamp: string
  data: ApiKeyExpiringEventData
}

/** What it happened to. */
export interface ApiKeyExpiringEventData {
  /** The API key. */
  api_key_id: string
  /** What the key is called. */
  name: string
  /** The first characters of the key. */
  hint: string
  /** When it stops working. */
  expires_at: string
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

/** The operator disabled an application. */
export interface ApplicationDisabledEvent {
  /** What happened. */
  type: 'application.disabled'
  /** When it happened. */
  timestamp: string
  data: EventApplication
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

/** An administrator approved an application for an organization. Its members can connect it now. */
export interface ApprovalGivenEvent {
  /** What happened. */
  type: 'approval.given'
  /** When it happened. */
  timestamp: string
  data: EventConnection
}

/** A member of an organization asked its administrators to approve an application. Which organization, you learn when it is approved. */
export interface ApprovalRequestedEvent {
  /** What happened. */
  type: 'approval.requested'
  /** When it happened. */
  timestamp: string
  data: EventApplication
}

/** An organization no longer approves an application. An administrator must approve it again. */
export interface ApprovalWithdrawnEvent {
  /** What happened. */
  type: 'approval.withdrawn'
  /** When it happened. */
  timestamp: string
  data: EventConnection
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

/** A valid client secret, by its first characters. */
export interface ClientSecretHint {
  /** The first characters of the secret. */
  hint: string
  /** When it was created. */
  created_at: string
  /** When it stops working. */
  expires_at: string | null
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

/** A customer claimed a device. */
export interface DeviceClaimedEvent {
  /** What happened. */
  type: 'device.claimed'
  /** When it happened. */
  timestamp: string
  data: EventDevice
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

/** A device has a command to carry out, the first of those that wait. Without its content: take it with `GET /core/v1/partner/commands`, unless the device fetches it itself. */
export interface DeviceCommandEvent {
  /** What happened. */
  type: 'device.command'
  /** When it happened. */
  timestamp: string
  data: DeviceCommandEventData
}

/** What it happened to. */
export interface DeviceCommandEventData {
  /** The device. */
  device_id: string
  /** The command. */
  command_id: string
  /** After this instant it is not handed out. */
  expires_at: string
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

/** Why a device needs attention. `no_telemetry`: nothing came for as long as its model allows. `reported_error`, `reported_offline`: the device said so. `alarm`: it is online, and a value is an alarm. */
export type DeviceReason =
  | 'alarm'
  | 'reported_error'
  | 'connection_lost'
  | 'no_telemetry'
  | 'reported_offline'
  | 'never_seen'

/** A device registered, for the first time or in a replace window. */
export interface DeviceRegisteredEvent {
  /** What happened. */
  type: 'device.registered'
  /** When it happened. */
  timestamp: string
  data: DeviceRegisteredEventData
}

/** What it happened to. */
export interface DeviceRegisteredEventData {
  /** The device. */
  device_id: string
  /** The model of the device. */
  model_id: string
  /** The MAC address of the device. */
  mac: string
  /** The serial number of the device. */
  sn: string
  /** The firmware of the device now. */
  firmware_version: string
}

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

/** A device was removed: by its customer, by you, or because it was never used. Its access key no longer works. */
export interface DeviceRemovedEvent {
  /** What happened. */
  type: 'device.removed'
  /** When it happened. */
  timestamp: string
  data: EventDevice
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

/** A device went online, offline or into an error. Those of one device happened in the order of `timestamp` and, where several have the same, of `webhook-id`. */
export interface DeviceStatusChangedEvent {
  /** What happened. */
  type: 'device.status_changed'
  /** When it happened. */
  timestamp: string
  data: DeviceStatusChangedEventData
}

/** What it happened to. */
export interface DeviceStatusChangedEventData {
  /** The device. */
  device_id: string
  /** The model of the device. */
  model_id: string
  /** The MAC address of the device. */
  mac: string
  /** The serial number of the device. */
  sn: string
  /** `online`, `offline` or `error`. */
  status: string
  /** The status before: the same, or `never_seen`. */
  previous_status: string
}

/** A tag that at least one device has. */
export interface DeviceTag {
  /** A tag that the organization gave some of its devices. */
  tag: string
}

/** How many devices match. */
export interface DeviceTotal {
  /** How many match, or at least match. */
  total: number
  /** `true`: counting stopped, there are at least as many. */
  more: boolean
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

/** A device reported another firmware version. */
export interface DeviceUpdatedEvent {
  /** What happened. */
  type: 'device.updated'
  /** When it happened. */
  timestamp: string
  data: DeviceUpdatedEventData
}

/** What it happened to. */
export interface DeviceUpdatedEventData {
  /** The device. */
  device_id: string
  /** The model of the device. */
  model_id: string
  /** The MAC address of the device. */
  mac: string
  /** The serial number of the device. */
  sn: string
  /** The firmware of the device now. */
  firmware_version: string
  /** The firmware before. */
  previous_firmware_version: string
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

/** The sessions that have ended. */
export interface EndedSessions {
  /** How many there were. */
  sessions: number
}

/** The application that it happened to. */
export interface EventApplication {
  /** The application. */
  client_id: string
}

/** The application and the organization that it happened between. */
export interface EventConnection {
  /** The application. */
  client_id: string
  /** The organization, as in the id_token. */
  org_id: string
}

/** The device that it happened to. */
export interface EventDevice {
  /** The device. */
  device_id: string
  /** The model of the device. */
  model_id: string
  /** The MAC address of the device. */
  mac: string
  /** The serial number of the device. */
  sn: string
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

/** A user connected an application for an organization. */
export interface GrantConnectedEvent {
  /** What happened. */
  type: 'grant.connected'
  /** When it happened. */
  timestamp: string
  data: EventConnection
}

/** The tokens of an application for one organization stopped working. Show your "connect" button. */
export interface GrantRevokedEvent {
  /** What happened. */
  type: 'grant.revoked'
  /** When it happened. */
  timestamp: string
  data: GrantRevokedEventData
}

/** What it happened to. */
export interface GrantRevokedEventData {
  /** The application. */
  client_id: string
  /** The organization, as in the id_token. */
  org_id: string
  /** `approval_withdrawn`, `policy_narrowed`, `application_disabled`, `revoked_by_application` or `refresh_token_replayed`; more may follow. */
  reason: string
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

/** What an id_token says of the person who signed in, and of their organization. */
export interface Claims {
  /** The address of this service. Compare it. */
  iss: string
  /** The `client_id` of your application. Compare it. */
  aud: string
  /** When it was issued, in seconds since 1970. */
  iat: number
  /** When it expires, in seconds since 1970. */
  exp: number
  /** When the person signed in or last presented a factor, in seconds since 1970. */
  auth_time: number
  /** Ties the id_token to the access token in the same response. */
  at_hash: string
  /** How surely it is the person: `phr` with a passkey, the other with any two factors. Absent with a password only. */
  acr?: 'phr' | 'http://schemas.openid.net/pape/policies/2007/06/multi-factor' | undefined
  /** What the person signed in with. Absent where it is not known. */
  amr?: string[] | undefined
  /** The one of your authorization request. Compare it. Absent after a refresh. */
  nonce?: string | undefined
  /** Identifies the person, and never changes. */
  sub: string
  /** The name of the person. */
  name?: string | undefined
  /** The email address of the person. */
  email?: string | undefined
  /** Whether the address is proven to be theirs. */
  email_verified?: boolean | undefined
  /** Absent once the person no longer belongs to the organization. */
  org_id?: string | undefined
  /** The name of the organization. */
  org_name?: string | undefined
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

/** The invitation becomes invalid when they lose the right to invite. The operator has no id. */
export interface InvitationMaker {
  /** What made the invitation. */
  kind: 'operator' | 'user' | 'application' | 'api_key'
  /** Identifies the invitation maker. */
  id: string | null
  /** The name of who made it; null when it is gone. */
  name: string | null
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

/** The same settings for many devices. */
export interface ManySettingsChange {
  /** The devices, by id. */
  device_ids: string[]
  /** By data point; null no longer wants it. What is absent stays. */
  values: {
    [key: string]: number | string | boolean | null
  }
}

/** The outcome of one message. */
export interface MassTelemetryResult {
  /** The device, as it was sent. */
  id: string | null
  /** 200: stored. 503: send this message again; with `unknown_outcome` it may be stored. Any other: it is not stored. */
  status: 200 | 401 | 410 | 421 | 422 | 503
  /** A command waits for the device: `GET /v1/devices/{id}/command`. */
  command?: true | undefined
  /** Version of the desired settings, absent when none were ever wanted. A device that has another version reads them: `GET /v1/devices/{id}/config`. */
  config_version?: number | undefined
  /** A sentence for people; absent with 200. */
  error?: string | undefined
  /** What happened, for programs. */
  code?: string | undefined
  /** With 421 `device_moved`: where to send the messages of this device from now on. */
  hub_url?: string | undefined
  /** With 422: what is wrong with each field. */
  details?: FieldProblem[] | undefined
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

/** The domain to verify. */
export interface NewPartnerDomain {
  /** Such as `acme.com`, without a host or path. */
  domain: string
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

/** A space to create. */
export interface NewSpace {
  /** The name of the space. */
  name: string
  /** The space it stands in; null at the top of the tree. */
  parent_id?: string | null | undefined
  /** Allowed only with an application's token. */
  synced?: boolean | undefined
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

/** What to change about the pages of the partner; what is absent stays. */
export interface PartnerBranding {
  /** The name of the partner branding. */
  name?: string | undefined
  /** `#rrggbb` */
  accent_color?: string | null | undefined
  /** The logo; null for none. */
  logo?: Logo | null | undefined
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

/** A space of a permission, which counts in it and everything below it. */
export interface PermittedSpace {
  /** Identifies the permitted space. */
  id: string
  /** Null: the space was deleted, and covers nothing. */
  name: string | null
}

/** The credentials and addresses of the device. `access_key` is returned only this once. */
export interface RegisteredDevice {
  /** Identifies the registered device. */
  id: string
  /** The secret of the device. Returned only this once. */
  access_key: string
  /** Where the device sends telemetry over HTTPS. */
  hub_url: string
  /** The same with a certificate that never changes, for devices that pin it. */
  hub_url_static_cert: string
  /** Where the device sends telemetry over MQTT. */
  mqtt_hub_url: string
}

/** A device that registers. */
export interface Registration {
  /** The Model ID in the partner portal. */
  device_model: string
  /** A hardware key of the model. */
  hardware_key: string
  /** Six hexadecimal pairs with colons between them, such as 00:1a:2b:3c:4d:5e. */
  mac: string
  /** 1 to 128 characters, with no control characters and no space at either end. */
  sn: string
  /** A semantic version of at most 256 characters, such as 1.4.2. */
  firmware_version: string
}

/** How long the device may register again. */
export interface ReplaceWindow {
  /** Until when the device may register again. */
  replace_until: string
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

/** One message of a device. */
export type Telemetry = {
  /** What the device says of itself. */
  status: 'online' | 'offline' | 'error'
  /** Data points: at most 500 per message and 2,000 per device, named in 1 to 128 characters without control characters or line separators, text of at most 1,024 bytes. One that is absent keeps its latest value; null removes it. */
  telemetries: {
    [key: string]: number | string | boolean | null
  }
  /** True: these data points replace the whole state, and all others are removed. */
  override?: boolean | undefined
  /** From 7 days ago to 10 minutes ahead; the time of arrival by default. */
  timestamp?: string | undefined
  /** A repeat of (device, timestamp, message_id) is stored once. Needs timestamp. */
  message_id?: string | undefined
  /** The current firmware, as a semantic version. Send it with every message, or once after an update. */
  firmware_version?: string | undefined
} & ({ message_id?: undefined } | { message_id: string; timestamp: string })

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

/** Claims about the person who signed in. */
export interface UserInfo {
  /** Identifies the person, and never changes. */
  sub: string
  /** The name of the person. */
  name?: string | undefined
  /** The email address of the person. */
  email?: string | undefined
  /** Whether the address is proven to be theirs. */
  email_verified?: boolean | undefined
  /** Absent once the person no longer belongs to the organization. */
  org_id?: string | undefined
  /** The name of the organization. */
  org_name?: string | undefined
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

/** The body of a delivery to a webhook. Which event it is, says `type`. */
export type WebhookBody =
  | DeviceRegisteredEvent
  | DeviceUpdatedEvent
  | DeviceClaimedEvent
  | DeviceRemovedEvent
  | DeviceStatusChangedEvent
  | DeviceCommandEvent
  | GrantRevokedEvent
  | GrantConnectedEvent
  | ApprovalRequestedEvent
  | ApprovalGivenEvent
  | ApprovalWithdrawnEvent
  | ApplicationDisabledEvent
  | ApiKeyExpiringEvent
  | WebhookTestEvent

/** How to rotate the secret. */
export interface WebhookSecretRotation {
  /** How long the previous secret also signs. Use 0 after a leak. */
  overlap_seconds?: number | undefined
}

/** Sent on request from the portal or the API. */
export interface WebhookTestEvent {
  /** What happened. */
  type: 'webhook.test'
  /** When it happened. */
  timestamp: string
  data: WebhookTestEventData
}

/** What it happened to. */
export interface WebhookTestEventData {
  /** A greeting. */
  message: string
}

/** Why the service refused. */
export type RefusalCode =
  | 'administrators_only'
  | 'administrators_protected'
  | 'already_decided'
  | 'already_invited'
  | 'already_member'
  | 'already_registered'
  | 'already_rotated'
  | 'api_key_expired'
  | 'application_required'
  | 'belongs_elsewhere'
  | 'changed_meanwhile'
  | 'claim_failed'
  | 'command_finished'
  | 'command_under_way'
  | 'customer_required'
  | 'delivery_under_way'
  | 'device_moved'
  | 'device_offline'
  | 'device_removed'
  | 'domain_taken'
  | 'foreign_origin'
  | 'group_in_use'
  | 'idempotency_key_in_use'
  | 'idempotency_key_reused'
  | 'idempotent_answer_lost'
  | 'internal'
  | 'invalid'
  | 'invalid_access_key'
  | 'invalid_hardware_key'
  | 'last_administrator'
  | 'last_member'
  | 'mac_taken'
  | 'malformed_json'
  | 'name_confusable'
  | 'name_taken'
  | 'no_second_factor'
  | 'not_approved'
  | 'not_claimed'
  | 'not_found'
  | 'not_permitted'
  | 'overloaded'
  | 'own_second_factors'
  | 'partner_members_only'
  | 'partner_required'
  | 'portal_session_required'
  | 'proof_needed'
  | 'read_too_large'
  | 'reset_ended'
  | 'reset_pending'
  | 'second_administrator_needed'
  | 'second_factor_required'
  | 'settings_changed'
  | 'sn_taken'
  | 'space_move_refused'
  | 'space_not_empty'
  | 'space_within_itself'
  | 'storage_full'
  | 'synced_by_another'
  | 'template_exists'
  | 'too_large'
  | 'too_many_api_keys'
  | 'too_many_application_requests'
  | 'too_many_attempts'
  | 'too_many_commands'
  | 'too_many_groups'
  | 'too_many_hardware_keys'
  | 'too_many_levels'
  | 'too_many_members'
  | 'too_many_models'
  | 'too_many_polls'
  | 'too_many_reads'
  | 'too_many_requests'
  | 'too_many_setting_templates'
  | 'too_many_spaces'
  | 'too_many_streams'
  | 'too_many_to_sort'
  | 'too_many_users'
  | 'too_many_views'
  | 'too_many_webhooks'
  | 'unavailable'
  | 'unknown_outcome'
  | 'unsupported_content_encoding'
  | 'unsupported_media_type'
  | 'webhook_disabled'
