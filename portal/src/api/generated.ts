// Generated from the OpenAPI document by `npm run generate:api-types`. Do not edit.
// Only portal/src/api/ reads it; pages use the names given there.

export type Item<Operation extends keyof Responses> = Responses[Operation] extends { items: (infer One)[] }
  ? One
  : never

/** Who did it. */
export interface Actor {
  kind: string
  id?: string
}

/** One data point over many devices, reduced to fit a chart. */
export interface Aggregate {
  from: string
  to: string
  bucket_seconds: number
  devices: number
  complete: boolean
  series: AggregateBucket[]
}

/** The last values of the devices in one interval, put together. */
export interface AggregateBucket {
  at: string
  min: number
  max: number
  avg: number
  sum: number
  count: number
}

/** A value that the data dictionary of the model calls an alarm. */
export interface AlarmValue {
  key: string
  value: number | string | boolean
  since: string | null
}

/** A pending invitation to a customer or to a partner. */
export interface AnyInvitation {
  id: string
  email: string
  name: string | null
  has_link: boolean
  made_by: InvitationMaker
  created_at: string
  expires_at: string
  customer_id: string | null
  partner_id: string | null
  role: Role | null
  group_ids: string[]
  can_view_devices: boolean
}

/** A page of a list: see `AnyInvitation`. */
export interface AnyInvitationList {
  items: AnyInvitation[]
  next: string | null
}

/** A pending invitation, with its link. */
export interface AnyInvitationWithLink {
  id: string
  email: string
  name: string | null
  has_link: boolean
  made_by: InvitationMaker
  created_at: string
  expires_at: string
  customer_id: string | null
  partner_id: string | null
  role: Role | null
  group_ids: string[]
  can_view_devices: boolean
  link: string
}

/** An API key, without the key itself. */
export interface ApiKey {
  id: string
  name: string
  hint: string
  created_by: string | null
  created_at: string
  last_used_at: string | null
}

/** A page of a list: see `ApiKey`. */
export interface ApiKeyList {
  items: ApiKey[]
  next: string | null
}

/** An application of a partner. */
export interface Application {
  client_id: string
  name: string
  home_page: string | null
  logo: string | null
  redirect_uris: string[]
  id_token_alg: 'RS256' | 'ES256'
  enabled: boolean
  secrets: ClientSecretHint[]
  secret_rotation_requested_at: string | null
  requested_change: RequestedChange | null
  created_at: string
}

/** A page of a list: see `Application`. */
export interface ApplicationList {
  items: Application[]
  next: string | null
}

/** An application, with the number of its grants. */
export interface ApplicationWithGrants {
  client_id: string
  name: string
  home_page: string | null
  logo: string | null
  redirect_uris: string[]
  id_token_alg: 'RS256' | 'ES256'
  enabled: boolean
  secrets: ClientSecretHint[]
  secret_rotation_requested_at: string | null
  requested_change: RequestedChange | null
  created_at: string
  partner_id: string
  active_grants: number
}

/** A member asks the administrators to approve an application. */
export interface ApprovalRequest {
  id: string
  application: RequestedApplication
  user: UserReference
  note: string | null
  requested_at: string
}

/** A page of a list: see `ApprovalRequest`. */
export interface ApprovalRequestList {
  items: ApprovalRequest[]
  next: string | null
}

/** The first devices to look at; there is one page. */
export interface AttentionList {
  items: Device[]
  next: null
}

/** The longest that something may be or last. */
export interface Bound {
  what: string
  max: number
  unit: 'characters' | 'seconds'
}

/** An application after a change. */
export interface ChangedApplication {
  client_id: string
  name: string
  home_page: string | null
  logo: string | null
  redirect_uris: string[]
  id_token_alg: 'RS256' | 'ES256'
  enabled: boolean
  secrets: ClientSecretHint[]
  secret_rotation_requested_at: string | null
  requested_change: RequestedChange | null
  created_at: string
  partner_id: string
  revoked_grants: number
}

/** A connected application after a change. */
export interface ChangedConnectedApp {
  client_id: string
  name: string
  home_page: string | null
  logo: string | null
  partner_name: string
  partner_domain: string | null
  enabled: boolean
  policy: SignInPolicy
  approved_at: string
  approved_by: UserReference | null
  connected_at: string | null
  last_used_at: string | null
  user_count: number
  users: ConnectedUser[]
  tokens: 'stay' | 'revoked' | 'none'
}

/** A space inside another, with what is in it and below it. */
export interface ChildSpace {
  id: string
  parent_id: string | null
  name: string
  synced: boolean
  synced_by: string | null
  created_at: string
  spaces_below: number
  devices: DeviceCounts
}

/** A page of a list: see `ChildSpace`. */
export interface ChildSpaceList {
  items: ChildSpace[]
  next: string | null
}

/** A model whose devices can be claimed. */
export interface ClaimableModel {
  id: string
  name: string
  partner_name: string
}

/** A page of a list: see `ClaimableModel`. */
export interface ClaimableModelList {
  items: ClaimableModel[]
  next: string | null
}

/** A valid client secret, by its first characters. */
export interface ClientSecretHint {
  hint: string
  created_at: string
  expires_at: string | null
}

/** An application that this organization approved. */
export interface ConnectedApp {
  client_id: string
  name: string
  home_page: string | null
  logo: string | null
  partner_name: string
  partner_domain: string | null
  enabled: boolean
  policy: SignInPolicy
  approved_at: string
  approved_by: UserReference | null
  connected_at: string | null
  last_used_at: string | null
  user_count: number
  users: ConnectedUser[]
}

/** A page of a list: see `ConnectedApp`. */
export interface ConnectedAppList {
  items: ConnectedApp[]
  next: string | null
}

