import type { CallOptions } from './api-client.ts'
import { type Backoff, delayOf, sleep, usualBackoff } from './backoff.ts'
import type { CommandReport, SettingsDocument, SettingsReport } from './command-types.ts'
import { type Carrier, type MassResult, type Message, stamped } from './devices.ts'
import { LandbridgeError, NetworkError } from './errors.ts'
import type { RegisteredDevice, Telemetry } from './generated-types.ts'
import { endsDevice } from './http-way.ts'
import { Moves } from './moves.ts'
import { addressIn, errorOfConnection, loadMqtt, type MqttClient } from './mqtt-client.ts'
import { endOf, type Packet, refusalOf, reportRefusalOf, statusOf } from './mqtt-refusals.ts'
import { type Listening, listen } from './mqtt-subscription.ts'
import { call } from './transport.ts'
import type { Inbox, ReceiveOptions, Way } from './ways.ts'

export type MqttDevice = Pick<RegisteredDevice, 'id' | 'access_key' | 'hub_url' | 'mqtt_hub_url'>

export interface MqttOptions {
  /** The service's certificate or its authority, where the machine does not know it. */
  ca?: string
  /** A device that vanishes counts as offline after one and a half times this. 60 s if left out. */
  keepaliveSeconds?: number
  /** For one message. 30 s if left out. */
  timeoutMs?: number
  /** How long an outbox waits before it tries again. */
  backoff?: Backoff
  /** A device connects to another hub from now on: store its `mqtt_hub_url`. */
  onMoved?(deviceId: string, moved: { mqtt_hub_url: string }): void
}

interface Connection {
  client: MqttClient
  /** Rejects when the connection is lost. */
  lost: Promise<never>
}

/** MQTT 5, 4.11: another server for now, or from now on. */
const useAnotherServer = 0x9c
const serverMoved = 0x9d

/** Devices of an outbox that send at once: after an outage a whole fleet would connect in one moment. */
const mostAtOnce = 64

/**
 * Sends the telemetry of devices over MQTT 5, one connection per device, with the package `mqtt`, which you install
 * beside the kit. Its `send` fits a `DeviceReporter`; it resolves once the message is committed. A lost connection is
 * made again by the device's next message, and nothing waits for it: `send` has told its caller. What must not be lost
 * goes through a `TelemetryOutbox`, which takes a sender as it takes a `DeviceModel`. A device that its hub sends to
 * another one follows.
 */
export class MqttSender implements Carrier<MqttDevice>, Way<MqttDevice> {
  readonly backoff: Backoff
  readonly bringsSettings = true
  readonly #options: MqttOptions
  readonly #connections = new Map<string, Promise<Connection>>()
  readonly #listening = new Map<string, Listening>()
  readonly #moves: Moves
  /** Those that moved for good, rather than for now. */
  readonly #movedForGood = new Set<string>()
  #isClosed = false

  constructor(options: MqttOptions = {}) {
    this.#options = options
    this.backoff = options.backoff ?? usualBackoff
    this.#moves = new Moves((id, mqtt_hub_url) => call(options.onMoved, id, { mqtt_hub_url }))
  }

  readonly send = async (device: MqttDevice, telemetry: Telemetry, { signal }: CallOptions = {}): Promise<void> => {
    // Stamped once: what is sent to two hubs is stored once.
    await this.#publish(device, 'telemetry', JSON.stringify(stamped(telemetry)), signal)
  }

  async #publish(device: MqttDevice, path: string, payload: string, signal?: AbortSignal): Promise<void> {
    for (;;) {
      if (this.#isClosed) throw new LandbridgeError('closed', 'The sender was closed: it sends nothing more.')
      const connection = this.#connectionOf(device)
      try {
        const topic = `v1/devices/${device.id}/${path}`
        return await unlessAborted(this.#publishOn(connection, topic, payload), signal)
      } catch (error) {
        if (!(error instanceof Moved)) throw error
        this.#forget(device.id, connection)
      }
    }
  }

  /** Keeps the device connected, and subscribes anew with each connection. */
  async receive(device: MqttDevice, inbox: Inbox, { signal }: ReceiveOptions): Promise<void> {
    for (let failures = 0; !signal.aborted && !this.#isClosed; ) {
      const connection = this.#connectionOf(device)
      try {
        const { client, lost } = await unlessAborted(connection, signal)
        const listening = listen(client, device.id, inbox, { backoff: this.backoff, signal })
        this.#listening.set(device.id, listening)
        try {
          await unlessAborted(Promise.race([listening.subscribed, lost]), signal)
          failures = 0
          await unlessAborted(Promise.race([listening.failed, lost]), signal)
        } finally {
          this.#listening.delete(device.id)
          listening.end()
        }
      } catch (error) {
        if (signal.aborted || this.#isClosed) return
        if (error instanceof Moved) {
          this.#forget(device.id, connection)
          continue
        }
        if (endsDevice(error)) throw error
        inbox.error(error)
        await sleep(delayOf(this.backoff, failures++), signal).catch(() => {})
      }
    }
  }

  async report(device: MqttDevice, { id, ...report }: CommandReport, { signal }: CallOptions = {}): Promise<void> {
    await this.#publish(device, `command/${id}`, JSON.stringify(report), signal).catch((error: unknown) => {
      throw reportRefusalOf(error, 'command_finished')
    })
  }

