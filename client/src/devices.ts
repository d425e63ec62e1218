import { type Backoff, sendWithRetries, usualBackoff } from './backoff.ts'
import { DeviceRemoved, errorOf } from './errors.ts'

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

export interface ModelOptions {
  entryUrl: string
  /** The Model ID of the partner portal. */
  modelId: string
  /** The first key of the model's "Hardware Keys" tab. */
  hardwareKey: string
  backoff?: Backoff
  fetch?: typeof fetch
}

export interface DeviceIdentity {
  mac: string
  sn: string
  firmware_version: string
}

/** Calls that carry no more than this many devices are taken whole. */
export const maxInOneCall = 1_000

/** A model's devices, as a partner's cloud registers them and forwards their telemetry. */
export class DeviceModel {
  readonly options: Required<ModelOptions>

  constructor(options: ModelOptions) {
    this.options = { backoff: usualBackoff, fetch: globalThis.fetch, ...options }
  }

  /** Once per device. Until its key is first used, a lost response can be requested again; after that it is `already_registered`. */
  async register(identity: DeviceIdentity): Promise<RegisteredDevice> {
    const { entryUrl, modelId, hardwareKey } = this.options
    const body = { device_model: modelId, hardware_key: hardwareKey, ...identity }
    return (await this.#post(`${entryUrl}/v1/devices`, body)) as RegisteredDevice
  }

  /** Returns once the message is committed. */
  async send({ id, access_key, hub_url }: DeviceCredentials, telemetry: Telemetry): Promise<void> {
    await this.#post(`${hub_url}/v1/devices/${id}/telemetry`, stamped(telemetry), { authorization: access_key })
  }

  /** Many devices in one call, each with its own result, in the same order: one bad device never fails the others. */
  async sendMany(messages: { device: DeviceCredentials; telemetry: Telemetry }[]): Promise<MassResult[]> {
    const results: MassResult[] = []
    const byHub = Map.groupBy(
      messages.map((message, index) => ({ ...message, index })),
      ({ device }) => device.hub_url,
    )
    for (const [hubUrl, all] of byHub) {
      for (let from = 0; from < all.length; from += maxInOneCall) {
        const part = all.slice(from, from + maxInOneCall)
        const devices = part.map(({ device: { id, access_key }, telemetry }) => ({
          id,
          access_key,
          ...stamped(telemetry),
        }))
        const response = (await this.#post(`${hubUrl}/v1/devices/telemetry`, { devices })) as { results: MassResult[] }
        for (const [position, { index }] of part.entries()) results[index] = response.results[position]!
      }
    }
    return results
  }

  /** Every call may be repeated: registration before first use, and telemetry by its timestamp and message id. */
  async #post(url: string, body: object, headers: Record<string, string> = {}): Promise<unknown> {
    const { fetch, backoff } = this.options
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }
    const response = await sendWithRetries(() => fetch(url, init), backoff, { safe: true })
    if (response.ok) return await response.json()
    const error = await errorOf(response)
    throw error.code === 'device_removed' ? new DeviceRemoved(error.code, error.message, error) : error
  }
}

/** So that an attempt whose response was lost is not stored twice. */
export function stamped(telemetry: Telemetry): Telemetry {
  const timestamp = telemetry.timestamp ?? new Date().toISOString()
  return { ...telemetry, timestamp, message_id: telemetry.message_id ?? crypto.randomUUID() }
}
