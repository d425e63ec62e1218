import { LandbridgeError } from './errors.ts'
import { withoutSlash } from './transport.ts'

/** A device that a hub sends on more often than this, before any hub took a message, is sent in circles. */
const longestWay = 3

/** Devices that are remembered. Of any other the hub it was registered with knows the way. */
const mostDevices = 100_000

interface Move {
  /** What the caller has. */
  given: string
  now: string
  hops: number
  /** Whether the hub there has taken a message of it. */
  isConfirmed: boolean
}

/** Where devices send since their hub sent them on. Their callers learn it by `onMoved`, once the new hub took a message. */
export class Moves {
  readonly #moves = new Map<string, Move>()
  readonly #onMoved: (deviceId: string, url: string) => void

  constructor(onMoved: (deviceId: string, url: string) => void) {
    this.#onMoved = onMoved
  }

  addressOf(deviceId: string, given: string): string {
    const move = this.#moves.get(deviceId)
    // The caller has learned of it, or knows better.
    if (move && move.given !== given) this.#moves.delete(deviceId)
    return move?.given === given ? move.now : withoutSlash(given)
  }

  /** The hub `before` sends the device on. Throws where it must not follow. */
  learn(deviceId: string, given: string, before: string, told: string): void {
    // Another message of it was faster.
    if (this.addressOf(deviceId, given) !== before) return
    const hops = (this.#moves.get(deviceId)?.hops ?? 0) + 1
    this.#moves.delete(deviceId)
    const now = withoutSlash(told)
    if (!isSafe(before, now)) {
      const message = `${before} sends device ${deviceId} on to ${JSON.stringify(told.slice(0, 200))}: its key is sent to secure addresses only.`
      throw new LandbridgeError('move_refused', message, { status: 421 })
    }
    if (hops > longestWay || now === before) {
      const message = `Device ${deviceId} is sent in circles: from ${withoutSlash(given)}, at last from ${before} to ${now}.`
      throw new LandbridgeError('moved_in_circles', message, { status: 421 })
    }
    if (this.#moves.size >= mostDevices) this.#moves.delete(this.#moves.keys().next().value!)
    this.#moves.set(deviceId, { given, now, hops, isConfirmed: false })
  }

  /** Its hub responded. */
  confirm(deviceId: string): void {
    const move = this.#moves.get(deviceId)
    if (!move || move.isConfirmed) return
    Object.assign(move, { isConfirmed: true, hops: 0 })
    this.#onMoved(deviceId, move.now)
  }

  /** Nobody responded at an address that never did: the hub before may know a better one by now. */
  fail(deviceId: string): void {
    if (this.#moves.get(deviceId)?.isConfirmed === false) this.#moves.delete(deviceId)
  }
}

/**
 * Told by a hub that has the key already, so any host will do; but over TLS, or within one machine if the device was
 * without TLS before.
 */
function isSafe(before: string, now: string): boolean {
  if (now.length > 500 || /\s/.test(now) || !URL.canParse(now)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(now)
  if (username || password || search || hash) return false
  if (/^(https|mqtts):$/.test(protocol)) return new URL(before).protocol.startsWith(protocol.slice(0, 4))
  return protocol === new URL(before).protocol && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}
