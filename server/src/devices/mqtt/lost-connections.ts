import { setTimeout as sleep } from 'node:timers/promises'
import { parseJson } from '../../platform/bounded-json.ts'
import type { Context } from '../context.ts'
import { ingest } from '../telemetry/ingest.ts'
import type { Connection } from './mqtt-connection.ts'

const everyMilliseconds = 1_000
/** Of those that wait, per round: as many as one statement takes. */
const perRound = 1_000

interface Loss {
  device_id: string
  number: number
  key_digest: string
  lost_at: Date
  /** The will, with a message id, so that it is stored once however often it is tried. Null without one. */
  message: object | null
  /** Whether the device was set offline already: then only the will is left. */
  marked: boolean
}

/**
 * Connections that ended without a DISCONNECT. If one was the device's current one, the device becomes offline and its
 * will is stored as its last message. [MQTT-3.1.2-8] would publish the will at a take-over too; that would set a device
 * offline that has just reconnected.
 *
 * What cannot be stored now is tried again until it is. There are never more than there were connections: without a
 * database no device can connect.
 */
export class LostConnections {
  readonly #context: Context
  readonly #waiting: Loss[] = []
  #retrying = false
  #closed = false

  constructor(context: Context) {
    this.#context = context
  }

  /** Returns after the first attempt. */
  async add(connection: Connection): Promise<void> {
    const { id, number, key_digest } = connection.device!
    const lost_at = this.#context.now()
    const will = connection.willPayload ? parseWill(connection.willPayload) : null
    // With the instant of the loss: whatever the device sends on its next connection is newer.
    const message = will && { message_id: connection.id, ...will, status: 'offline', timestamp: lost_at.toISOString() }
    const loss = { device_id: id, number, key_digest, lost_at, message, marked: false }
    try {
      await this.#store(loss)
    } catch (error) {
      this.#context.log.warn({ err: error, device_id: id }, 'mqtt: lost connection not recorded yet')
      this.#waiting.push(loss)
      if (!this.#retrying && !this.#closed) void this.#retry()
    }
  }

  /** Gives up what cannot be stored: the process ends. */
  close(): void {
    this.#closed = true
    const devices = this.#waiting.length
    if (devices > 0) this.#context.log.error({ devices }, 'mqtt: lost connections not recorded')
  }

  async #store(loss: Loss): Promise<void> {
    const { device_id, number, lost_at, key_digest, message } = loss
    loss.marked ||= await this.#context.markConnectionLost({ device_id, number, lost_at })
    if (!loss.marked || !message) return
    const outcome = await ingest(this.#context, { device_id, key_digest, body: message })
    if (outcome.status === 503) throw new Error(outcome.error)
  }

  /** In the order of their losses. */
  async #retry(): Promise<void> {
    this.#retrying = true
    while (this.#waiting.length > 0 && !this.#closed) {
      await sleep(everyMilliseconds, undefined, { ref: false })
      const round = this.#waiting.slice(0, perRound)
      const stored = await Promise.allSettled(round.map((loss) => this.#store(loss)))
      const left = round.filter((_, index) => stored[index]!.status === 'rejected')
      this.#waiting.splice(0, round.length, ...left)
    }
    this.#retrying = false
  }
}

/** A will need not be telemetry: the device is offline in any case. */
function parseWill(payload: Buffer): object | null {
  try {
    const body: unknown = parseJson(payload.toString('utf8'))
    return typeof body === 'object' && body !== null ? body : null
  } catch {
    return null
  }
}
