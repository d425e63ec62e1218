import type { ItemOf, ResponseOf } from './operations.ts'

export type Info = ResponseOf<'GET /core/v1/organization/info'>

export type Device = ItemOf<'GET /core/v1/organization/devices'>
export type DeviceWithState = ResponseOf<'GET /core/v1/organization/devices/{id}'>
export type DeviceCounts = ResponseOf<'GET /core/v1/organization/devices/counts'>
export type DeviceTotal = ResponseOf<'GET /core/v1/organization/devices/total'>
export type DeviceView = ItemOf<'GET /core/v1/organization/device-views'>
export type ClaimListResult = ResponseOf<'POST /core/v1/organization/devices/claim-list'>
export type Status = Device['status']
export type DataPoint = DeviceWithState['state'][string]
export type Value = DataPoint['value']
export type Message = ItemOf<'GET /core/v1/organization/devices/{id}/history'>
export type Timelines = ResponseOf<'GET /core/v1/organization/devices/{id}/timelines'>
export type StatusPeriods = ResponseOf<'GET /core/v1/organization/devices/{id}/status-history'>

export type Model = ItemOf<'GET /core/v1/organization/models'>
export type Space = ItemOf<'GET /core/v1/organization/spaces'>

export type SpaceMatch = ItemOf<'GET /core/v1/organization/spaces/search'>
export type SpaceSummary = ResponseOf<'GET /core/v1/organization/spaces/{id}/summary'>
export type SpaceDataPoint = ItemOf<'GET /core/v1/organization/spaces/{id}/data-points'>
export type Aggregate = ResponseOf<'GET /core/v1/organization/spaces/{id}/series'>
export type TrendPoint = ItemOf<'GET /core/v1/organization/devices/trend'>

export type User = ItemOf<'GET /core/v1/organization/users'>
export type Access = ItemOf<'GET /core/v1/organization/access'>
export type RoleInSpace = ResponseOf<'GET /core/v1/organization/users/{id}/roles'>['roles'][number]
export type Group = ItemOf<'GET /core/v1/organization/groups'>
/** Without what only the customers' invitations have: role and groups. */
export type Invitation = ItemOf<'GET /core/v1/partner/invitations'>

export type CustomerApiKey = ItemOf<'GET /core/v1/organization/api-keys'>
/** Without what only the customers' keys have: permissions and spaces. */
export type ApiKey = ItemOf<'GET /core/v1/partner/api-keys'>
export type ConnectedApp = ItemOf<'GET /core/v1/organization/connected-apps'>
export type ApprovalRequest = ItemOf<'GET /core/v1/organization/approval-requests'>
export type AuditEvent = ItemOf<'GET /core/v1/operator/audit-events'>
export type CustomerAuditEvent = ItemOf<'GET /core/v1/organization/audit-events'>

export function deviceName({ name, sn }: { name: string | null; sn: string }): string {
  return name ?? `Device ${sn}`
}
