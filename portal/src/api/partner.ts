import type { BodyOf, ItemOf, ResponseOf } from './operations.ts'

export type { DataDictionary, DictionaryEntry, Logo } from './generated.ts'

export type PartnerInfo = ResponseOf<'GET /core/v1/partner/info'>
export type PartnerDomain = ResponseOf<'GET /core/v1/partner/domain'>
export type RequestedChange = NonNullable<PartnerInfo['requested_change']>
export type Application = ItemOf<'GET /core/v1/partner/applications'>
export type ApplicationRequest = ItemOf<'GET /core/v1/partner/application-requests'>
export type Model = ItemOf<'GET /core/v1/partner/models'>
export type HardwareKey = ItemOf<'GET /core/v1/partner/models/{id}/hardware-keys'>
export type FleetTotal = ResponseOf<'GET /core/v1/partner/devices/total'>
export type Suggestion = ItemOf<'GET /core/v1/partner/models/{id}/dictionary/suggestions'>
export type FleetDevice = ItemOf<'GET /core/v1/partner/devices'>
export type FleetCounts = ResponseOf<'GET /core/v1/partner/devices/counts'>
export type FleetDeviceWithState = ResponseOf<'GET /core/v1/partner/devices/{id}'>
export type IntegrationLogEntry = ItemOf<'GET /core/v1/partner/integration-log'>
export type Webhook = ItemOf<'GET /core/v1/partner/webhooks'>
export type Member = ItemOf<'GET /core/v1/partner/members'>
export type PartnerAuditEvent = ItemOf<'GET /core/v1/partner/audit-events'>
export type Delivery = ItemOf<'GET /core/v1/partner/webhooks/{id}/deliveries'>

export const eventTypes: BodyOf<'POST /core/v1/partner/webhooks'>['events'] = [
  'device.registered',
  'device.updated',
  'device.claimed',
  'device.removed',
  'device.status_changed',
  'device.command',
  'grant.revoked',
  'grant.connected',
  'approval.requested',
  'approval.given',
  'approval.withdrawn',
  'application.disabled',
]
