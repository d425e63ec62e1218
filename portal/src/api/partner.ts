import type { Item, Responses } from './generated.ts'

export type { DataDictionary, DictionaryEntry } from './generated.ts'

export type PartnerInfo = Responses['GET /core/v1/partner/info']
export type PartnerDomain = Responses['GET /core/v1/partner/domain']
export type RequestedChange = NonNullable<PartnerInfo['requested_change']>
export type RequestedChangeWithLogo = Responses['GET /core/v1/partner/presentation-changes/{id}']
export type PartnerProgress = Responses['GET /core/v1/partner/progress']
export type Application = Item<'GET /core/v1/partner/applications'>
export type Model = Item<'GET /core/v1/partner/models'>
export type HardwareKey = Item<'GET /core/v1/partner/models/{id}/hardware-keys'>
export type FleetTotal = Responses['GET /core/v1/partner/devices/total']
export type Suggestion = Item<'GET /core/v1/partner/models/{id}/dictionary/suggestions'>
export type FleetDevice = Item<'GET /core/v1/partner/devices'>
export type FleetCounts = Responses['GET /core/v1/partner/devices/counts']
export type FleetDeviceWithState = Responses['GET /core/v1/partner/devices/{id}']
export type IntegrationLogEntry = Item<'GET /core/v1/partner/integration-log'>
export type Webhook = Item<'GET /core/v1/partner/webhooks'>
export type NewWebhook = Responses['POST /core/v1/partner/webhooks']
export type WebhookSecret = Responses['POST /core/v1/partner/webhooks/{id}/secret']
export type Member = Item<'GET /core/v1/partner/members'>
export type PartnerAuditEvent = Item<'GET /core/v1/partner/audit-events'>
export type Delivery = Item<'GET /core/v1/partner/webhooks/{id}/deliveries'>

export const eventTypes = [
  'device.registered',
  'device.updated',
  'device.claimed',
  'device.removed',
  'device.status_changed',
  'grant.revoked',
  'grant.connected',
  'approval.requested',
  'approval.given',
  'approval.withdrawn',
  'application.disabled',
]
