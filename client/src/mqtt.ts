import { type RegisteredDevice, stamped, type Telemetry } from './devices.ts'
import { LandbridgeError, NetworkError } from './errors.ts'

export type MqttDevice = Pick<RegisteredDevice, 'id' | 'access_key' | 'hub_url' | 'mqtt_hub_url'>

export interface MqttOptions {
  /** The service's certificate or its authority, where the machine does not know it. */
  ca?: string
  /** A device that vanishes is told offline after one and a half times this. 60 s if left out. */
  keepaliveSeconds?: number
  /** For one message. 30 s if left out. */
  timeoutMs?: number
}

/** What is used of the package `mqtt`. */
interface MqttClient {
  publishAsync(topic: string, payload: string, options: { qos: 1 }): Promise<unknown>
  endAsync(force?: boolean): Promise<unknown>
}

/**
 * Sends the telemetry of devices over MQTT 5, one connection per device, with the package `mqtt`, which you install
 * beside the kit. Its `send` fits a `DeviceReporter`; it resolves once the message is committed.
 */
export class MqttSender {
  readonly #options: MqttOptions
  readonly #clients = new Map<string, Promise<MqttClient>>()

  constructor(options: MqttOptions = {}) {
    this.#options = options
  }

  readonly send = async (device: MqttDevice, telemetry: Telemetry): Promise<void> => {
    const client = await this.#clientOf(device)
    const { timeoutMs = 30_000 } = this.#options
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      const error = new NetworkError('timeout', `No acknowledgement within ${timeoutMs} ms.`)
      timer = setTimeout(() => reject(error), timeoutMs)
    })
    try {
      const payload = JSON.stringify(stamped(telemetry))
      await Promise.race([client.publishAsync(`v1/devices/${device.id}/telemetry`, payload, { qos: 1 }), late])
    } catch (error) {
      if (error instanceof LandbridgeError) throw error
      const { message, code } = error as { message: string; code?: number }
      throw new LandbridgeError(typeof code === 'number' ? `mqtt_${code}` : 'mqtt_error', message, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  /** Says goodbye for every device: none of them is told offline for it. */
  async close(): Promise<void> {
    const clients = [...this.#clients.values()]
    this.#clients.clear()
    await Promise.allSettled(clients.map(async (client) => await (await client).endAsync()))
  }

  #clientOf(device: MqttDevice): Promise<MqttClient> {
    const kept = this.#clients.get(device.id)
    if (kept) return kept
    const client = this.#connect(device)
    this.#clients.set(device.id, client)
    // A device that cannot connect tries again with its next message.
    client.catch(() => this.#clients.delete(device.id))
    return client
  }

  async #connect({ id, access_key, mqtt_hub_url }: MqttDevice): Promise<MqttClient> {
    const { connectAsync } = await loadMqtt()
    const { ca, keepaliveSeconds = 60, timeoutMs = 30_000 } = this.#options
    const options = {
      protocolVersion: 5,
      clientId: id,
      username: id,
      password: access_key,
      clean: true,
      keepalive: keepaliveSeconds,
      connectTimeout: timeoutMs,
      // At random, so that a fleet does not come back in step.
      reconnectPeriod: 2_000 + Math.random() * 8_000,
      ...(ca === undefined ? {} : { ca }),
    }
    try {
      return await connectAsync(mqtt_hub_url, options, false)
    } catch (cause) {
      const { message, code } = cause as { message: string; code?: number | string }
      if (typeof code === 'number') throw new LandbridgeError(`mqtt_${code}`, message, { cause })
      throw new NetworkError('network_error', `${mqtt_hub_url} cannot be reached: ${message}`, { cause })
    }
  }
}

interface Mqtt {
  connectAsync(url: string, options: object, allowRetries: boolean): Promise<MqttClient>
}

async function loadMqtt(): Promise<Mqtt> {
  const name = 'mqtt'
  try {
    const module = (await import(name)) as Partial<Mqtt> & { default?: Mqtt }
    return module.connectAsync ? (module as Mqtt) : module.default!
  } catch (cause) {
    throw new LandbridgeError('mqtt_missing', 'Install the package mqtt beside @landbridge/client.', { cause })
  }
}
