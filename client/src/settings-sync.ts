import { type Backoff, delayOf, sleep } from './backoff.ts'
import { isRefusal } from './command-runner.ts'
import type { SettingsDocument, SettingsReport, Value } from './command-types.ts'
import { LandbridgeError } from './errors.ts'
import { call } from './transport.ts'

/** Why the device does not apply settings, by their keys: a sentence, or that it has no such setting. */
export type RefusedSettings = Record<string, string | { unsupported: true; message?: string }>

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing is meant
type SettingsVerdict = RefusedSettings | undefined | void

/**
 * Applies the whole of the settings. Returns nothing if all of them are applied, or why some are not: `{ brightness: 'This
 * panel goes up to 80.' }`. After an error it is called again.
 */
export type SettingsHandler = (
  values: Record<string, Value>,
  context: { version: number; signal: AbortSignal },
) => SettingsVerdict | Promise<SettingsVerdict>

interface SyncOptions {
  backoff: Backoff
  read(): Promise<SettingsDocument | null>
  report(report: SettingsReport): Promise<void>
  onError?: ((error: unknown) => void) | undefined
}

/** How often a change at the device is tried again on top of a newer version. */
const mostConflicts = 5

/** Keeps the settings of one device in step: the newest version is applied, in order, and its outcome reported. */
export class SettingsSync {
  readonly #options: SyncOptions
  readonly #stopping = new AbortController()
  #handler: SettingsHandler | null = null
  /** Of the version that is applied, or that the device refused in part. */
  #known: number | null = null
  #newest: SettingsDocument | null = null
  /** Changes at the device that are under way. */
  #changes = 0
  #working: Promise<void> | null = null
  #reading: Promise<void> | null = null

  constructor(options: SyncOptions) {
    this.#options = options
  }

  get isWanted(): boolean {
    return this.#handler !== null
  }

  on(handler: SettingsHandler): void {
    if (this.#handler) throw new Error('The settings have a handler already.')
    this.#handler = handler
  }

  offer(document: SettingsDocument): void {
    if (!this.#handler || this.#stopping.signal.aborted) return
    this.#newest = document
    // The device's own change may be brought back to it before it is known to be its own.
    if (this.#changes === 0) this.#begin()
  }

  #begin(): void {
    if (!this.#handler || this.#stopping.signal.aborted) return
    this.#working ??= this.#work().finally(() => {
      this.#working = null
    })
  }

  offerVersion(version: number): void {
    if (version !== this.#known && version !== this.#newest?.version) void this.refresh()
  }

  /** Reads the settings, and applies them if they are others than before. */
  refresh(): Promise<void> {
    if (!this.#handler || this.#stopping.signal.aborted) return Promise.resolve()
    this.#reading ??= this.#options
      .read()
      .then(
        (document) => void (document && this.offer(document)),
        (error: unknown) => call(this.#options.onError, error),
      )
      .finally(() => {
        this.#reading = null
      })
    return this.#reading
  }

  /** Somebody changed it at the device. Without `baseVersion` it counts over whatever is wanted by now, key by key. */
  async change(values: Record<string, Value>, baseVersion?: number): Promise<number> {
    this.#changes += 1
    try {
      return await this.#change(values, baseVersion)
    } finally {
      this.#changes -= 1
      this.#begin()
    }
  }

  async #change(values: Record<string, Value>, baseVersion?: number): Promise<number> {
    for (let conflicts = 0; ; conflicts += 1) {
      const base = baseVersion ?? this.#known ?? (await this.#options.read())?.version ?? 0
      try {
        await this.#options.report({ base_version: base, values })
        return await this.#learnOwn(base)
      } catch (error) {
        const isOld = error instanceof LandbridgeError && error.code === 'settings_changed'
        if (!isOld || baseVersion !== undefined || conflicts === mostConflicts) throw error
        await this.#catchUp()
      }
    }
  }

  /** What the device set itself needs no handler; what others changed since then does. */
  async #learnOwn(base: number): Promise<number> {
    const document = await this.#options.read()
    const version = document?.version ?? base + 1
    if (document && version > base + 1) this.offer(document)
    else {
      this.#known = version
      // What was on its way is older than the change.
      this.#newest = null
    }
    return version
  }

  /** What others changed meanwhile is applied first. */
  async #catchUp(): Promise<void> {
    const document = await this.#options.read()
    if (!document) return
    if (!this.#handler) this.#known = document.version
    else {
      this.#newest = document
      this.#begin()
    }
    await this.#working
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort(new LandbridgeError('stopped', 'The device was stopped.'))
    const over = new AbortController()
    const ended = Promise.resolve(this.#working).then(() => over.abort())
    await Promise.race([ended, sleep(graceMs, over.signal).catch(() => {})])
  }

  async #work(): Promise<void> {
    for (let failures = 0; this.#newest && this.#newest.version !== this.#known; ) {
      const document = this.#newest
      try {
        await this.#apply(document)
        failures = 0
      } catch (error) {
        if (this.#stopping.signal.aborted) return
        call(this.#options.onError, error)
        await sleep(delayOf(this.#options.backoff, failures++), this.#stopping.signal).catch(() => {})
      }
      if (this.#stopping.signal.aborted) return
    }
  }

  async #apply({ version, config }: SettingsDocument): Promise<void> {
    const refused = Object.entries((await this.#handler!(config, { version, signal: this.#stopping.signal })) ?? {})
    const details = refused.map(([key, why]) => (typeof why === 'string' ? { key, message: why } : { key, ...why }))
    const report: SettingsReport =
      details.length === 0 ? { version, result: 'applied' } : { version, result: 'rejected', details }
    await this.#options.report(report).catch((error: unknown) => {
      // A newer version is there by now, and comes on its way.
      if (!isRefusal(error)) throw error
      if (error.code !== 'settings_changed') call(this.#options.onError, error)
    })
    // Meanwhile the device may have changed it itself.
    if (this.#newest) this.#known = version
  }
}
