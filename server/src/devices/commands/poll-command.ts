import { pollLimits } from '../../platform/own-limits.ts'
import type { Context } from '../context.ts'
import { commandTopic, revokedTopics } from '../live/topics.ts'
import { authenticateDevice, type Credential } from '../telemetry/ingest.ts'
import { type Outcome, outcomes, tooManyCalls } from '../telemetry/outcome.ts'
import type { HandedOut } from './hand-out.ts'
import type { PollEnd, Waiter, WaitingPoll } from './waiting-polls.ts'

export type PollOutcome =
  | { status: 200; command: HandedOut }
  | { status: 204 }
  | typeof tooManyCalls
  | Exclude<Outcome, { status: 200 }>

const nothing = { status: 204 } as const

/** Who asks: told once. */
export interface PollCaller {
  respond(outcome: PollOutcome): void
  fail(error: unknown): void
}

/**
 * The device's next command, for which it waits up to some seconds without a connection to Postgres: the credential is
 * checked before, and once more when a notification says that there is a command, or that the credential has ended. Tens
 * of thousands may wait, so while one does no function is suspended for it: that would be a fifth of its memory.
 */
export class CommandPoll implements Waiter {
  readonly #context: Context
  readonly #credential: Credential
  readonly #caller: PollCaller
  #until = 0
  #wait: WaitingPoll | undefined
  #isGone = false

  constructor(context: Context, credential: Credential, caller: PollCaller) {
    this.#context = context
    this.#credential = { ...credential, device_id: credential.device_id.toLowerCase() }
    this.#caller = caller
  }

  async begin(seconds: number): Promise<void> {
    const { commandPolls: polls } = this.#context
    if (seconds === 0) return this.#caller.respond((await this.#read('poll')) ?? nothing)
    if (polls.size >= pollLimits.waiting) return this.#caller.respond(outcomes.overloaded)
    this.#until = performance.now() + seconds * 1000
    const wait = this.#waitOn()
    const gathered = polls.gather()
    // Not `wait.ended`, which would keep this for as long as the device waits.
    if (gathered) {
      await new Promise<void>((resolve) => {
        void gathered.then(resolve)
        wait.tell({ waitEnded: () => resolve() })
      })
    }
    if (this.#isGone) return this.#caller.respond(nothing)
    // The first read may return a command again, for a device that has restarted; later ones only what is new.
    this.#goOn(wait, await this.#read('poll', () => wait.replaceOthers()))
  }

  /** The caller has gone. */
  leave(): void {
    this.#isGone = true
    this.#wait?.leave()
  }

  waitEnded(how: PollEnd): void {
    if (how !== 'woken' || this.#isGone) this.#caller.respond(nothing)
    else this.#readAgain().catch(this.#caller.fail)
  }

  async #readAgain(): Promise<void> {
    // Before the read, so that nothing is missed between the two.
    const wait = this.#waitOn()
    this.#goOn(wait, await this.#read('notice'))
  }

  #waitOn(): WaitingPoll {
    const milliseconds = Math.max(0, this.#until - performance.now())
    this.#wait = this.#context.commandPolls.wait(this.#credential.device_id, milliseconds)
    return this.#wait
  }

  #goOn(wait: WaitingPoll, found: PollOutcome | null): void {
    if (found) {
      wait.leave()
      this.#caller.respond(found)
    } else {
      wait.tell(this)
    }
  }

  /** Null when there is nothing to tell the device. */
  async #read(way: 'poll' | 'notice', onAuthenticated = () => {}): Promise<PollOutcome | null> {
    const context = this.#context
    const verdict = await authenticateDevice(context, this.#credential)
    if (verdict.status !== 200) return verdict
    const id = this.#credential.device_id
    if (way === 'poll' && !(await context.commandCalls.take(id, pollLimits.callsPerDevice))) return tooManyCalls
    onAuthenticated()
    if (!verdict.command) return null
    try {
      const command = await context.commandHandOut.next(id, way)
      return command ? { status: 200, command } : null
    } catch (error) {
      context.log.error({ err: error, device_id: id }, 'command not handed out')
      return outcomes.overloaded
    }
  }
}

/** Wakes the polls of this process, as long as it runs. */
export async function wakePolls({ notifications, commandPolls }: Context): Promise<void> {
  notifications.afterGap(() => commandPolls.wakeAll())
  // A removed device, or one with another key, is told so: the poll checks its credential again.
  for (const topic of [commandTopic, revokedTopics.removed, revokedTopics.rekeyed]) {
    await notifications.subscribe(topic, (deviceId) => commandPolls.wake(deviceId))
  }
}
