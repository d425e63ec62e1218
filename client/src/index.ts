/** The partner kit: what a partner's cloud needs to connect organizations, sync devices and receive webhooks. */
export type { CallOptions, ChangeOptions, CreateOptions, List, Page } from './api-client.ts'
export { type Backoff, usualBackoff } from './backoff.ts'
export type { CommandContext, CommandHandler, HandlerOptions } from './command-runner.ts'
export {
  type CommandStore,
  memoryCommandStore,
  type RememberedCommand,
  type UnsettledCommand,
} from './command-store.ts'
export {
  type CommandDeclaration,
  type CommandOutcome,
  type CommandReport,
  type CommandTypes,
  type DefinedCommands,
  defineCommands,
  type HandedOutCommand,
  type ParameterDeclaration,
  type ParametersOf,
  type RefusedSetting,
  type SettingsDocument,
  type SettingsReport,
  type Value,
} from './command-types.ts'
export { Application, type ApplicationOptions, type BeginOptions, type Connected, type Pending } from './connect.ts'
export { ControlledDevice, type ControlledOptions } from './controlled-device.ts'
export {
  ControlledFleet,
  type FleetCommands,
  type FleetOptions,
  type FleetPoll,
  type FleetWay,
} from './controlled-fleet.ts'
export {
  type Carrier,
  type DeviceCredentials,
  type DeviceIdentity,
  DeviceModel,
  type MassResult,
  type Message,
  type ModelOptions,
} from './devices.ts'
export {
  AccessDenied,
  CallbackDiscarded,
  CommandRejected,
  DeviceRemoved,
  type ErrorCode,
  LandbridgeError,
  NetworkError,
  NotApproved,
  type Permission,
  ReconnectRequired,
  WebhookRefused,
} from './errors.ts'
export type { DeviceEvent } from './event-stream.ts'
export type * from './generated-types.ts'
export { type ConnectHandlersOptions, connectHandlers, type Handler, webhookHandler } from './handlers.ts'
export type { Notice } from './http-way.ts'
export { Organization } from './organization.ts'
export { type OutboxOptions, TelemetryOutbox } from './outbox.ts'
export { Partner, type PartnerOptions } from './partner.ts'
export { memoryQueue, type OutboxQueue, type Queued } from './queue.ts'
export { DeviceReporter, type ReporterOptions, type Send } from './reporter.ts'
export type { RefusedSettings, SettingsHandler } from './settings-sync.ts'
export { type HeldTokens, memoryTokenStore, type TokenStore, type Tokens } from './tokens.ts'
export type { Attempt, TransportOptions } from './transport.ts'
export type { Inbox, ReceiveOptions, Way } from './ways.ts'
export { readWebhook, type WebhookData, type WebhookEvent } from './webhooks.ts'
