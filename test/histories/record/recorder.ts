// Writes down what an actor called and what it was told. Tokens and keys get labels, so that a history can be printed.
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyCall, Delivery, History, LiveEvent, TokenStream } from '../checker/history.ts'
import type { Reply } from './http.ts'

type CallOf<Kind> = Extract<AnyCall, { kind: Kind }>
type InputOf<Kind> = CallOf<Kind>['input']
type OutputOf<Kind> = NonNullable<CallOf<Kind>['ok']>

/** What an actor was told: nothing, a success, or the code of a refusal. */
export type Told<Output> = null | { ok: Output } | { refused: string }

const began = performance.now()

/** Milliseconds since the run began. */
export function now(): number {
  return performance.now() - began
}

/** An actor that was told nothing waits a little: it would spend all its calls while a server is away. */
const afterUnknownMilliseconds = 150

export class Recorder {
  readonly history: History
  /** Called after each call, with the number of calls. */
  onCall: (count: number) => void = () => {}
  readonly #closers: (() => void)[] = []
  #isClosed = false
  readonly #labels = new Map<string, string>()
  readonly #secrets = new Map<string, string>()

  constructor(name: string) {
    this.history = { name, calls: [], deliveries: [], live: [], streams: [], faults: [] }
  }

  async call<Kind extends AnyCall['kind']>(
    actor: string,
    kind: Kind,
    key: string,
    input: InputOf<Kind>,
    work: () => Promise<Told<OutputOf<Kind>>>,
    invoked = now(),
  ): Promise<Told<OutputOf<Kind>>> {
    const { calls } = this.history
    const call = { n: calls.length, actor, kind, key, input, invoked, returned: null, ok: null, refused: null }
    const recorded = call as unknown as AnyCall
    calls.push(recorded)
    this.onCall(calls.length)
    const told = await work()
    if (told) Object.assign(recorded, { returned: now(), ok: null, refused: null, ...told })
    else await sleep(afterUnknownMilliseconds)
    return told
  }

  /** The label of a secret: the first letter says what it is. */
  label(secret: string, letter: string): string {
    const known = this.#labels.get(secret)
    if (known) return known
    const label = `${letter}${this.#labels.size + 1}`
    this.#labels.set(secret, label)
    this.#secrets.set(label, secret)
    return label
  }

  secretOf(label: string): string {
    return this.#secrets.get(label)!
  }

  deliver(delivery: Delivery): void {
    if (!this.#isClosed) this.history.deliveries.push(delivery)
  }

  /** A live stream was opened with an access token; the returned function says that it has ended. */
  openStream(token: string): () => void {
    const stream: TokenStream = { token, opened: now(), ended: null }
    this.history.streams.push(stream)
    return () => {
      stream.ended = now()
    }
  }

  /** What has to be closed when nothing more will come. */
  onSettled(close: () => void): void {
    this.#closers.push(close)
  }

  /** What comes from now on is not recorded: it could be half of something. */
  close(): void {
    this.#isClosed = true
    for (const close of this.#closers) close()
  }

  live(event: LiveEvent): void {
    if (!this.#isClosed) this.history.live.push(event)
  }
}

/** A reply as what the actor was told; 5xx other than those the documents explain say nothing. */
export function toTold<Output>(reply: Reply | null, success: number, read: (reply: Reply) => Output): Told<Output> {
  if (!reply) return null
  if (reply.status === success) return { ok: read(reply) }
  if (reply.status === 429) return { refused: 'too_many' }
  const code = String(reply.body?.code ?? reply.body?.error ?? reply.status)
  if (reply.status < 500) return { refused: code }
  return knownRefusals.has(code) ? { refused: code } : null
}

/** Integrate.md: the message is not stored. */
const knownRefusals = new Set(['overloaded', 'storage_full'])
