import { DeviceRemoved, LandbridgeError } from './errors.ts'
import { errorOf, jsonOf, Transport, type TransportOptions, withoutSlash } from './transport.ts'

/** The response to a registration (contract 2.5). Store id, access_key and hub_url with the device. */
export interface RegisteredDevice {
  id: string
  access_key: string
  hub_url: string
  hub_url_static_cert: string
  mqtt_hub_url: string
}

export type DeviceCredentials = Pick<RegisteredDevice, 'id' | 'access_key' | 'hub_url'>

export interface Telemetry {
  status: 'online' | 'offline' | 'error'
  telemetries: Record<string, number | string | boolean>
  /** RFC 3339; the arrival if left out. */
  timestamp?: string
  /** With a timestamp: a repeat is stored once. */
  message_id?: string
  /** What the device runs now: with every message, or once after an update. */
  firmware_version?: string
}

export interface MassResult {
  id: string
  status: 200 | 401 | 410 | 422
  error?: string
  code?: string
  details?: { field: string; message: string }[]
}

export interface ModelOptions extends TransportOptions {
  entryUrl: string
  /** The Model ID of the partner portal. */
  modelId: string
  /** The first key of the model's "Hardware Keys" tab. */
  hardwareKey: string
}

export interface DeviceIdentity {
  mac: string
  sn: string
  firmware_version: string
}

export interface Message {
  device: DeviceCredentials
  telemetry: Telemetry
}

interface Cancellable {
  signal?: AbortSignal
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
  async register(identity: DeviceIdentity, options: Cancellable = {}): Promise<RegisteredDevice> {
    const { entryUrl, modelId, hardwareKey } = this.options
    const body = { device_model: modelId, hardware_key: hardwareKey, ...identity }
    return await this.#post(`${withoutSlash(entryUrl)}/v1/devices`, JSON.stringify(body), {}, options)
  }

  /** Returns once the message is committed. */
  async send(device: DeviceCredentials, telemetry: Telemetry, options: Cancellable = {}): Promise<void> {
    const { id, access_key, hub_url } = device
    const url = `${withoutSlash(hub_url)}/v1/devices/${id}/telemetry`
    await this.#post(url, JSON.stringify(stamped(telemetry)), { authorization: access_key }, options)
  }

  /** Many messages, each with its own result, in the same order: one bad device never fails the others. */
  async sendMany(messages: Message[], options: Cancellable = {}): Promise<MassResult[]> {
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
    { signal }: Cancellable,
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
