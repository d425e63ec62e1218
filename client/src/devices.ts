import type { CallOptions } from './api-client.ts'
import { DeviceRemoved, LandbridgeError } from './errors.ts'
import type { MassTelemetryResult, RegisteredDevice, Registration, Telemetry } from './generated-types.ts'
import { errorOf, jsonOf, Transport, type TransportOptions, withoutSlash } from './transport.ts'

export type DeviceCredentials = Pick<RegisteredDevice, 'id' | 'access_key' | 'hub_url'>

/** The outcome of one message of a mass call. */
export type MassResult = MassTelemetryResult & { id: string }

export interface ModelOptions extends TransportOptions {
  entryUrl: string
  /** The Model ID of the partner portal. */
  modelId: string
  /** The first key of the model's "Hardware Keys" tab. */
  hardwareKey: string
}

/** What a device is known by, and what it runs. */
export type DeviceIdentity = Omit<Registration, 'device_model' | 'hardware_key'>

export interface Message {
  device: DeviceCredentials
  telemetry: Telemetry
}

/** A call carries at most so many messages, and so many bytes (contract 8: 8 MiB, with room for a proxy's own limit). */
export const callLimits = { messages: 1_000, bytes: 1_000_000 }

/** A model's devices, as a partner's cloud registers them and forwards their telemetry. */
export class DeviceModel {
  readonly options: ModelOptions
  readonly transport: Transport

  constructor(options: ModelOptions) {
    this.options = options
    this.transport = new Transport(options)
  }

  /** Once per device. Until its key is first used, a lost response can be requested again; after that it is `already_registered`. */
  async register(identity: DeviceIdentity, options: CallOptions = {}): Promise<RegisteredDevice> {
    const { entryUrl, modelId, hardwareKey } = this.options
    const body = { device_model: modelId, hardware_key: hardwareKey, ...identity }
    return await this.#post(`${withoutSlash(entryUrl)}/v1/devices`, JSON.stringify(body), {}, options)
  }

  /** Returns once the message is committed. */
  async send(device: DeviceCredentials, telemetry: Telemetry, options: CallOptions = {}): Promise<void> {
    const { id, access_key, hub_url } = device
    const url = `${withoutSlash(hub_url)}/v1/devices/${id}/telemetry`
    await this.#post(url, JSON.stringify(stamped(telemetry)), { authorization: access_key }, options)
  }

  /** Many messages, each with its own result, in the same order: one bad device never fails the others. */
  async sendMany(messages: Message[], options: CallOptions = {}): Promise<MassResult[]> {
    const results: MassResult[] = new Array(messages.length)
    for (const { hubUrl, entries, indexes } of callsFor(messages)) {
      const body = `{"devices":[${entries.join(',')}]}`
      const url = `${hubUrl}/v1/devices/telemetry`
      const response = await this.#post<{ results?: MassResult[] }>(url, body, {}, options)
      // Whoever responded so did not take the messages.
      if (response.results?.length !== indexes.length) {
        throw new LandbridgeError('unexpected', `${url} responded without a result for each message.`)
      }
      for (const [position, index] of indexes.entries()) results[index] = response.results[position]!
    }
    return results
  }

  /** Every call may be repeated: registration before first use, and telemetry by its timestamp and message id. */
  async #post<Body>(
    url: string,
    body: string,
    headers: Record<string, string>,
    { signal }: CallOptions,
  ): Promise<Body> {
    const request = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
    const reply = await this.transport.send(url, request, { safe: true, signal })
    if (reply.ok) return jsonOf(reply, url)
    const error = errorOf(reply, url)
    throw error.code === 'device_removed' ? new DeviceRemoved(error.code, error.message, error) : error
  }
}

interface Call {
  hubUrl: string
  /** JSON texts. */
  entries: string[]
  /** Where in the list of messages each entry stands. */
  indexes: number[]
  bytes: number
}

/** Cut by hub, by count and by bytes. */
function callsFor(messages: Message[]): Call[] {
  const calls: Call[] = []
  const open = new Map<string, Call>()
  for (const [index, { device, telemetry }] of messages.entries()) {
    const { id, access_key } = device
    const hubUrl = withoutSlash(device.hub_url)
    const entry = JSON.stringify({ id, access_key, ...stamped(telemetry) })
    const bytes = new TextEncoder().encode(entry).length + 1
    let call = open.get(hubUrl)
    if (!call || call.entries.length === callLimits.messages || call.bytes + bytes > callLimits.bytes) {
      call = { hubUrl, entries: [], indexes: [], bytes: 0 }
      calls.push(call)
      open.set(hubUrl, call)
    }
    call.entries.push(entry)
    call.indexes.push(index)
    call.bytes += bytes
  }
  return calls
}

/** So that an attempt whose response was lost is not stored twice. */
export function stamped(telemetry: Telemetry): Telemetry {
  const timestamp = telemetry.timestamp ?? new Date().toISOString()
  return { ...telemetry, timestamp, message_id: telemetry.message_id ?? crypto.randomUUID() }
}
