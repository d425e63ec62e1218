import type { Calls } from '../api/calls.ts'
import { type Exchange, exchange } from './exchange.tsx'

export interface SimulatedDevice {
  id: string
  access_key: string
  hub_url: string
  mac: string
  sn: string
  model_id: string
}

const json = { 'content-type': 'application/json' }

export async function registerDevice(
  api: Calls,
  { mac, sn, model_id }: Pick<SimulatedDevice, 'mac' | 'sn' | 'model_id'>,
): Promise<Exchange> {
  const { items } = await api.read('GET /core/v1/partner/models/{id}/hardware-keys', { id: model_id })
  const key = items.find(({ revoked_at }) => !revoked_at)?.hardware_key
  if (!key) throw new Error('This model has no active hardware key: add one on its Hardware Keys tab.')
  return await exchange({
    method: 'POST',
    url: '/v1/devices',
    headers: json,
    body: pretty({ device_model: model_id, hardware_key: key, mac, sn, firmware_version: '1.0.0' }),
    hide: { [key]: prefixOf(key) },
  })
}

export async function sendTelemetry({ id, access_key }: SimulatedDevice, message: object): Promise<Exchange> {
  return await exchange({
    method: 'POST',
    url: `/v1/devices/${id}/telemetry`,
    headers: { ...json, authorization: access_key },
    body: pretty(message),
    hide: { [access_key]: prefixOf(access_key) },
  })
}

/** Values that drift around the chosen temperature. */
export class SimulatedRoom {
  temperature = 21
  failing = false
  #drift = 0

  message(): object {
    this.#drift = Math.max(-1.5, Math.min(1.5, this.#drift + (Math.random() - 0.5) * 0.6))
    return {
      status: this.failing ? 'error' : 'online',
      telemetries: {
        temperature: Number((this.temperature + this.#drift).toFixed(2)),
        humidity: Number((45 + this.#drift * 4).toFixed(1)),
        power: Math.round(120 + this.#drift * 30),
        occupied: this.#drift > 0,
      },
    }
  }
}

/** Locally administered, so that it is no real device's address. */
export function randomMac(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(6))
  bytes[0] = (bytes[0]! & 0xfc) | 0x02
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(':')
}

export function randomSerial(): string {
  return `SIM-${String(Math.floor(Math.random() * 1e6)).padStart(6, '0')}`
}

function pretty(body: object): string {
  return JSON.stringify(body, null, 2)
}

function prefixOf(secret: string): string {
  return `${secret.slice(0, 10)}…`
}
