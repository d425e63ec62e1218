import type { CallOptions } from './api-client.ts'
import { type Backoff, delayOf, sleep } from './backoff.ts'
import { type CommandContext, type CommandHandler, CommandRunner, type HandlerOptions } from './command-runner.ts'
import { type CommandStore, memoryCommandStore } from './command-store.ts'
import type { CommandReport, CommandTypes, DefinedCommands, HandedOutCommand, Value } from './command-types.ts'
import { leftOf, waitOf } from './http-way.ts'
import { call } from './transport.ts'

export interface FleetPoll {
  wait?: number
  after?: string
  limit?: number
}

export interface FleetCommands {
  commands: HandedOutCommand[]
  /** Hand it back with the next poll: these commands arrived. */
  after: string | null
}

/** How a cloud receives the commands of its devices: a `Partner`. */
export interface FleetWay {
  readonly backoff: Backoff
  readonly timeoutMs: number
  serviceTime(): number | null
  pollCommands(query: FleetPoll, options?: CallOptions): Promise<FleetCommands>
  reportCommand(report: CommandReport, options?: CallOptions): Promise<void>
}

export interface FleetOptions<Types extends CommandTypes> {
  /** Where it is remembered which commands were executed. In memory if left out: then a restart may execute one again. */
  store?: CommandStore
  /** What `defineCommands` returned: handlers get its types, and parameters that do not fit are rejected. */
  commands?: DefinedCommands<Types>
  /** Commands that are executed at once, each of another device. 64 if left out. */
  atOnce?: number
  /** Something failed, and is tried again. */
  onError?(error: unknown): void
}

/** What `stop` waits for the handlers. */
const graceMs = 10_000

/** The service's limit of one response. */
const mostPerPoll = 100

/**
 * The commands of all devices of a partner, for a cloud that its devices are connected to: one poll, and a handler for each
 * command, whichever device it is for (`context.deviceId`).
 */
export class ControlledFleet<Types extends CommandTypes = Record<string, Record<string, Value>>> {
  readonly #way: FleetWay
  readonly #options: FleetOptions<Types>
  readonly #runner: CommandRunner
  readonly #stopping = new AbortController()
  #polling: Promise<void> | null = null
  #room: (() => void) | null = null

  constructor(way: FleetWay, options: FleetOptions<Types> = {}) {
    const { store = memoryCommandStore(), commands, onError } = options
    this.#way = way
    this.#options = options
    this.#runner = new CommandRunner({
      ...{ store, backoff: way.backoff, declared: commands, onError },
      report: (_, report) => way.reportCommand(report),
    })
  }

  /** What is done when a device gets this command. A command without a handler is rejected. */
  onCommand<Name extends keyof Types & string>(
    name: Name,
    handler: (parameters: Types[Name], context: CommandContext) => unknown,
    options: HandlerOptions<Types[Name]> = {},
  ): this {
    this.#runner.on(name, handler as CommandHandler, options as HandlerOptions)
    return this
  }

  /** From now on it receives; first it finishes what an earlier process left. The handlers come before this. */
  async start(): Promise<void> {
    if (this.#polling) return
    await this.#runner.recover()
    this.#polling = this.#poll()
  }

  /** Begins nothing more, and waits up to 10 s for what is under way. The store stays open. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#room?.()
    await Promise.all([this.#runner.stop(graceMs), this.#polling])
  }

  async #poll(): Promise<void> {
    const { signal } = this.#stopping
    const { atOnce = 64, onError } = this.#options
    let after: string | null = null
    for (let pauses = 0; !signal.aborted; ) {
      const limit = Math.min(atOnce - this.#runner.size, mostPerPoll)
      if (limit <= 0) {
        await new Promise<void>((resolve) => {
          this.#room = resolve
        })
        continue
      }
      const began = performance.now()
      try {
        const wait = waitOf(this.#way)
        const page = await this.#way.pollCommands({ wait, limit, ...(after === null ? {} : { after }) }, { signal })
        after = page.after ?? null
        for (const command of page.commands) this.#take(command)
        if (page.commands.length > 0 || performance.now() - began > wait * 500) pauses = 0
        // A wait that ends at once, as while the service stops, is not to be repeated at once.
        else await sleep(delayOf(this.#way.backoff, pauses++), signal)
      } catch (error) {
        if (signal.aborted) return
        call(onError, error)
        await sleep(delayOf(this.#way.backoff, pauses++), signal).catch(() => {})
      }
    }
  }

  #take(command: HandedOutCommand): void {
    void this.#runner.handle(command, leftOf(command, this.#way.serviceTime())).finally(() => this.#room?.())
  }
}
