import type { Calls } from '../api/api.tsx'
import type { HardwareKey } from '../api/partner.ts'
import { type Exchange, exchange } from '../components/exchange.tsx'

export interface SimulatedDevice {
  id: string
  access_key: string
  hub_url: string
  mac: string
  sn: string
  model_id: string
}

const memory = 'landbridge.simulator'
const json = { 'content-type': 'application/json' }

export function rememberedDevice(): SimulatedDevice | null {
  const text = sessionStorage.getItem(memory)
  return text ? (JSON.parse(text) as SimulatedDevice) : null
}

export function rememberDevice(device: SimulatedDevice | null): void {
  if (device) sessionStorage.setItem(memory, JSON.stringify(device))
  else sessionStorage.removeItem(memory)
}

/** As a partner's cloud would register it: with the model's id and a hardware key. */
export async function registerDevice(
  api: Calls,
  { mac, sn, model_id }: Pick<SimulatedDevice, 'mac' | 'sn' | 'model_id'>,
): Promise<Exchange> {
  const { items } = await api.get<{ items: HardwareKey[] }>(`/models/${model_id}/hardware-keys`)
  const key = items.find(({ revoked_at }) => !revoked_at)?.hardware_key
  if (!key) throw new Error('This model has no active hardware key: add one on its Hardware Keys tab.')
  return await exchange({
    method: 'POST',
    url: '/v1/devices',
    headers: json,
    body: pretty({ device_model: model_id, hardware_key: key, mac, sn, firmware_version: '1.0.0' }),
    hide: { [key]: begin(key) },
  })
}

export async function sendTelemetry({ id, access_key }: SimulatedDevice, message: object): Promise<Exchange> {
  return await exchange({
    method: 'POST',
    url: `/v1/devices/${id}/telemetry`,
    headers: { ...json, authorization: access_key },
    body: pretty(message),
    hide: { [access_key]: begin(access_key) },
  })
}

/** A room that wanders a little around the warmth it is set to, so that a chart has something to draw. */
export class SimulatedRoom {
  warmth = 21
  failing = false
  #drift = 0

  message(): object {
    this.#drift = Math.max(-1.5, Math.min(1.5, this.#drift + (Math.random() - 0.5) * 0.6))
    return {
      status: this.failing ? 'error' : 'online',
      telemetries: {
        temperature: Number((this.warmth + this.#drift).toFixed(2)),
        humidity: Number((45 + this.#drift * 4).toFixed(1)),
        power: Math.round(120 + this.#drift * 30),
        occupied: this.#drift > 0,
      },
    }
  }
}

/** Locally administered, so that it is nobody's real address. */
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

function begin(secret: string): string {
  return `${secret.slice(0, 10)}…`
}