/** A person who connected the application. */
export interface ConnectedUser {
  id: string
  name: string
  email: string
  connected_at: string
}

/** A new API key, with the key itself. */
export interface CreatedApiKey {
  id: string
  name: string
  hint: string
  created_by: string | null
  created_at: string
  last_used_at: string | null
  key: string
}

/** A new application, with its secret. */
export interface CreatedApplication {
  client_id: string
  name: string
  home_page: string | null
  logo: string | null
  redirect_uris: string[]
  id_token_alg: 'RS256' | 'ES256'
  enabled: boolean
  secrets: ClientSecretHint[]
  secret_rotation_requested_at: string | null
  requested_change: RequestedChange | null
  created_at: string
  partner_id: string
  client_secret: string
}

/** A new invitation; with its link where a person made it in the portal. */
export interface CreatedInvitation {
  id: string
  email: string
  name: string | null
  has_link: boolean
  made_by: InvitationMaker
  created_at: string
  expires_at: string
  role: Role
  group_ids: string[]
  can_view_devices: boolean
  link: string | null
}

/** A new model, with its first hardware key. */
export interface CreatedModel {
  id: string
  name: string
  authentication_method: 'MAC & Serial Number'
  offline_after_seconds: number
  created_at: string
  hardware_key: string
}

/** A new partner, with its lab tenant. */
export interface CreatedPartner {
  id: string
  name: string
  portal_domain: string | null
  created_at: string
  lab: LabTenant
}

/** A new webhook, with its secret. */
export interface CreatedWebhook {
  id: string
  url: string
  description: string | null
  events: string[]
  enabled: boolean
  disabled_at: string | null
  disabled_because: 'by_partner' | 'gone' | 'failing' | null
  failing_since: string | null
  previous_secret_expires_at: string | null
  created_at: string
  secret: string
}

/** What people see now; the logo by its path. */
export interface CurrentLook {
  name: string
  home_page: string | null
  logo: string | null
}

/** A customer: an organization with users, spaces and devices. */
export interface Customer {
  id: string
  partner_id: string
  name: string
  lab: boolean
  created_at: string
}

/** An active administrator of the customer. */
export interface CustomerAdministrator {
  name: string
  email: string
}

/** An application that a customer approved. */
export interface CustomerApp {
  client_id: string
  name: string
  partner_name: string
  enabled: boolean
  approved_at: string
  connected_at: string | null
  last_used_at: string | null
}

/** A page of a list: see `CustomerApp`. */
export interface CustomerAppList {
  items: CustomerApp[]
  next: string | null
}

/** A group of users of a customer. */
export interface CustomerGroup {
  id: string
  customer_id: string
  name: string
  created_at: string
}

/** A page of a list: see `CustomerGroup`. */
export interface CustomerGroupList {
  items: CustomerGroup[]
  next: string | null
}

/** A page of a list: see `Customer`. */
export interface CustomerList {
  items: Customer[]
  next: string | null
}

/** A customer that the person belongs to. */
export interface CustomerMembership {
  id: string
  name: string
  lab: boolean
  role: 'administrator' | 'member'
  can_view_devices: boolean
  administrators: CustomerAdministrator[]
}

/** What the data points of a model mean. Telemetry is never refused because of it. */
export interface DataDictionary {
  data_points: DictionaryEntry[]
}

/** The latest value of a data point. */
export interface DataPointValue {
  value: number | string | boolean
  at: string
}

/** A device of this organization. */
export interface Device {
  id: string
  model_id: string
  mac: string
  sn: string
  firmware_version: string
  status: DeviceStatus
  status_at: string
  reason: DeviceReason | null
  alarm: AlarmValue | null
  last_seen_at: string | null
  registered_at: string
  claimed_at: string | null
  replace_until: string | null
  name: string | null
  space_id: string | null
  space_path: string[]
  tags: string[]
}

/** What came of one line of the list. */
export interface DeviceChangeResult {
  outcome: 'changed' | 'unchanged' | 'not_found' | 'unknown_space' | 'invalid'
  error?: string
  details?: FieldProblem[]
}

/** What came of every line of the list. */
export interface DeviceChangeResults {
  results: DeviceChangeResult[]
}

/** What came of one line of the list. */
export interface DeviceClaimResult {
  outcome: 'claimed' | 'already_yours' | 'claim_failed' | 'unknown_space' | 'invalid' | 'not_tried'
  device_id?: string
  error?: string
  details?: FieldProblem[]
}

