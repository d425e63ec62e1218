import type { Item, Responses } from './generated.ts'

/** The partner API has the same. */
export type OwnLimits = Responses['GET /core/v1/organization/limits']

export type Info = Responses['GET /core/v1/organization/info']

export type Device = Item<'GET /core/v1/organization/devices'>
export type DeviceWithState = Responses['GET /core/v1/organization/devices/{id}']
export type DeviceCounts = Responses['GET /core/v1/organization/devices/counts']
export type DeviceTotal = Responses['GET /core/v1/organization/devices/total']
export type DeviceView = Item<'GET /core/v1/organization/device-views'>
export type DeviceTag = Item<'GET /core/v1/organization/device-tags'>
export type DeviceChangeResults = Responses['POST /core/v1/organization/devices/change-list']
export type DeviceRemovalResults = Responses['POST /core/v1/organization/devices/remove-list']
export type ClaimListResult = Responses['POST /core/v1/organization/devices/claim-list']
export type Status = Device['status']
export type DataPoint = DeviceWithState['state'][string]
export type Value = DataPoint['value']
export type Message = Item<'GET /core/v1/organization/devices/{id}/history'>
export type Series = Responses['GET /core/v1/organization/devices/{id}/series']
export type Timelines = Responses['GET /core/v1/organization/devices/{id}/timelines']
export type StatusPeriods = Responses['GET /core/v1/organization/devices/{id}/status-history']
export type StatusPeriod = Item<'GET /core/v1/organization/devices/{id}/status-history'>
export type Uptime = Responses['GET /core/v1/organization/devices/{id}/uptime']

export type Model = Item<'GET /core/v1/organization/models'>
export type Space = Item<'GET /core/v1/organization/spaces'>

export type SpaceImportResult = Responses['POST /core/v1/organization/spaces/import']
export type SpaceMatch = Item<'GET /core/v1/organization/spaces/search'>
export type SpaceSummary = Responses['GET /core/v1/organization/spaces/{id}/summary']
export type ChildSpace = Item<'GET /core/v1/organization/spaces/{id}/children'>
export type SpaceDataPoint = Item<'GET /core/v1/organization/spaces/{id}/data-points'>
export type Aggregate = Responses['GET /core/v1/organization/spaces/{id}/series']
export type TrendPoint = Item<'GET /core/v1/organization/devices/trend'>

export type User = Item<'GET /core/v1/organization/users'>
export type Group = Item<'GET /core/v1/organization/groups'>
/** Without what only the customers' invitations have: role and groups. */
export type Invitation = Item<'GET /core/v1/partner/invitations'>
export type UserInvitation = Item<'GET /core/v1/organization/invitations'>
export type InvitationLink = Responses['POST /core/v1/organization/invitations/{id}/link']
export type PasswordResetLink = Responses['POST /core/v1/organization/users/{id}/password-reset']

export type ApiKey = Item<'GET /core/v1/organization/api-keys'>
export type NewApiKey = Responses['POST /core/v1/organization/api-keys']
export type ConnectedApp = Item<'GET /core/v1/organization/connected-apps'>
export type ApprovalRequest = Item<'GET /core/v1/organization/approval-requests'>
export type AuditEvent = Item<'GET /core/v1/operator/audit-events'>
export type AuditEventPage = Responses['GET /core/v1/operator/audit-events']
export type CustomerAuditEvent = Item<'GET /core/v1/organization/audit-events'>

export function deviceName({ name, sn }: { name: string | null; sn: string }): string {
  return name ?? `Device ${sn}`
}
