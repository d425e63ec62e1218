import type { CallOptions } from './api-client.ts'
import type { Backoff } from './backoff.ts'
import type { CommandReport, SettingsDocument, SettingsReport } from './command-types.ts'
import { DeviceRemoved, type ErrorCode, LandbridgeError } from './errors.ts'
import type { MassTelemetryResult, RegisteredDevice, Registration, Telemetry } from './generated-types.ts'
import {
  type Hub,
  type Notice,
  readSettingsOverHttp,
  receiveOverHttp,
  reportOverHttp,
  reportSettingsOverHttp,
} from './http-way.ts'
import { callsFor } from './mass-calls.ts'
import { Moves } from './moves.ts'
import {
  call,
  errorOf,
  jsonOf,
  objectIn,
  type Reply,
  Transport,
  type TransportOptions,
  withoutSlash,
} from './transport.ts'
import type { Inbox, ReceiveOptions, Way } from './ways.ts'

export type DeviceCredentials = Pick<RegisteredDevice, 'id' | 'access_key' | 'hub_url'>

/**
 * The outcome of one message of a mass call. 421: its hub sends the device to an address where its key must not go. Over
 * MQTT also 413, and 503 for what may get better by waiting.
 */
export type MassResult = Omit<MassTelemetryResult, 'id' | 'status' | 'code'> &
  Notice & {
    id: string
    status: MassTelemetryResult['status'] | 413 | 421 | 503
    code?: ErrorCode | undefined
  }

export interface ModelOptions extends TransportOptions {
  entryUrl: string
  /** The Model ID of the partner portal. */
  modelId: string
  /** The first key of the model's "Hardware Keys" tab. */
  hardwareKey: string
  /** A device sends to another hub from now on: store its `hub_url`. Until then, the way is found again after each restart. */
  onMoved?(deviceId: string, moved: { hub_url: string }): void
}

/** What a device is known by, and what it runs. */
export type DeviceIdentity = Omit<Registration, 'device_model' | 'hardware_key'>

export interface Message<Device extends DeviceCredentials = DeviceCredentials> {
  device: Device
  telemetry: Telemetry
}

/** What takes the messages of an outbox: a `DeviceModel` over HTTP, an `MqttSender` over MQTT. */
export interface Carrier<Device extends DeviceCredentials = DeviceCredentials> {
  readonly backoff: Backoff
  /** Where a device sends: the hub it was given, or the one that it moved to. */
  hubOf(device: Device): string
  /** A result for each, in the same order; `moved`: it was not taken, and `hubOf` says where it goes now. */
  sendOnce(messages: Message<Device>[], options?: CallOptions): Promise<(MassResult | 'moved')[]>
}

/** A model's devices, as a partner's cloud registers them and forwards their telemetry. */
export class DeviceModel implements Carrier, Way<DeviceCredentials>, Hub<DeviceCredentials> {
  readonly options: ModelOptions
  readonly transport: Transport
  readonly bringsSettings = false

  readonly #moves: Moves
  /** By the device's id: who wants to know what waits for it. */
  readonly #listeners = new Map<string, Set<(notice: Notice) => void>>()

  constructor(options: ModelOptions) {
    this.options = options
    this.transport = new Transport(options)
    this.#moves = new Moves((id, hub_url) => call(options.onMoved, id, { hub_url }))
  }

