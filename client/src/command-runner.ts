import { type Backoff, delayOf, sleep } from './backoff.ts'
import { faultIn } from './command-parameters.ts'
import type { CommandStore, RememberedCommand } from './command-store.ts'
import type { CommandOutcome, CommandReport, HandedOutCommand, Value } from './command-types.ts'
import { CommandRejected, LandbridgeError } from './errors.ts'
import type { DeclaredCommand } from './generated-types.ts'
import { call } from './transport.ts'

/** What a handler knows of its command besides the parameters. */
export interface CommandContext {
  id: string
  deviceId: string
  /** Tells whoever waits how far it is, and begins the command's `timeout` anew. Never rejects. */
  progress(message?: string): Promise<void>
  /** Aborted by `stop`: end soon, or the command counts as interrupted. */
  signal: AbortSignal
}

/** What it returns is the result, reported as `done`; an error is `failed` with its message, `CommandRejected` is `rejected`. */
export type CommandHandler<Parameters extends object = Record<string, Value>> = (
  parameters: Parameters,
  context: CommandContext,
) => unknown

export interface HandlerOptions<Parameters extends object = Record<string, Value>> {
  /**
   * Called instead when the process ended in the middle of the command, as it does when a device reboots because of it.
   * Without it the command is reported as `failed`, and never executed a second time.
   */
  resume?: CommandHandler<Parameters>
}

interface RunnerOptions {
  store: CommandStore
  backoff: Backoff
  declared?: readonly DeclaredCommand[] | undefined
  report(deviceId: string, report: CommandReport, signal?: AbortSignal): Promise<void>
  onError?: ((error: unknown) => void) | undefined
}

interface Registered extends HandlerOptions {
  handler: CommandHandler
}

/** The service's limits of a report, in bytes. */
const limits = { message: 1_024, result: 16_384 }

/** A command whose `resume` ends the process each time is given up. */
const mostResumes = 3

const interrupted = 'Interrupted: the device restarted while it executed this. It may be done in part.'

/**
 * Executes commands: those of a device one after the other, each once, however often it is handed out. The order of the
 * steps is the guarantee: the service takes `in_progress`, then the id is stored, then it is executed, then the outcome is
 * stored, then it is reported until the service has it.
 */
export class CommandRunner {
  readonly #options: RunnerOptions
  readonly #handlers = new Map<string, Registered>()
  readonly #underWay = new Map<string, Promise<boolean>>()
  /** By device: when its last command so far is over. */
  readonly #turns = new Map<string, Promise<unknown>>()
  readonly #stopping = new AbortController()

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  on(name: string, handler: CommandHandler, options: HandlerOptions = {}): void {
    if (this.#handlers.has(name)) throw new Error(`${name} has a handler already.`)
    const { declared } = this.#options
    if (declared && !declared.some((each) => each.name === name)) throw new Error(`${name} is not declared.`)
    this.#handlers.set(name, { handler, ...options })
  }

  get hasHandlers(): boolean {
    return this.#handlers.size > 0
  }

  get size(): number {
    return this.#underWay.size
  }

  /**
   * `leftMs`: until it expires, by the service's clock; null if that is not known. True once the service has its outcome or
   * wants none, false if it has to be handed out again.
   */
  handle(command: HandedOutCommand, leftMs: number | null): Promise<boolean> {
    const deadline = leftMs === null ? Number.POSITIVE_INFINITY : performance.now() + leftMs
    return this.#once(command.device_id, command.id, () => this.#execute(command, deadline))
  }

  /** What an earlier process left: outcomes that were not reported, and commands that it did not finish. */
  async recover(deviceId?: string): Promise<void> {
    for (const { deviceId: of, command } of await this.#options.store.unsettled()) {
      if (deviceId !== undefined && of !== deviceId) continue
      void this.#once(of, command.id, () => this.#goOn(of, command, command.parameters))
    }
  }

  /** Begins nothing more; waits for what is executed, but not for ever. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort(new LandbridgeError('stopped', 'The device was stopped.'))
    const over = new AbortController()
    const ended = Promise.allSettled(this.#underWay.values()).then(() => over.abort())
    await Promise.race([ended, sleep(graceMs, over.signal).catch(() => {})])
  }

  #once(deviceId: string, id: string, work: () => Promise<boolean>): Promise<boolean> {
    const same = this.#underWay.get(id)
    if (same) return same
    const before = this.#turns.get(deviceId) ?? Promise.resolve()
    const result = before
      .then(() => (this.#isStopping ? false : work()))
      .catch((error: unknown) => {
        call(this.#options.onError, error)
        return false
      })
      .finally(() => {
        this.#underWay.delete(id)
        if (this.#turns.get(deviceId) === result) this.#turns.delete(deviceId)
      })
    this.#underWay.set(id, result)
    this.#turns.set(deviceId, result)
    return result
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  async #execute(command: HandedOutCommand, deadline: number): Promise<boolean> {
    const { id, device_id, name, parameters } = command
    const known = (await this.#options.store.read(device_id)).find((each) => each.id === id)
    if (known) return await this.#goOn(device_id, known, parameters)
    const fresh: RememberedCommand = { id, name, isSettled: false, resumed: 0 }
    // Begun, and not by this store: by one that was lost.
    if (command.state === 'in_progress') return await this.#goOn(device_id, fresh, parameters)
    if (performance.now() >= deadline) return true
    const handler = this.#handlers.get(name)
    const refusal = handler ? this.#refusalOf(command) : `This device does not know ${name}.`
    if (refusal !== null) return await this.#conclude(device_id, fresh, { status: 'rejected', message: refusal })
    const begun = await this.#deliver(device_id, { id, status: 'in_progress' }, deadline)
    if (begun !== 'taken') return begun !== 'not taken' || performance.now() >= deadline
    if (performance.now() >= deadline) {
      return await this.#conclude(device_id, fresh, {
        status: 'rejected',
        message: 'It expired before it could begin.',
      })
    }
    const started = handler!.resume ? { ...fresh, parameters } : fresh
    await this.#options.store.write(device_id, started)
    return await this.#conclude(device_id, fresh, await this.#run(handler!.handler, device_id, id, parameters))
  }

  /** With a command that is in the store: its outcome is reported again, and what was interrupted is not begun anew. */
  async #goOn(deviceId: string, command: RememberedCommand, parameters?: Record<string, Value>): Promise<boolean> {
    const { parameters: _, ...bare } = command
    if (command.outcome) return await this.#settle(deviceId, { ...bare, outcome: command.outcome })
    const resume = this.#handlers.get(command.name)?.resume
    if (!resume || !parameters || command.resumed >= mostResumes)
      return await this.#conclude(deviceId, bare, { status: 'failed', message: interrupted })
    const resumed = { ...command, parameters, resumed: command.resumed + 1 }
    await this.#options.store.write(deviceId, resumed)
    const outcome = await this.#run(resume, deviceId, command.id, parameters)
    return await this.#conclude(deviceId, { ...bare, resumed: resumed.resumed }, outcome)
  }

