import { LandbridgeError, NetworkError } from './errors.ts'
import { type Packet, refusalOf } from './mqtt-refusals.ts'
import type { SubscribingClient } from './mqtt-subscription.ts'

/** What is used of the package `mqtt`. */
interface PublishingClient {
  publish(topic: string, payload: string, options: { qos: 1 }, done: (error?: Error, packet?: Packet) => void): unknown
  endAsync(force?: boolean): Promise<unknown>
  on(event: 'error', listener: (error: Error & { code?: number | string }) => void): unknown
  on(event: 'packetreceive', listener: (packet: Packet) => void): unknown
  once(event: 'connect' | 'close', listener: () => void): unknown
}

export type MqttClient = PublishingClient & SubscribingClient

export function errorOfConnection(cause: Error & { code?: number | string }, address: string, packet?: Packet): Error {
  const { message, code } = cause
  if (typeof code === 'number') return refusalOf(cause, packet)
  return new NetworkError('network_error', `${address} cannot be reached: ${message}`, { cause })
}

/** A Server Reference is a list of `host` or `host:port` (MQTT 5, 4.11); the first one, over what the device used before. */
export function addressIn(reference: string, before: string): string {
  const [first = ''] = reference.trim().split(/\s+/)
  return /^\w+:\/\//.test(first) || first === '' ? first : `${new URL(before).protocol}//${first}`
}

interface Mqtt {
  connect(url: string, options: object): MqttClient
}

export async function loadMqtt(): Promise<Mqtt> {
  const name = 'mqtt'
  try {
    const module = (await import(name)) as Partial<Mqtt> & { default?: Mqtt }
    return module.connect ? (module as Mqtt) : module.default!
  } catch (cause) {
    throw new LandbridgeError('mqtt_missing', 'Install the package mqtt beside @landbridge/client.', { cause })
  }
}
