import type { CallOptions } from './api-client.ts'
import type { Backoff } from './backoff.ts'
import type { CommandReport, HandedOutCommand, SettingsDocument, SettingsReport } from './command-types.ts'

/** Where a way puts what it receives for a device. */
export interface Inbox {
  /** Whether there are handlers. What nobody handles is not asked for: another process may. */
  readonly wants: { commands: boolean; settings: boolean }
  /** `leftMs`: until it expires, by the service's clock. Resolves once the next one may be asked for; true if this one is over. */
  command(command: HandedOutCommand, leftMs: number | null): Promise<boolean>
  settings(document: SettingsDocument): void
  /** There are settings of this version, which can be read. */
  settingsVersion(version: number): void
  /** It is tried again. */
  error(error: unknown): void
}

export interface ReceiveOptions {
  signal: AbortSignal
  /** Over HTTP: `wait` keeps a request open, `telemetry` asks when the response to a message says that there is something. */
  ask: 'wait' | 'telemetry'
}

/** How commands and settings reach a device, and its reports the service: a `DeviceModel` over HTTP, an `MqttSender` over MQTT. */
export interface Way<Device> {
  readonly backoff: Backoff
  /** Whether `receive` brings the settings at its beginning and with each change. */
  readonly bringsSettings: boolean
  /** Until the signal is aborted. Rejects with what ends it for good: the device was removed, or has another key. */
  receive(device: Device, inbox: Inbox, options: ReceiveOptions): Promise<void>
  report(device: Device, report: CommandReport, options?: CallOptions): Promise<void>
  /** Null while no settings are wanted. */
  readSettings(device: Device, options?: CallOptions): Promise<SettingsDocument | null>
  reportSettings(device: Device, report: SettingsReport, options?: CallOptions): Promise<void>
}