  /** Once per device. Until its key is first used, a lost response can be requested again; after that it is `already_registered`. */
  async register(identity: DeviceIdentity, options: CallOptions = {}): Promise<RegisteredDevice> {
    const { entryUrl, modelId, hardwareKey } = this.options
    const body = { device_model: modelId, hardware_key: hardwareKey, ...identity }
    const url = `${withoutSlash(entryUrl)}/v1/devices`
    return jsonOf<RegisteredDevice>(await this.#post(url, JSON.stringify(body), {}, options), url)
  }

  /** Returns once the message is committed, with what waits for the device. Follows a device that moved to another hub. */
  async send(device: DeviceCredentials, telemetry: Telemetry, options: CallOptions = {}): Promise<Notice> {
    const sent = { method: 'POST', body: JSON.stringify(stamped(telemetry)) }
    const { text } = await this.callHub(device, 'telemetry', sent, options)
    const { command, config_version } = (objectIn(text) ?? {}) as Notice
    const notice = {
      ...(command === true ? { command } : {}),
      ...(config_version === undefined ? {} : { config_version }),
    }
    this.#notify(device.id, notice)
    return notice
  }

  async callHub(
    device: DeviceCredentials,
    path: string,
    sent: { method: string; body?: string },
    { signal }: CallOptions,
  ): Promise<Reply> {
    const { id, access_key, hub_url } = device
    const type: Record<string, string> = sent.body === undefined ? {} : { 'content-type': 'application/json' }
    const request = { ...sent, headers: { ...type, authorization: access_key } }
    for (;;) {
      const hub = this.hubOf(device)
      const url = `${hub}/v1/devices/${encodeURIComponent(id)}/${path}`
      // Every call may be repeated: telemetry by its timestamp and id, a report since the same one counts once.
      const reply = await this.transport.send(url, request, { safe: true, signal }).catch((error) => {
        this.#moves.fail(id)
        throw error
      })
      const movedTo = newHubIn(reply)
      if (movedTo === null) {
        if (isOwn(reply)) this.#moves.confirm(id)
        requireSuccess(reply, url)
        return reply
      }
      this.#moves.learn(id, hub_url, hub, movedTo)
    }
  }

  onNotice(deviceId: string, listener: (notice: Notice) => void): () => void {
    const listeners = this.#listeners.get(deviceId) ?? new Set()
    this.#listeners.set(deviceId, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(deviceId) === listeners) this.#listeners.delete(deviceId)
    }
  }

  #notify(deviceId: string, notice: Notice): void {
    for (const listener of this.#listeners.get(deviceId) ?? []) call(listener, notice)
  }

  async receive(device: DeviceCredentials, inbox: Inbox, options: ReceiveOptions): Promise<void> {
    await receiveOverHttp(this, device, inbox, options)
  }

  async report(device: DeviceCredentials, report: CommandReport, options: CallOptions = {}): Promise<void> {
    await reportOverHttp(this, device, report, options)
  }

  async readSettings(device: DeviceCredentials, options: CallOptions = {}): Promise<SettingsDocument | null> {
    return await readSettingsOverHttp(this, device, options)
  }

  async reportSettings(device: DeviceCredentials, report: SettingsReport, options: CallOptions = {}): Promise<void> {
    await reportSettingsOverHttp(this, device, report, options)
  }

  get timeoutMs(): number {
    return this.transport.timeoutMs
  }

  serviceTime(): number | null {
    return this.transport.serviceTime()
  }

  /**
   * Many messages, each with its own result, in the same order: one bad device never fails the others. Follows devices
   * that moved to another hub.
   */
  async sendMany(messages: Message[], options: CallOptions = {}): Promise<MassResult[]> {
    const results: MassResult[] = new Array(messages.length)
    let waiting = messages.map((message, index) => ({ message, index }))
    while (waiting.length > 0) {
      const moved: typeof waiting = []
      const hubResults = await this.sendOnce(
        waiting.map(({ message }) => message),
        options,
      )
      for (const [position, result] of hubResults.entries()) {
        const each = waiting[position]!
        if (result === 'moved') moved.push(each)
        else results[each.index] = result
      }
      waiting = moved
    }
    return results
  }

  get backoff(): Backoff {
    return this.transport.backoff
  }

  /** Where a device sends: the hub it was given, or the one that it moved to. */
  hubOf({ id, hub_url }: DeviceCredentials): string {
    return this.#moves.addressOf(id, hub_url)
  }

