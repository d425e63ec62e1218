/** The partner kit: what a partner's cloud needs to connect organizations, sync devices and receive webhooks. */
export { type Backoff, usualBackoff } from './backoff.ts'
export { Application, type ApplicationOptions, type Connected, type Pending } from './connect.ts'
export {
  type DeviceCredentials,
  type DeviceIdentity,
  DeviceModel,
  type MassResult,
  type ModelOptions,
  type RegisteredDevice,
  type Telemetry,
} from './devices.ts'
export { AccessDenied, CallbackDiscarded, DeviceRemoved, LandbridgeError, ReconnectRequired } from './errors.ts'
export { Organization, type Page } from './organization.ts'
export { type OutboxOptions, TelemetryOutbox } from './outbox.ts'
export { memoryTokenStore, type TokenStore, type Tokens } from './tokens.ts'
export { readWebhook, type WebhookEvent, WebhookRefused } from './webhooks.ts'