  #refusalOf({ name, parameters }: HandedOutCommand): string | null {
    const declaration = this.#options.declared?.find((each) => each.name === name)
    return declaration ? faultIn(declaration, parameters) : null
  }

  async #run(
    handler: CommandHandler,
    deviceId: string,
    id: string,
    parameters: Record<string, Value>,
  ): Promise<CommandOutcome> {
    const progress = async (message?: string) => {
      const report = { id, status: 'in_progress' as const, ...(message === undefined ? {} : { message: cut(message) }) }
      await this.#options.report(deviceId, report).catch((error: unknown) => call(this.#options.onError, error))
    }
    try {
      const result = await handler(parameters, { id, deviceId, progress, signal: this.#stopping.signal })
      return doneWith(result)
    } catch (error) {
      const message = cut((error instanceof Error && error.message) || String(error))
      return { status: error instanceof CommandRejected ? 'rejected' : 'failed', message }
    }
  }

  async #conclude(deviceId: string, command: RememberedCommand, outcome: CommandOutcome): Promise<boolean> {
    const concluded = { ...command, outcome }
    await this.#options.store.write(deviceId, concluded)
    return await this.#settle(deviceId, concluded)
  }

  async #settle(deviceId: string, command: RememberedCommand & { outcome: CommandOutcome }): Promise<boolean> {
    const { id, outcome } = command
    let delivered = await this.#deliver(deviceId, { id, ...outcome })
    // It was executed, which the service has to know, also if it does not take what was said about it.
    if (delivered === 'invalid') delivered = await this.#deliver(deviceId, { id, status: outcome.status })
    if (delivered === 'not taken') return false
    if (!command.isSettled) await this.#options.store.write(deviceId, { ...command, isSettled: true })
    return true
  }

  /** Until the service has it, will not have it, or it is too late. */
  async #deliver(
    deviceId: string,
    report: CommandReport,
    deadline = Number.POSITIVE_INFINITY,
  ): Promise<'taken' | 'refused' | 'invalid' | 'not taken'> {
    for (let failures = 0; ; failures += 1) {
      try {
        await this.#options.report(deviceId, report)
        return 'taken'
      } catch (error) {
        if (isRefusal(error)) {
          // Somebody canceled it, it expired, or another outcome was first: that is for the service to say.
          if (isOver(error)) return 'refused'
          call(this.#options.onError, error)
          return error.status === 422 ? 'invalid' : 'refused'
        }
        call(this.#options.onError, error)
      }
      const left = deadline - performance.now()
      if (this.#isStopping || left <= 0) return 'not taken'
      await sleep(Math.min(delayOf(this.#options.backoff, failures), left), this.#stopping.signal).catch(() => {})
    }
  }
}

/** The service itself said no, and will say so again. */
export function isRefusal(error: unknown): error is LandbridgeError {
  if (!(error instanceof LandbridgeError) || error.status === null || error.code === 'unexpected') return false
  return error.status >= 400 && error.status < 500 && ![408, 421, 429].includes(error.status)
}

function isOver({ code }: LandbridgeError): boolean {
  return code === 'command_finished' || code === 'not_found'
}

function doneWith(result: unknown): CommandOutcome {
  if (result === undefined) return { status: 'done' }
  const text = JSON.stringify(result) ?? 'null'
  const bytes = new TextEncoder().encode(text).length
  // It was executed: a result that is too long does not change that.
  if (bytes > limits.result) return { status: 'done', message: `Its result of ${bytes} bytes is left out.` }
  return { status: 'done', result: JSON.parse(text) }
}

function cut(message: string): string {
  const bytes = new TextEncoder().encode(message)
  if (bytes.length <= limits.message) return message
  // Half a character at the end is left out.
  return `${new TextDecoder().decode(bytes.slice(0, limits.message - 3)).replace(/\uFFFD+$/, '')}…`
}