/** What came of every line of the list. */
export interface DeviceClaimResults {
  results: DeviceClaimResult[]
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

/** The number of devices in each status. */
export interface DeviceCounts {
  never_seen: number
  online: number
  offline: number
  error: number
}

/** A page of a list: see `Device`. */
export interface DeviceList {
  items: Device[]
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
  outcome: 'removed' | 'already_removed' | 'not_found'
}

/** What came of every device of the list. */
export interface DeviceRemovalResults {
  results: DeviceRemovalResult[]
}

/** `offline`: nothing came for as long as its model allows, or the device said so. */
export type DeviceStatus = 'never_seen' | 'online' | 'offline' | 'error'

/** A tag that at least one device has. */
export interface DeviceTag {
  tag: string
}

/** A page of a list: see `DeviceTag`. */
export interface DeviceTagList {
  items: DeviceTag[]
  next: string | null
}

/** How many devices match. */
export interface DeviceTotal {
  total: number
  more: boolean
}

/** The counts of the last day, oldest first; there is one page. */
export interface DeviceTrend {
  items: DeviceTrendPoint[]
  next: null
}

/** The number of devices in each status at an instant. */
export interface DeviceTrendPoint {
  at: string
  never_seen: number
  online: number
  offline: number
  error: number
}

/** A saved view of the device list, for everyone who administers the organization. */
export interface DeviceView {
  id: string
  name: string
  query: DeviceViewQuery
  created_at: string
}

/** A page of a list: see `DeviceView`. */
export interface DeviceViewList {
  items: DeviceView[]
  next: string | null
}

/** Filters, order and columns of a device list. */
export interface DeviceViewQuery {
  space_id?: string
  no_space?: boolean
  model_id?: string
  status?: string
  tag?: string
  search?: string
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
  columns?: DeviceColumn[]
}

/** A device of this organization, with its note. */
export interface DeviceWithNote {
  id: string
  model_id: string
  mac: string
  sn: string
  firmware_version: string
  status: DeviceStatus
  status_at: string
  reason: DeviceReason | null
  alarm: AlarmValue | null
  last_seen_at: string | null
  registered_at: string
  claimed_at: string | null
  replace_until: string | null
  name: string | null
  space_id: string | null
  space_path: string[]
  tags: string[]
  note: string | null
}

/** A device of this organization, with its note and its state. */
export interface DeviceWithState {
  id: string
  model_id: string
  mac: string
  sn: string
  firmware_version: string
  status: DeviceStatus
  status_at: string
  reason: DeviceReason | null
  alarm: AlarmValue | null
  last_seen_at: string | null
  registered_at: string
  claimed_at: string | null
  replace_until: string | null
  name: string | null
  space_id: string | null
  space_path: string[]
  tags: string[]
  note: string | null
  state: {
    [key: string]: DataPointValue
  }
}

/** What a data point means and how it is shown. */
export interface DictionaryEntry {
  key: string
  type: 'number' | 'boolean' | 'text'
  label?: string
  description?: string
  unit?: string
  decimals?: number
  min?: number
  max?: number
  values?: ValueMeaning[]
  chart?: boolean
}

/** An entry for a data point that devices have sent. */
export interface DictionarySuggestion {
  entry: DictionaryEntry
  devices: number
  min: number | null
  max: number | null
}

/** Entries for what devices have sent; there is one page. */
export interface DictionarySuggestionList {
  items: DictionarySuggestion[]
  next: null
}

/** What is wrong with one field of the request. */
export interface FieldProblem {
  field: string
  message: string
}

/** The devices of one model and firmware version, by status. */
export interface FleetCount {
  model_id: string
  model_name: string
  firmware_version: string
  never_seen: number
  online: number
  offline: number
  error: number
}

/** The devices of a partner by model, firmware version and status. */
export interface FleetCounts {
  counted_at: string | null
  items: FleetCount[]
  next: null
}

/** A group of users. */
export interface Group {
  id: string
  name: string
  created_at: string
}

/** A page of a list: see `Group`. */
export interface GroupList {
  items: Group[]
  next: string | null
}

/** A group, by id and name. */
export interface GroupReference {
  id: string
  name: string
}

/** A key that lets devices of a model register. */
export interface HardwareKey {
  id: string
  hardware_key: string
  uses: number
  last_used_at: string | null
  created_at: string
  revoked_at: string | null
}

/** All hardware keys of the model; there is one page. */
export interface HardwareKeyList {
  items: HardwareKey[]
  next: null
}

/** A message of a device, as it was stored. */
export interface HistoryMessage {
  message_id: string | null
  timestamp: string
  received_at: string
  status: string
  telemetries: {
    [key: string]: number | string | boolean
  }
}

/** A page of a list: see `HistoryMessage`. */
export interface HistoryMessageList {
  items: HistoryMessage[]
  next: string | null
}

/** A group of processes with addresses of its own, which serves a share of the devices. */
export interface HubCell {
  name: string
  hub_url: string
  hub_url_static_cert: string
  mqtt_hub_url: string
  state: 'open' | 'draining'
  running: boolean
  buckets: number
  buckets_without_redirect: number
  redirected_at: string | null
  created_at: string
  seen_at: string
}

/** All hub cells; there is one page. */
export interface HubCellList {
  items: HubCell[]
  next: null
}

/** How many buckets were moved, and the cells afterwards. */
export interface HubCellMoves {
  moved: number
  items: HubCell[]
}

/** What became of a path. */
export interface ImportedPath {
  space_id: string
  created: number
}

/** A request of an application or a device that failed, with the reason. */
export interface IntegrationFailure {
  id: string
  at: string
  request_id: string
  endpoint: string
  status: number
  error: string
  description: string | null
  reason: string
  detail: string | null
  advice: string
  application_id: string | null
  model_id: string | null
  device_id: string | null
}

/** A page of a list: see `IntegrationFailure`. */
export interface IntegrationFailureList {
  items: IntegrationFailure[]
  next: string | null
}

/** A pending invitation to this organization. */
export interface Invitation {
  id: string
  email: string
  name: string | null
  has_link: boolean
  made_by: InvitationMaker
  created_at: string
  expires_at: string
  role: Role
  group_ids: string[]
  can_view_devices: boolean
}

/** A page of a list: see `Invitation`. */
export interface InvitationList {
  items: Invitation[]
  next: string | null
}

/** The invitation becomes invalid when they lose the right to invite. The operator has no id. */
export interface InvitationMaker {
  kind: 'operator' | 'user' | 'application' | 'api_key'
  id: string | null
  name: string | null
}

/** A pending invitation to this organization, with its link. */
export interface InvitationWithLink {
  id: string
  email: string
  name: string | null
  has_link: boolean
  made_by: InvitationMaker
  created_at: string
  expires_at: string
  role: Role
  group_ids: string[]
  can_view_devices: boolean
  link: string
}

/** The partner's customer for tests. */
export interface LabTenant {
  customer_id: string
}

/** The application, API key or person whose rate it is. */
export interface LimitedCaller {
  id: string
  name: string | null
}

/** A customer or partner. */
export interface LimitedTenant {
  kind: 'customer' | 'partner'
  id: string
  name: string | null
}

/** The limits in force. */
export interface Limits {
  items: RateLimit[]
  quotas: Quota[]
  bounds: Bound[]
  next: null
}

/** A picture to be shown to people. */
export interface Logo {
  type: 'image/png' | 'image/jpeg' | 'image/webp'
  data: string
}

/** A device model of a partner. */
export interface Model {
  id: string
  name: string
  authentication_method: 'MAC & Serial Number'
  offline_after_seconds: number
  created_at: string
}

/** An OpenAPI 3.1 document; the message is its schema `Telemetry`. */
export interface ModelDocument {
  [key: string]: unknown
}

/** A page of a list: see `Model`. */
export interface ModelList {
  items: Model[]
  next: string | null
}

/** Who did it, with the name while the person, application or API key exists. */
export interface NamedActor {
  kind: string
  id?: string
  name?: string
}

/** An audit event, with the name of who did it. */
export interface NamedAuditEvent {
  id: string
  type:
    | 'api_key.created'
    | 'api_key.revoked'
    | 'application.changed'
    | 'application.created'
    | 'application.disabled'
    | 'application.enabled'
    | 'approval.changed'
    | 'approval.declined'
    | 'approval.given'
    | 'approval.requested'
    | 'approval.withdrawn'
    | 'authorization_code.reused'
    | 'client_secret.rotated'
    | 'client_secret.rotation_requested'
    | 'customer.created'
    | 'customer.renamed'
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
    | 'model.changed'
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
    | 'session.sign_in_failed'
    | 'session.signed_in'
    | 'session.signed_out'
    | 'session.signed_out_everywhere'
    | 'signing_key.added'
    | 'signing_key.removed'
    | 'space.changed'
    | 'space.created'
    | 'space.deleted'
    | 'user.email_released'
    | 'user.password_change_failed'
    | 'user.password_changed'
    | 'webhook.changed'
    | 'webhook.created'
    | 'webhook.deleted'
    | 'webhook.disabled'
    | 'webhook.secret_rotated'
  at: string
  actor: NamedActor
  partner_id?: string
  application_id?: string
  customer_id?: string
  device_id?: string
  details: {
    [key: string]: unknown
  }
}

/** A page of a list: see `NamedAuditEvent`. */
export interface NamedAuditEventList {
  items: NamedAuditEvent[]
  next: string | null
  names: {
    [key: string]: string
  }
}

/** A new client secret. */
export interface NewClientSecret {
  client_secret: string
  previous_expires_at: string
}

/** A new webhook secret. */
export interface NewWebhookSecret {
  secret: string
  previous_secret_expires_at: string | null
}

/** The organization itself. */
export interface Organization {
  id: string
  name: string
  lab: boolean
  created_at: string
  counts: OrganizationCounts
}

/** Something that happened in an organization, kept for good. */
export interface OrganizationAuditEvent {
  id: string
  type:
    | 'api_key.created'
    | 'api_key.revoked'
    | 'approval.changed'
    | 'approval.declined'
    | 'approval.given'
    | 'approval.requested'
    | 'approval.withdrawn'
    | 'authorization_code.reused'
    | 'customer.created'
    | 'customer.renamed'
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
    | 'member.added'
    | 'member.changed'
    | 'member.invitation_ended'
    | 'member.invitation_link_ended'
    | 'member.invitation_link_made'
    | 'member.invitation_withdrawn'
    | 'member.invited'
    | 'member.joined'
    | 'member.removed'
    | 'partner.created'
    | 'password.reset_link_ended'
    | 'password.reset_link_made'
    | 'refresh_token.replayed'
    | 'space.changed'
    | 'space.created'
    | 'space.deleted'
  at: string
  actor: Actor
  partner_id?: string
  application_id?: string
  customer_id?: string
  device_id?: string
  details: {
    [key: string]: unknown
  }
}

/** A page of a list: see `OrganizationAuditEvent`. */
export interface OrganizationAuditEventList {
  items: OrganizationAuditEvent[]
  next: string | null
  names: {
    [key: string]: string
  }
}

/** How much there is of everything. */
export interface OrganizationCounts {
  users: number
  groups: number
  spaces: number
  devices: number
  devices_by_status: DeviceCounts
}

/** The rates and quotas of the caller’s tenant, and how much of them is used. */
export interface OwnLimits {
  rates: UsedRate[]
  quotas: UsedQuota[]
}

/** A partner: a company that builds applications and devices. */
export interface Partner {
  id: string
  name: string
  portal_domain: string | null
  created_at: string
}

/** Something that concerns a partner, kept for good. */
export interface PartnerAuditEvent {
  id: string
  type:
    | 'api_key.created'
    | 'api_key.revoked'
    | 'application.changed'
    | 'application.created'
    | 'application.disabled'
    | 'application.enabled'
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
  at: string
  actor: Actor
  partner_id?: string
  application_id?: string
  customer_id?: string
  device_id?: string
  details: {
    [key: string]: unknown
  }
}

/** A page of a list: see `PartnerAuditEvent`. */
export interface PartnerAuditEventList {
  items: PartnerAuditEvent[]
  next: string | null
  names: {
    [key: string]: string
  }
}

/** A device as its partner sees it, without account data of the customer. */
export interface PartnerDevice {
  id: string
  model_id: string
  mac: string
  sn: string
  firmware_version: string
  status: DeviceStatus
  status_at: string
  reason: DeviceReason | null
  alarm: AlarmValue | null
  last_seen_at: string | null
  registered_at: string
  claimed_at: string | null
  replace_until: string | null
  claimed: boolean
}

/** A page of a list: see `PartnerDevice`. */
export interface PartnerDeviceList {
  items: PartnerDevice[]
  next: string | null
}

/** A device as its partner sees it, with its state. */
export interface PartnerDeviceWithState {
  id: string
  model_id: string
  mac: string
  sn: string
  firmware_version: string
  status: DeviceStatus
  status_at: string
  reason: DeviceReason | null
  alarm: AlarmValue | null
  last_seen_at: string | null
  registered_at: string
  claimed_at: string | null
  replace_until: string | null
  claimed: boolean
  state: {
    [key: string]: DataPointValue
  }
}

/** The domain that customers see beside the name of the partner, once verified. */
export interface PartnerDomain {
  domain: string | null
  record_name: string | null
  record_value: string | null
  verified_at: string | null
  checked_at: string | null
  result: 'found' | 'missing' | 'unreachable' | null
  ends_at: string | null
}

/** The partner itself. */
export interface PartnerInfo {
  id: string
  name: string
  portal_domain: string | null
  accent_color: string | null
  logo: string | null
  lab_customer_id: string | null
  requested_change: RequestedChange | null
  created_at: string
}

/** A pending invitation to a partner. */
export interface PartnerInvitation {
  id: string
  email: string
  name: string | null
  has_link: boolean
  made_by: InvitationMaker
  created_at: string
  expires_at: string
}

/** A page of a list: see `PartnerInvitation`. */
export interface PartnerInvitationList {
  items: PartnerInvitation[]
  next: string | null
}

/** A pending invitation to a partner, with its link. */
export interface PartnerInvitationWithLink {
  id: string
  email: string
  name: string | null
  has_link: boolean
  made_by: InvitationMaker
  created_at: string
  expires_at: string
  link: string
}

/** A page of a list: see `Partner`. */
export interface PartnerList {
  items: Partner[]
  next: string | null
}

/** A person who works for a partner. */
export interface PartnerMember {
  id: string
  email: string
  name: string
  created_at: string
}

/** A page of a list: see `PartnerMember`. */
export interface PartnerMemberList {
  items: PartnerMember[]
  next: string | null
}

/** A partner that the person works for. */
export interface PartnerMembership {
  id: string
  name: string
}

/** Which steps of an integration are done, from what there is. */
export interface PartnerProgress {
  application_registered: boolean
  application_approved: boolean
  model_added: boolean
  device_registered: boolean
  telemetry_received: boolean
  device_claimed: boolean
  webhook_added: boolean
  colleague_joined: boolean
}

/** A one-time link to set a new password. */
export interface PasswordReset {
  link: string
  expires_at: string
}

/** A person with an account on this service. */
export interface Person {
  id: string
  email: string
  name: string
  email_verified: boolean
  created_at: string
}

/** A person, with their memberships and whether they are signed in. */
export interface PersonDetails {
  id: string
  email: string
  name: string
  email_verified: boolean
  created_at: string
  sign_in: SignInState
  customers: PersonMembership[]
  partners: PartnerMembership[]
}

/** A page of a list: see `Person`. */
export interface PersonList {
  items: Person[]
  next: string | null
}

/** A customer that the person belongs to. */
export interface PersonMembership {
  id: string
  name: string
  lab: boolean
  role: Role
  active: boolean
}

/** A change of what people see that waits for the operator. */
export interface PresentationChange {
  id: string
  revision: number
  partner_id: string
  partner_name: string
  partner_domain: string | null
  client_id: string | null
  current: CurrentLook
  fields: ('name' | 'home_page' | 'logo')[]
  name: string | null
  home_page: string | null
  requested_at: string
}

/** A page of a list: see `PresentationChange`. */
export interface PresentationChangeList {
  items: PresentationChange[]
  next: string | null
}

/** A change that waits, with the wanted logo. */
export interface PresentationChangeWithLogo {
  id: string
  revision: number
  partner_id: string
  partner_name: string
  partner_domain: string | null
  client_id: string | null
  current: CurrentLook
  fields: ('name' | 'home_page' | 'logo')[]
  name: string | null
  home_page: string | null
  requested_at: string
  logo: Logo | null
}

/** How many of a thing there may be. */
export interface Quota {
  name: string
  what: string
  per: string
  max: number
}

/** A limit of requests per time. */
export interface RateLimit {
  what: string
  per: string
  max: number
  window_seconds: number
}

/** A rate or quota that a tenant has used to 80% or more, or beyond. */
export interface ReachedLimit {
  tenant: LimitedTenant
  name: string
  what: string
  used: number
  max: number
  caller: LimitedCaller | null
  reached_at: string
  refused_at: string | null
  refusals: number
}

/** Rates and quotas that tenants have nearly or fully used. */
export interface ReachedLimits {
  items: ReachedLimit[]
  next: null
}

/** An application, with its partner. */
export interface RegisteredApplication {
  client_id: string
  name: string
  home_page: string | null
  logo: string | null
  redirect_uris: string[]
  id_token_alg: 'RS256' | 'ES256'
  enabled: boolean
  secrets: ClientSecretHint[]
  secret_rotation_requested_at: string | null
  requested_change: RequestedChange | null
  created_at: string
  partner_id: string
}

/** A page of a list: see `RegisteredApplication`. */
export interface RegisteredApplicationList {
  items: RegisteredApplication[]
  next: string | null
}

/** How long the device may register again. */
export interface ReplaceWindow {
  replace_until: string
}

/** The application to approve. */
export interface RequestedApplication {
  client_id: string
  name: string
  partner_name: string
  partner_domain: string | null
  home_page: string | null
  logo: string | null
}

/** A change of what people see that waits for the operator, or was refused. */
export interface RequestedChange {
  id: string
  revision: number
  fields: ('name' | 'home_page' | 'logo')[]
  name: string | null
  home_page: string | null
  requested_at: string
  refused_at: string | null
  reason: string | null
}

/** A requested change, with the wanted logo. */
export interface RequestedChangeWithLogo {
  id: string
  revision: number
  fields: ('name' | 'home_page' | 'logo')[]
  name: string | null
  home_page: string | null
  requested_at: string
  refused_at: string | null
  reason: string | null
  logo: Logo | null
}

/** The role of a person in a customer. */
export type Role = 'administrator' | 'member'

/** How long a device had each status. */
export interface SecondsByStatus {
  never_seen: number
  online: number
  offline: number
  error: number
}

/** Numbers of data points, reduced to fit a chart. */
export interface Series {
  from: string
  to: string
  bucket_seconds: number
  series: {
    [key: string]: SeriesBucket[]
  }
}

/** The values of one interval. */
export interface SeriesBucket {
  at: string
  min: number
  max: number
  avg: number
  count: number
}

/** Who is signed in, and their memberships. */
export interface Session {
  user: SessionUser
  customers: CustomerMembership[]
  partners: PartnerMembership[]
}

/** The person who is signed in. */
export interface SessionUser {
  id: string
  name: string
  email: string
}

/** Who may connect it: `everyone`, `administrators`, or one `group`. Administrators always may. */
export interface SignInPolicy {
  kind: string
  group_id: string | null
  group_name: string | null
}

/** Whether the person can sign in, and is signed in. */
export interface SignInState {
  has_password: boolean
  sessions: number
  last_seen_at: string | null
  reset_link_expires_at: string | null
}

/** A key that signs id_tokens. */
export interface SigningKey {
  kid: string
  alg: 'RS256' | 'ES256'
  state: 'published' | 'signing' | 'retired'
  created_at: string
  signs_from: string
  signs_until: string | null
  published_until: string | null
}

/** All signing keys; there is one page. */
export interface SigningKeyList {
  items: SigningKey[]
  next: null
}

/** A space of this organization: a building, a floor, a room. */
export interface Space {
  id: string
  parent_id: string | null
  name: string
  synced: boolean
  synced_by: string | null
  created_at: string
}

/** A number or boolean that devices in a space send. */
export interface SpaceDataPoint {
  key: string
  type: 'number' | 'boolean'
  model_id: string
  devices: number
}

/** The 100 most common data points; there is one page. */
export interface SpaceDataPointList {
  items: SpaceDataPoint[]
  next: null
}

/** What an import created. */
export interface SpaceImportResult {
  created: number
  results: ImportedPath[]
}

/** A page of a list: see `Space`. */
export interface SpaceList {
  items: Space[]
  next: string | null
}

/** A space that was found, and where it is. */
export interface SpaceMatch {
  id: string
  parent_id: string | null
  name: string
  synced: boolean
  synced_by: string | null
  created_at: string
  above: SpaceReference[]
}

/** The closest spaces; there is one page. */
export interface SpaceMatchList {
  items: SpaceMatch[]
  next: null
}

/** One of the spaces above another. */
export interface SpaceReference {
  id: string
  name: string
}

/** A space with what is in it and below it. */
export interface SpaceSummary {
  id: string
  parent_id: string | null
  name: string
  synced: boolean
  synced_by: string | null
  created_at: string
  above: SpaceReference[]
  spaces_below: number
  synced_below: boolean
  devices: DeviceCounts
  devices_directly: DeviceCounts
}

/** The certificate that never changes, for devices that pin it. */
export interface StaticCertificate {
  url: string
  certificate: string
  sha256_fingerprint: string
}

/** A period in which a device had one status, cut to the range. */
export interface StatusPeriod {
  status: DeviceStatus
  from: string
  to: string | null
}

/** A page of a list: see `StatusPeriod`. */
export interface StatusPeriodList {
  items: StatusPeriod[]
  next: string | null
}

/** A period in which a data point had one value. */
export interface TimelinePeriod {
  from: string
  to: string
  value: number | string | boolean | null
  changes: number
}

/** Values of data points as periods. */
export interface Timelines {
  from: string
  to: string
  timelines: {
    [key: string]: TimelinePeriod[]
  }
}

/** How much of a range a device could be reached. */
export interface Uptime {
  from: string
  to: string
  uptime: number | null
  seconds: SecondsByStatus
}

/** How many of a thing there are and may be. */
export interface UsedQuota {
  name: string
  what: string
  used: number | null
  max: number
  refused_at: string | null
}

/** A limit of calls per time, and how many there were. */
export interface UsedRate {
  name: string
  what: string
  used: number
  max: number
  window_seconds: number
  refused_at: string | null
}

/** A user of an organization. */
export interface User {
  id: string
  email: string
  name: string
  email_verified: boolean
  role: Role
  active: boolean
  can_view_devices: boolean
  groups: GroupReference[]
  created_at: string
}

/** A page of a list: see `User`. */
export interface UserList {
  items: User[]
  next: string | null
}

/** A person, by id, name and email. */
export interface UserReference {
  id: string
  name: string
  email: string
}

/** What one value of a data point means. */
export interface ValueMeaning {
  value: number | string | boolean
  label?: string
  alarm?: boolean
}

/** An address that receives events. */
export interface Webhook {
  id: string
  url: string
  description: string | null
  events: string[]
  enabled: boolean
  disabled_at: string | null
  disabled_because: 'by_partner' | 'gone' | 'failing' | null
  failing_since: string | null
  previous_secret_expires_at: string | null
  created_at: string
}

/** An event on its way to a webhook. */
export interface WebhookDelivery {
  event_id: string
  type: string
  state: 'pending' | 'delivered' | 'failed'
  queued_at: string
  attempts: number
  next_attempt_at: string | null
  next_attempt_reason: 'under_way' | 'queued' | 'retry_delay' | 'event_type_failing' | null
  attempted_at: string | null
  response_status: number | null
  failure: string | null
  duration_ms: number | null
  payload: string
}

/** A page of a list: see `WebhookDelivery`. */
export interface WebhookDeliveryList {
  items: WebhookDelivery[]
  next: string | null
}

/** A page of a list: see `Webhook`. */
export interface WebhookList {
  items: Webhook[]
  next: string | null
}

/** What the withdrawal ended. */
export interface WithdrawnApproval {
  client_id: string
  grant_revoked: boolean
  spaces_released: number
}

/** The JSON body of each operation's successful response. */
export interface Responses {
  'POST /core/v1/operator/partners': CreatedPartner
  'GET /core/v1/operator/partners': PartnerList
  'GET /core/v1/operator/partners/{id}': Partner
  'PATCH /core/v1/operator/partners/{id}': Partner
  'POST /core/v1/operator/partners/{id}/applications': CreatedApplication
  'GET /core/v1/operator/partners/{id}/applications': RegisteredApplicationList
  'GET /core/v1/operator/applications': RegisteredApplicationList
  'GET /core/v1/operator/applications/{client_id}': ApplicationWithGrants
  'PATCH /core/v1/operator/applications/{client_id}': ChangedApplication
  'POST /core/v1/operator/applications/{client_id}/secret': NewClientSecret
  'GET /core/v1/operator/presentation-changes': PresentationChangeList
  'GET /core/v1/operator/presentation-changes/{id}': PresentationChangeWithLogo
  'POST /core/v1/operator/customers': Customer
  'GET /core/v1/operator/customers': CustomerList
  'GET /core/v1/operator/customers/{id}': Customer
  'PATCH /core/v1/operator/customers/{id}': Customer
  'GET /core/v1/operator/customers/{id}/connected-apps': CustomerAppList
  'POST /core/v1/operator/customers/{id}/users': User
  'GET /core/v1/operator/customers/{id}/users': UserList
  'GET /core/v1/operator/customers/{id}/users/{user_id}': User
  'PATCH /core/v1/operator/customers/{id}/users/{user_id}': User
  'POST /core/v1/operator/customers/{id}/groups': CustomerGroup
  'GET /core/v1/operator/customers/{id}/groups': CustomerGroupList
  'GET /core/v1/operator/customers/{id}/groups/{group_id}': CustomerGroup
  'GET /core/v1/operator/users': PersonList
  'GET /core/v1/operator/users/{id}': PersonDetails
  'POST /core/v1/operator/users/{id}/password-reset': PasswordReset
  'POST /core/v1/operator/users/{id}/release-email': Person
  'GET /core/v1/operator/partners/{id}/members': PartnerMemberList
  'POST /core/v1/operator/partners/{id}/invitations': PartnerInvitationWithLink
  'GET /core/v1/operator/invitations': AnyInvitationList
  'POST /core/v1/operator/customers/{id}/invitations': AnyInvitationWithLink
  'POST /core/v1/operator/invitations/{id}/link': AnyInvitationWithLink
  'GET /core/v1/operator/audit-events': NamedAuditEventList
  'GET /core/v1/operator/audit-events/{id}': NamedAuditEvent
  'GET /core/v1/operator/signing-keys': SigningKeyList
  'POST /core/v1/operator/signing-keys': SigningKey
  'GET /core/v1/operator/hub-cells': HubCellList
  'POST /core/v1/operator/hub-cells/rebalance': HubCellMoves
  'POST /core/v1/operator/hub-cells/{name}/move': HubCellMoves
  'POST /core/v1/operator/hub-cells/{name}/drain': HubCellMoves
  'POST /core/v1/operator/hub-cells/{name}/open': HubCellMoves
  'GET /core/v1/operator/limits/reached': ReachedLimits
  'GET /core/v1/operator/limits': Limits
  'GET /core/v1/partner/info': PartnerInfo
  'PATCH /core/v1/partner/info': PartnerInfo
  'GET /core/v1/partner/domain': PartnerDomain
  'PUT /core/v1/partner/domain': PartnerDomain
  'POST /core/v1/partner/domain/check': PartnerDomain
  'GET /core/v1/partner/presentation-changes/{id}': RequestedChangeWithLogo
  'GET /core/v1/partner/progress': PartnerProgress
  'GET /core/v1/partner/applications': ApplicationList
  'GET /core/v1/partner/applications/{client_id}': Application
  'PATCH /core/v1/partner/applications/{client_id}': Application
  'POST /core/v1/partner/applications/{client_id}/secret-rotation': Application
  'GET /core/v1/partner/models': ModelList
  'POST /core/v1/partner/models': CreatedModel
  'GET /core/v1/partner/models/{id}': Model
  'PATCH /core/v1/partner/models/{id}': Model
  'GET /core/v1/partner/models/{id}/hardware-keys': HardwareKeyList
  'POST /core/v1/partner/models/{id}/hardware-keys': HardwareKey
  'GET /core/v1/partner/models/{id}/dictionary': DataDictionary
  'PUT /core/v1/partner/models/{id}/dictionary': DataDictionary
  'GET /core/v1/partner/models/{id}/dictionary/suggestions': DictionarySuggestionList
  'GET /core/v1/partner/models/{id}/openapi.json': ModelDocument
  'GET /core/v1/partner/devices': PartnerDeviceList
  'GET /core/v1/partner/devices/total': DeviceTotal
  'GET /core/v1/partner/devices/{id}': PartnerDeviceWithState
  'GET /core/v1/partner/devices/counts': FleetCounts
  'GET /core/v1/partner/static-certificate': StaticCertificate
  'POST /core/v1/partner/devices/{id}/replace': ReplaceWindow
  'GET /core/v1/partner/devices/{id}/history': HistoryMessageList
  'GET /core/v1/partner/devices/{id}/series': Series
  'GET /core/v1/partner/devices/{id}/timelines': Timelines
  'GET /core/v1/partner/devices/{id}/status-history': StatusPeriodList
  'GET /core/v1/partner/devices/{id}/uptime': Uptime
  'GET /core/v1/partner/integration-log': IntegrationFailureList
  'GET /core/v1/partner/webhooks': WebhookList
  'POST /core/v1/partner/webhooks': CreatedWebhook
  'GET /core/v1/partner/webhooks/{id}': Webhook
  'PATCH /core/v1/partner/webhooks/{id}': Webhook
  'POST /core/v1/partner/webhooks/{id}/secret': NewWebhookSecret
  'GET /core/v1/partner/webhooks/{id}/deliveries': WebhookDeliveryList
  'POST /core/v1/partner/webhooks/{id}/deliveries/{event_id}/redeliver': WebhookDelivery
  'POST /core/v1/partner/webhooks/{id}/test': WebhookDelivery
  'GET /core/v1/partner/members': PartnerMemberList
  'GET /core/v1/partner/members/{id}': PartnerMember
  'GET /core/v1/partner/invitations': PartnerInvitationList
  'POST /core/v1/partner/invitations': PartnerInvitationWithLink
  'POST /core/v1/partner/invitations/{id}/link': PartnerInvitationWithLink
  'GET /core/v1/partner/limits': OwnLimits
  'GET /core/v1/partner/audit-events': PartnerAuditEventList
  'GET /core/v1/partner/api-keys': ApiKeyList
  'POST /core/v1/partner/api-keys': CreatedApiKey
  'GET /core/v1/partner/api-keys/{id}': ApiKey
  'GET /core/v1/session': Session
  'GET /core/v1/organization/info': Organization
  'GET /core/v1/organization/users': UserList
  'GET /core/v1/organization/users/{id}': User
  'PATCH /core/v1/organization/users/{id}': User
  'POST /core/v1/organization/invitations': CreatedInvitation
  'GET /core/v1/organization/invitations': InvitationList
  'POST /core/v1/organization/invitations/{id}/link': InvitationWithLink
  'POST /core/v1/organization/users/{id}/password-reset': PasswordReset
  'GET /core/v1/organization/groups': GroupList
  'POST /core/v1/organization/groups': Group
  'GET /core/v1/organization/groups/{id}': Group
  'PATCH /core/v1/organization/groups/{id}': Group
  'GET /core/v1/organization/groups/{id}/members': UserList
  'GET /core/v1/organization/spaces': SpaceList
  'POST /core/v1/organization/spaces': Space
  'POST /core/v1/organization/spaces/find-or-create': Space
  'POST /core/v1/organization/spaces/import': SpaceImportResult
  'GET /core/v1/organization/spaces/search': SpaceMatchList
  'GET /core/v1/organization/spaces/{id}': Space
  'PATCH /core/v1/organization/spaces/{id}': Space
  'GET /core/v1/organization/spaces/{id}/summary': SpaceSummary
  'GET /core/v1/organization/spaces/{id}/children': ChildSpaceList
  'GET /core/v1/organization/spaces/{id}/data-points': SpaceDataPointList
  'GET /core/v1/organization/spaces/{id}/series': Aggregate
  'GET /core/v1/organization/devices': DeviceList
  'GET /core/v1/organization/devices/total': DeviceTotal
  'POST /core/v1/organization/devices/claim': Device
  'GET /core/v1/organization/devices/{id}': DeviceWithState
  'PATCH /core/v1/organization/devices/{id}': DeviceWithNote
  'POST /core/v1/organization/devices/claim-list': DeviceClaimResults
  'POST /core/v1/organization/devices/change-list': DeviceChangeResults
  'POST /core/v1/organization/devices/remove-list': DeviceRemovalResults
  'GET /core/v1/organization/device-tags': DeviceTagList
  'GET /core/v1/organization/device-views': DeviceViewList
  'POST /core/v1/organization/device-views': DeviceView
  'GET /core/v1/organization/device-views/{id}': DeviceView
  'PATCH /core/v1/organization/device-views/{id}': DeviceView
  'POST /core/v1/organization/devices/{id}/replace': ReplaceWindow
  'GET /core/v1/organization/devices/{id}/history': HistoryMessageList
  'GET /core/v1/organization/devices/{id}/series': Series
  'GET /core/v1/organization/devices/{id}/timelines': Timelines
  'GET /core/v1/organization/devices/{id}/status-history': StatusPeriodList
  'GET /core/v1/organization/devices/{id}/uptime': Uptime
  'GET /core/v1/organization/devices/counts': DeviceCounts
  'GET /core/v1/organization/devices/trend': DeviceTrend
  'GET /core/v1/organization/devices/attention': AttentionList
  'GET /core/v1/organization/models': ClaimableModelList
  'GET /core/v1/organization/models/{id}': ClaimableModel
  'GET /core/v1/organization/models/{id}/dictionary': DataDictionary
  'GET /core/v1/organization/limits': OwnLimits
  'GET /core/v1/organization/audit-events': OrganizationAuditEventList
  'GET /core/v1/organization/api-keys': ApiKeyList
  'POST /core/v1/organization/api-keys': CreatedApiKey
  'GET /core/v1/organization/api-keys/{id}': ApiKey
  'GET /core/v1/organization/connected-apps': ConnectedAppList
  'GET /core/v1/organization/connected-apps/{client_id}': ConnectedApp
  'PATCH /core/v1/organization/connected-apps/{client_id}': ChangedConnectedApp
  'DELETE /core/v1/organization/connected-apps/{client_id}': WithdrawnApproval
  'GET /core/v1/organization/approval-requests': ApprovalRequestList
  'POST /core/v1/organization/approval-requests/{id}/approve': ConnectedApp
}
