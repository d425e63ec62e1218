import type { CallOptions } from './api-client.ts'
import { type Backoff, delayOf, sleep } from './backoff.ts'
import type { CommandReport, HandedOutCommand, SettingsDocument, SettingsReport } from './command-types.ts'
import { LandbridgeError } from './errors.ts'
import type { Reply } from './transport.ts'
import type { Inbox, ReceiveOptions } from './ways.ts'

/** What the response to a message says of what waits for the device. */
export interface Notice {
  /** A command waits. */
  command?: true
  /** Of its settings, if there ever were any. */
  config_version?: number
}

/** What is used of a `DeviceModel`. */
export interface Hub<Device> {
  readonly backoff: Backoff
  readonly timeoutMs: number
  /** To the device's own address at its hub, wherever that is by now. Throws what the service refused. */
  callHub(device: Device, path: string, sent: { method: string; body?: string }, options: CallOptions): Promise<Reply>
  /** Called for each notice of a message of this device; returns what ends it. */
  onNotice(deviceId: string, listener: (notice: Notice) => void): () => void
  /** Null before the first response. */
  serviceTime(): number | null
}

/** The service ends a wait after this. */
const longestWaitSeconds = 25

/** What is left of an attempt's deadline for the response itself. */
const responseMs = 3_000

export async function reportOverHttp<Device>(
  hub: Hub<Device>,
  device: Device,
  report: CommandReport,
  options: CallOptions,
): Promise<void> {
  await hub.callHub(device, 'command', { method: 'POST', body: JSON.stringify(report) }, options)
}

export async function readSettingsOverHttp<Device>(
  hub: Hub<Device>,
  device: Device,
  options: CallOptions,
): Promise<SettingsDocument | null> {
  const { text } = await hub.callHub(device, 'config', { method: 'GET' }, options)
  const document = JSON.parse(text) as SettingsDocument
  // 0: nothing was ever wanted.
  return document.version > 0 ? document : null
}

export async function reportSettingsOverHttp<Device>(
  hub: Hub<Device>,
  device: Device,
  report: SettingsReport,
  options: CallOptions,
): Promise<void> {
  await hub.callHub(device, 'config', { method: 'POST', body: JSON.stringify(report) }, options)
}

/** Asks for one command after the other, until the signal is aborted or the device is no more. */
export async function receiveOverHttp<Device extends { id: string }>(
  hub: Hub<Device>,
  device: Device,
  inbox: Inbox,
  { signal, ask }: ReceiveOptions,
): Promise<void> {
  const bell = new Bell()
  const end = hub.onNotice(device.id, ({ command, config_version }) => {
    if (command) bell.ring()
    if (config_version !== undefined) inbox.settingsVersion(config_version)
  })
  try {
    if (!inbox.wants.commands) await aborted(signal)
    for (let pauses = 0; !signal.aborted; ) {
      const outcome = await askOnce(hub, device, inbox, ask === 'wait' ? waitOf(hub) : 0, signal)
      if (outcome === 'handled') pauses = 0
      else if (outcome === 'nothing' && ask === 'telemetry') await bell.rung(signal)
      else if (outcome === 'waited') pauses = 0
      // Also after a wait that ended at once, as those of two processes with one device do: they would chase each other.
      else await sleep(delayOf(hub.backoff, pauses++), signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    end()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

type Outcome = 'handled' | 'nothing' | 'waited' | 'failed'

/** Throws what ends the device, and what the signal was aborted with. */
export async function askOnce<Device>(
  hub: Hub<Device>,
  device: Device,
  inbox: Inbox,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<Outcome> {
  const began = performance.now()
  try {
    const { status, text } = await hub.callHub(device, `command?wait=${waitSeconds}`, { method: 'GET' }, { signal })
    if (status === 204) {
      return waitSeconds > 0 && performance.now() - began > waitSeconds * 500 ? 'waited' : 'nothing'
    }
    const command = JSON.parse(text) as HandedOutCommand
    return (await inbox.command(command, leftOf(command, hub.serviceTime()))) ? 'handled' : 'failed'
  } catch (error) {
    if (signal.aborted || endsDevice(error)) throw error
    inbox.error(error)
    return 'failed'
  }
}

/** By the service's clock; null if that is not known. */
export function leftOf({ expires_at }: HandedOutCommand, serviceTime: number | null): number | null {
  return serviceTime === null ? null : Date.parse(expires_at) - serviceTime
}

export function endsDevice(error: unknown): error is LandbridgeError {
  return error instanceof LandbridgeError && (error.code === 'device_removed' || error.code === 'invalid_access_key')
}

export function waitOf({ timeoutMs }: { timeoutMs: number }): number {
  return Math.max(0, Math.min(longestWaitSeconds, Math.floor((timeoutMs - responseMs) / 1000)))
}

/** What rang while nobody waited is not lost. */
class Bell {
  #hasRung = false
  #waiting: (() => void) | null = null

  ring(): void {
    this.#hasRung = true
    this.#waiting?.()
  }

  async rung(signal: AbortSignal): Promise<void> {
    if (!this.#hasRung && !signal.aborted) {
      const rung = new Promise<void>((resolve) => {
        this.#waiting = resolve
      })
      await Promise.race([rung, aborted(signal)])
      this.#waiting = null
    }
    this.#hasRung = false
  }
}