  /** Follows nobody: the message of a device that `moved` was not taken, and `hubOf` says where it sends now. */
  async sendOnce(messages: Message[], options: CallOptions = {}): Promise<(MassResult | 'moved')[]> {
    const results: (MassResult | 'moved')[] = new Array(messages.length)
    const stampedMessages = messages.map(({ device, telemetry }) => ({ device, telemetry: stamped(telemetry) }))
    for (const { hubUrl, entries, indexes } of callsFor(stampedMessages, (device) => this.hubOf(device))) {
      const devices = indexes.map((index) => messages[index]!.device)
      const hubResults = await this.#massCall(hubUrl, entries, devices, options).catch((error) => {
        for (const { id } of devices) this.#moves.fail(id)
        throw error
      })
      for (const [position, index] of indexes.entries()) results[index] = hubResults[position]!
    }
    return results
  }

  async #massCall(
    hubUrl: string,
    entries: string[],
    devices: DeviceCredentials[],
    options: CallOptions,
  ): Promise<(MassResult | 'moved')[]> {
    const url = `${hubUrl}/v1/devices/telemetry`
    const reply = await this.#post(url, `{"devices":[${entries.join(',')}]}`, {}, options)
    const movedTo = newHubIn(reply)
    if (movedTo !== null) return devices.map((device) => this.#follow(device, hubUrl, movedTo))
    const { results } = jsonOf<{ results?: (MassResult & { hub_url?: string })[] }>(reply, url)
    // Whoever responded so did not take the messages.
    if (!Array.isArray(results) || results.length !== entries.length) {
      throw new LandbridgeError('unexpected', `${url} responded without a result for each message.`)
    }
    return results.map((result, position) => {
      const device = devices[position]!
      if (result.status === 421) return this.#follow(device, hubUrl, String(result.hub_url))
      this.#moves.confirm(device.id)
      this.#notify(device.id, result)
      return result
    })
  }

  /** One device that must not follow does not fail the others. */
  #follow({ id, hub_url }: DeviceCredentials, hub: string, told: string): MassResult | 'moved' {
    try {
      this.#moves.learn(id, hub_url, hub, told)
      return 'moved'
    } catch (error) {
      const { code, message } = error as LandbridgeError
      return { id, status: 421, code, error: message }
    }
  }

  /** Every call may be repeated: registration before first use, and telemetry by its timestamp and message id. */
  async #post(url: string, body: string, headers: Record<string, string>, { signal }: CallOptions): Promise<Reply> {
    const request = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
    return await this.transport.send(url, request, { safe: true, signal })
  }
}

function requireSuccess(reply: Reply, url: string): void {
  if (reply.status === 204) return
  if (reply.ok) return void jsonOf(reply, url)
  const error = errorOf(reply, url)
  throw error.code === 'device_removed' ? new DeviceRemoved(error.code, error.message, error) : error
}

/** A 421 of a proxy, which has no such body, says nothing of the device. */
function newHubIn({ status, text }: Reply): string | null {
  const hubUrl = status === 421 ? objectIn(text)?.hub_url : null
  return typeof hubUrl === 'string' ? hubUrl : null
}

/** Whether the service responded, and not a proxy in front of it. */
function isOwn({ ok, text }: Reply): boolean {
  const body = objectIn(text)
  return body !== null && (ok || typeof body.code === 'string')
}

/** So that an attempt whose response was lost is not stored twice. */
export function stamped(telemetry: Telemetry): Telemetry & { timestamp: string; message_id: string } {
  const { timestamp, message_id } = telemetry as { timestamp?: string; message_id?: string }
  if (message_id !== undefined && timestamp === undefined) {
    // With a time of ours the repeat would be another message.
    const details = [{ field: 'timestamp', message: 'is required with message_id, to recognize a repeat' }]
    throw new LandbridgeError('invalid', `timestamp ${details[0]!.message}.`, { details })
  }
  return {
    ...telemetry,
    timestamp: timestamp ?? new Date().toISOString(),
    message_id: message_id ?? crypto.randomUUID(),
  }
}