  /** A further subscription brings them; null if none came, as while none are wanted. */
  async readSettings(device: MqttDevice): Promise<SettingsDocument | null> {
    return (await this.#listening.get(device.id)?.readSettings()) ?? null
  }

  async reportSettings(device: MqttDevice, report: SettingsReport, { signal }: CallOptions = {}): Promise<void> {
    await this.#publish(device, 'config', JSON.stringify(report), signal).catch((error: unknown) => {
      throw reportRefusalOf(error, 'settings_changed')
    })
  }

  /** Where a device connects: the hub it was given, or the one that it moved to. */
  hubOf({ id, mqtt_hub_url }: MqttDevice): string {
    return this.#moves.addressOf(id, mqtt_hub_url)
  }

  /** For an outbox: the messages of a device one after the other, each with the result that HTTP would give it. */
  async sendOnce(messages: Message<MqttDevice>[], { signal }: CallOptions = {}): Promise<MassResult[]> {
    const results: MassResult[] = new Array(messages.length)
    const byDevice = new Map<string, number[]>()
    for (const [index, { device }] of messages.entries()) {
      const indexes = byDevice.get(device.id)
      if (indexes) indexes.push(index)
      else byDevice.set(device.id, [index])
    }
    const waiting = [...byDevice.values()]
    const work = async () => {
      for (let indexes = waiting.shift(); indexes; indexes = waiting.shift()) {
        let ended: MassResult | null = null
        for (const index of indexes) {
          const result: MassResult = ended ?? (await this.#resultOf(messages[index]!, signal))
          results[index] = result
          // Any other outcome is of the device, and the same for what follows.
          if (![200, 413, 422].includes(result.status)) ended = result
        }
      }
    }
    await Promise.all(Array.from({ length: mostAtOnce }, work))
    signal?.throwIfAborted()
    return results
  }

  async #resultOf({ device, telemetry }: Message<MqttDevice>, signal?: AbortSignal): Promise<MassResult> {
    const { id } = device
    try {
      await this.send(device, telemetry, { signal })
      return { id, status: 200 }
    } catch (error) {
      if (!(error instanceof LandbridgeError)) throw error
      const { code, message, details } = error
      return { id, status: statusOf(error), code, error: message, details }
    }
  }

  async #publishOn(connection: Promise<Connection>, topic: string, payload: string): Promise<void> {
    const { client, lost } = await connection
    const { timeoutMs = 30_000 } = this.#options
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      const error = new NetworkError('timeout', `No acknowledgement within ${timeoutMs} ms.`)
      timer = setTimeout(() => reject(error), timeoutMs)
    })
    const published = new Promise<void>((resolve, reject) => {
      client.publish(topic, payload, { qos: 1 }, (error, packet) =>
        error ? reject(refusalOf(error, packet)) : resolve(),
      )
    })
    try {
      await Promise.race([published, late, lost])
    } finally {
      clearTimeout(timer)
    }
  }

  /** For a device that sends nothing more: it does not count as offline for it. */
  async disconnect(deviceId: string): Promise<void> {
    const connection = this.#connections.get(deviceId)
    this.#connections.delete(deviceId)
    if (connection) await this.#end(connection)
  }

  /** Says goodbye for every device: none of them is told offline for it. */
  async close(): Promise<void> {
    this.#isClosed = true
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
    // A device that cannot connect, or is not connected any more, tries again with its next message.
    connection
      .then(({ lost }) => lost)
      .catch((error: unknown) => {
        this.#forget(device.id, connection)
        // Also from where it was sent for now.
        if (!(error instanceof Moved)) this.#moves.fail(device.id)
      })
    return connection
  }

  #forget(deviceId: string, connection: Promise<Connection>): void {
    if (this.#connections.get(deviceId) === connection) this.#connections.delete(deviceId)
  }

  async #open(device: MqttDevice): Promise<Connection> {
    for (;;) {
      try {
        const connection = await this.#connect(device, this.hubOf(device))
        if (this.#movedForGood.delete(device.id)) this.#moves.confirm(device.id)
        return connection
      } catch (error) {
        if (!(error instanceof Moved)) throw error
      }
    }
  }

  /** What to tell those who wait: that they may follow, or why not. */
  #follow({ id, mqtt_hub_url }: MqttDevice, address: string, { reasonCode, properties }: Packet): Error {
    try {
      this.#moves.learn(id, mqtt_hub_url, address, addressIn(properties?.serverReference ?? '', address))
      if (reasonCode === serverMoved) this.#movedForGood.add(id)
      else this.#movedForGood.delete(id)
      return new Moved()
    } catch (error) {
      return error as Error
    }
  }

  async #connect(device: MqttDevice, address: string): Promise<Connection> {
    const { connect } = await loadMqtt()
    const { ca, keepaliveSeconds = 60, timeoutMs = 30_000 } = this.#options
    const { id, access_key } = device
    const client = connect(address, {
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
    })
    let reason: Error | undefined
    let last: Packet | undefined
    client.on('packetreceive', (packet) => {
      last = packet
      const { reasonCode } = packet
      if (reasonCode === useAnotherServer || reasonCode === serverMoved) reason = this.#follow(device, address, packet)
      else reason ??= endOf(packet) ?? undefined
    })
    const lost = new Promise<never>((_, reject) => {
      // After a refusal the connection may stay open; after any other error its close follows.
      client.on('error', (error) => {
        reason ??= errorOfConnection(error, address, last)
        if (typeof error.code === 'number') reject(reason)
      })
      client.once('close', () => reject(reason ?? new NetworkError('network_error', 'The connection was lost.')))
    })
    lost.catch(() => {})
    try {
      await Promise.race([new Promise<void>((resolve) => client.once('connect', resolve)), lost])
    } catch (error) {
      await client.endAsync(true).catch(() => {})
      throw error
    }
    return { client, lost }
  }
}

async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return await work
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
  })
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** The hub sends the device to another one: try there. */
class Moved extends Error {}
