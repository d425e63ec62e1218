import { chance } from './chance.ts'
import type { Sender, Verdict } from './senders.ts'
import type { SimulatedDevice } from './simulated-device.ts'

/** Events are shares of all devices per hour. */
export interface Plan {
  /** Between two messages of a device, on average; 0 for as fast as the service takes them. */
  everySeconds: number
  outages: number
  updates: number
  removals: number
}

export class Counts {
  stored = 0
  failed = 0
  outages = 0
  updates = 0
  removed = 0
  commands = 0
  lastError: string | null = null

  fail(error: Error): void {
    this.failed += 1
    this.lastError = error.message
  }
}

interface FleetOptions {
  devices: SimulatedDevice[]
  sender: Sender
  plan: Plan
  counts: Counts
  /** Removes a device at the service. */
  remove(device: SimulatedDevice): Promise<void>
  /** Replaces a device that was removed. */
  replace(device: SimulatedDevice): Promise<void>
}

const [update, removal] = [1, 2]
const tickMilliseconds = 100

/**
 * Lets the devices send. Each has at most one message under way, so a slow service makes them late and nothing piles up.
 */
export class Fleet {
  readonly #options: FleetOptions
  readonly #due = new Set<SimulatedDevice>()
  readonly #hurried = new Set<SimulatedDevice>()
  #idle: (() => void)[] = []
  #sent = 0

  constructor(options: FleetOptions) {
    this.#options = options
    const spread = Math.min(options.plan.everySeconds, 10) * 1000
    for (const device of options.devices) device.dueAt = Date.now() + spread * chance(device.position, 41)
  }

  get away(): number {
    return this.#options.devices.reduce((sum, { isAway }) => sum + (isAway ? 1 : 0), 0)
  }

  async run(signal: AbortSignal): Promise<void> {
    const { sender } = this.#options
    const timer = setInterval(
      () => this.#gather(),
      sender.messagesPerCall > 1 ? 10 * tickMilliseconds : tickMilliseconds,
    )
    signal.addEventListener('abort', () => this.#wake())
    this.#gather()
    await Promise.all(Array.from({ length: sender.calls }, () => this.#work(signal)))
    clearInterval(timer)
  }

  #gather(): void {
    const now = Date.now()
    for (const device of this.#options.devices) {
      if (device.dueAt > now) continue
      device.dueAt = Number.POSITIVE_INFINITY
      this.#due.add(device)
    }
    if (this.#due.size > 0) this.#wake()
  }

  #wake(): void {
    for (const resume of this.#idle.splice(0)) resume()
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { messagesPerCall } = this.#options.sender
    while (!signal.aborted) {
      const batch: SimulatedDevice[] = []
      for (const device of this.#due) {
        this.#due.delete(device)
        batch.push(device)
        if (batch.length === messagesPerCall) break
      }
      if (batch.length > 0) await this.#deliver(batch, signal)
      else await new Promise<void>((resolve) => this.#idle.push(resolve))
    }
  }

  async #deliver(batch: SimulatedDevice[], signal: AbortSignal): Promise<void> {
    const { sender } = this.#options
    const now = new Date()
    const sending: SimulatedDevice[] = []
    for (const device of batch) if (await this.#live(device, now)) sending.push(device)
    if (sending.length > 0) {
      const verdicts = await sender.send(sending.map((device) => device.message(now)))
      for (const [index, device] of sending.entries()) await this.#settle(device, verdicts[index]!, signal)
    }
    for (const device of batch) this.#schedule(device)
  }

  /** It has something to say: also that it goes offline. */
  soon(device: SimulatedDevice): void {
    // One with a message under way says it with the next, which is due at once.
    if (device.dueAt === Number.POSITIVE_INFINITY) this.#hurried.add(device)
    else device.dueAt = Math.min(device.dueAt, Date.now())
  }

  /** What happens to a device besides its messages. False while it is away. */
  async #live(device: SimulatedDevice, now: Date): Promise<boolean> {
    const { plan, counts, sender, remove } = this.#options
    const isAway = device.believable.isAwayAt(now, plan.outages)
    if (isAway && !device.isAway) {
      counts.outages += 1
      sender.cut(device.kept!)
    }
    device.isAway = isAway
    if (isAway) return false
    const minutes = device.minutesSince(now.getTime())
    if (device.happens(update, plan.updates, minutes)) {
      device.update()
      counts.updates += 1
    }
    if (device.happens(removal, plan.removals, minutes))
      await remove(device).catch((error: Error) => counts.fail(error))
    return true
  }

  async #settle(device: SimulatedDevice, verdict: Verdict, signal: AbortSignal): Promise<void> {
    const { counts, replace } = this.#options
    if (verdict === 'stored') {
      counts.stored += 1
      device.stored()
    } else if (signal.aborted) {
      // What ended with the simulation has not failed, and what was removed is replaced by the next one.
    } else if (verdict === 'removed') {
      counts.removed += 1
      await replace(device).catch((error: Error) => counts.fail(error))
    } else {
      counts.fail(verdict)
    }
  }

  /** At random between two thirds and four thirds of the time: 30 to 60 s, where nothing else was asked for. */
  #schedule(device: SimulatedDevice): void {
    const { everySeconds } = this.#options.plan
    this.#sent += 1
    const jitter = 2 / 3 + (2 / 3) * chance(device.position, this.#sent)
    device.dueAt = Date.now() + (this.#hurried.delete(device) ? 0 : everySeconds * 1000 * jitter)
    // Without a pause the next message follows at once; one that is away looks again at the next tick.
    if (everySeconds > 0 || device.isAway) return
    device.dueAt = Number.POSITIVE_INFINITY
    this.#due.add(device)
  }
}
