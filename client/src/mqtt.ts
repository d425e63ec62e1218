import { stamped } from './devices.ts'
import { LandbridgeError, NetworkError } from './errors.ts'
import type { RegisteredDevice, Telemetry } from './generated-types.ts'

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
  on(event: 'error', listener: (error: Error) => void): unknown
  once(event: 'close', listener: () => void): unknown
}

interface Connection {
  client: MqttClient
  /** Rejects when the connection is lost. */
  lost: Promise<never>
}

/**
 * Sends the telemetry of devices over MQTT 5, one connection per device, with the package `mqtt`, which you install
 * beside the kit. Its `send` fits a `DeviceReporter`; it resolves once the message is committed. A lost connection is
 * made again by the device's next message, and nothing waits for it: `send` has told its caller.
 */
export class MqttSender {
  readonly #options: MqttOptions
  readonly #connections = new Map<string, Promise<Connection>>()

  constructor(options: MqttOptions = {}) {
    this.#options = options
  }

  readonly send = async (device: MqttDevice, telemetry: Telemetry): Promise<void> => {
    const { client, lost } = await this.#connectionOf(device)
    const { timeoutMs = 30_000 } = this.#options
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      const error = new NetworkError('timeout', `No acknowledgement within ${timeoutMs} ms.`)
      timer = setTimeout(() => reject(error), timeoutMs)
    })
    try {
      const payload = JSON.stringify(stamped(telemetry))
      const published = client.publishAsync(`v1/devices/${device.id}/telemetry`, payload, { qos: 1 })
      await Promise.race([published, late, lost])
    } catch (error) {
      if (error instanceof LandbridgeError) throw error
      const { message, code } = error as { message: string; code?: number }
      throw new LandbridgeError(typeof code === 'number' ? `mqtt_${code}` : 'mqtt_error', message, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  /** For a device that sends nothing more: it is not told offline for it. */
  async disconnect(deviceId: string): Promise<void> {
    const connection = this.#connections.get(deviceId)
    this.#connections.delete(deviceId)
    if (connection) await this.#end(connection)
  }

  /** Says goodbye for every device: none of them is told offline for it. */
  async close(): Promise<void> {
    const connections = [...this.#connections.values()]
    this.#connections.clear()
    await Promise.allSettled(connections.map((connection) => this.#end(connection)))
  }

  /** A goodbye waits for the acknowledgements; not longer than a message does. */
  async #end(connection: Promise<Connection>): Promise<void> {
    const { client } = await connection
    const timer = setTimeout(() => void client.endAsync(true).catch(() => {}), this.#options.timeoutMs ?? 30_000)
    await client.endAsync().finally(() => clearTimeout(timer))
  }

  #connectionOf(device: MqttDevice): Promise<Connection> {
    const kept = this.#connections.get(device.id)
    if (kept) return kept
    const connection = this.#open(device)
    this.#connections.set(device.id, connection)
    const forget = () => {
      if (this.#connections.get(device.id) === connection) this.#connections.delete(device.id)
    }
    // A device that cannot connect, or is not connected any more, tries again with its next message.
    connection.then(({ lost }) => lost).catch(forget)
    return connection
  }

  async #open(device: MqttDevice): Promise<Connection> {
    const client = await this.#connect(device)
    // Without a listener an error of the connection would end the process; its close follows.
    client.on('error', () => {})
    const lost = new Promise<never>((_, reject) => {
      client.once('close', () => reject(new NetworkError('network_error', 'The connection was lost.')))
    })
    lost.catch(() => {})
    return { client, lost }
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
      // Not by itself: it would try for ever for a device that was removed, and keep every message until then.
      reconnectPeriod: 0,
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
