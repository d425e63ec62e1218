import { type Backoff, delayAfterLimit, delayOf, sleep, usualBackoff } from './backoff.ts'
import { type ErrorCode, LandbridgeError, NetworkError, NotApproved, oauthCodes, type Permission } from './errors.ts'
import { version } from './version.ts'

export interface TransportOptions {
  backoff?: Backoff | undefined
  /** For one attempt, from its first byte to the last one of its response. 30 s if left out. */
  timeoutMs?: number | undefined
  /** Instead of the runtime's own. */
  fetch?: typeof fetch | undefined
  /** Called after every attempt. Nothing in it is secret. */
  log?: ((attempt: Attempt) => void) | undefined
}

/** One attempt, for a log. */
export interface Attempt {
  method: string
  /** Without its query. */
  url: string
  /** Null when there was no response. */
  status: number | null
  milliseconds: number
  requestId: string | null
  error?: string
}

/** A response whose body has arrived. */
export interface Reply {
  ok: boolean
  status: number
  headers: Headers
  text: string
  /** Of a stream: what is still to come. */
  body?: ReadableStream<Uint8Array> | null
}

export interface SendOptions {
  /** Whether doing it twice is as good as once: it may be repeated when it is not known whether it was done. */
  safe: boolean
  signal?: AbortSignal | undefined
  /** Returns with the headers, if it succeeds. */
  stream?: boolean | undefined
}

export interface WireRequest {
  method: string
  headers?: Record<string, string>
  body?: string
}

/** Sends requests, each with a deadline, and repeats those that may succeed later. */
export class Transport {
  readonly backoff: Backoff
  readonly #fetch: typeof fetch
  readonly timeoutMs: number
  readonly #log: (attempt: Attempt) => void
  /** The service's clock at an instant of this machine's, which counts on evenly. */
  #clock: { service: number; own: number } | null = null

  constructor({ backoff, timeoutMs, fetch, log }: TransportOptions) {
    refuseBrowser()
    this.backoff = backoff ?? usualBackoff
    this.timeoutMs = timeoutMs ?? 30_000
    // Some runtimes refuse a fetch that is called as the method of another object.
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init))
    this.#log = log ?? (() => {})
  }

  /**
   * Tries again while it may help: after 429, where nobody could be connected to, and where it is `safe` to repeat after
   * 5xx or no response.
   */
  async send(url: string, request: WireRequest, { safe, signal, stream = false }: SendOptions): Promise<Reply> {
    const { backoff } = this
    let limitedSince: number | null = null
    for (let [failures, refusals] = [0, 0]; ; ) {
      let delay = delayOf(backoff, failures)
      const isLast = failures + 1 >= backoff.attempts
      try {
        const reply = await this.#attempt(url, request, signal, stream)
        if (reply.status === 429) {
          limitedSince ??= Date.now()
          const wait = delayAfterLimit(backoff, refusals++, Date.now() - limitedSince, retryAfterMs(reply))
          if (wait === null) return reply
          delay = wait
        } else {
          if (isLast || !isWorthRepeating(reply, safe)) return reply
          failures += 1
          delay = Math.max(delay, Math.min(retryAfterMs(reply), 120_000))
        }
      } catch (error) {
        if (isLast || !(error instanceof NetworkError) || !(safe || isUnsent(error))) throw error
        failures += 1
      }
      await sleep(delay, signal)
    }
  }

  /**
   * What the service's clock shows by now, or a little less than a second later; null before its first response. This
   * machine's own clock may be wrong.
   */
  serviceTime(): number | null {
    return this.#clock && this.#clock.service + performance.now() - this.#clock.own
  }

  #learnTime({ headers }: Response): void {
    const at = Date.parse(headers.get('date') ?? '')
    // It is cut to whole seconds.
    if (at) this.#clock = { service: at + 999, own: performance.now() }
  }

  async #attempt(url: string, request: WireRequest, signal: AbortSignal | undefined, stream: boolean): Promise<Reply> {
    signal?.throwIfAborted()
    const began = Date.now()
    // Not by AbortSignal.any: in Node 20 a signal that lives long, as an outbox's does, remembers every one made of it.
    const ended = new AbortController()
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      ended.abort()
    }, this.timeoutMs)
    const cancel = () => ended.abort(signal!.reason)
    signal?.addEventListener('abort', cancel, { once: true })
    const { fetch } = { fetch: this.#fetch }
    try {
      // A redirect would turn a POST into a GET, and may lead anywhere: it is an error like any other.
      const headers = { 'user-agent': `landbridge-client/${version}`, ...request.headers }
      const response = await fetch(url, { ...request, headers, redirect: 'manual', signal: ended.signal })
      this.#learnTime(response)
      const { ok, status } = response
      const text = stream && ok ? '' : await response.text()
      this.#report(url, request, began, response)
      return { ok, status, headers: response.headers, text, ...(stream && ok ? { body: response.body } : {}) }
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      const error = isLate
        ? new NetworkError('timeout', `${where(url)} did not respond within ${this.timeoutMs} ms.`, { cause })
        : new NetworkError('network_error', `${where(url)} cannot be reached: ${reasonOf(cause)}.`, { cause })
      this.#report(url, request, began, null, error.message)
      throw error
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
    }
  }

  #report(url: string, { method }: WireRequest, began: number, response: Response | null, error?: string): void {
    call(this.#log, {
      method,
      url: where(url),
      status: response?.status ?? null,
      milliseconds: Date.now() - began,
      requestId: response?.headers.get('x-request-id') ?? null,
      ...(error === undefined ? {} : { error }),
    })
  }
}

/** A page that loads the kit without a bundler. In Node.js a document is a test's. */
function refuseBrowser(): void {
  const { document, process } = globalThis as { document?: unknown; process?: { versions?: { node?: string } } }
  if (document === undefined || process?.versions?.node !== undefined) return
  throw new LandbridgeError('browser', 'The kit holds secrets, so it runs on a server and never in a browser.')
}

/** By its method (RFC 9110, 9.2.2), or because the service knows a repeat by its key. */
export function isRepeatable({ method, headers = {} }: WireRequest): boolean {
  return ['GET', 'PUT', 'DELETE'].includes(method) || headers['idempotency-key'] !== undefined
}

/** A 5xx says nothing of whether it was done; except the token endpoint's `server_error` (contract 7.3): nothing is used up. */
function isWorthRepeating({ status, text }: Reply, safe: boolean): boolean {
  return status >= 500 && (safe || objectIn(text)?.error === 'server_error')
}

/** The codes of Node.js, then of Bun. */
const unsentCodes = ['ECONNREFUSED', 'EAI_AGAIN', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused']

/** There was no connection, so nothing was sent on it. Deno has no codes, but says in which step it failed. */
function isUnsent({ cause }: Error): boolean {
  for (let each = cause as (Error & { code?: string }) | undefined; each; each = each.cause as typeof each) {
    if (unsentCodes.includes(each.code ?? '') || /client error \(Connect\)/.test(each.message)) return true
  }
  return false
}

/** Calls what the kit's user gave us; a fault in it stops nothing of ours. */
export function call<Values extends unknown[]>(callback: ((...values: Values) => void) | undefined, ...values: Values) {
  try {
    callback?.(...values)
  } catch (error) {
    console.error('A callback given to @landbridge/client failed:', error)
  }
}

/** What the service said, or a sentence about what came instead. */
export function errorOf(reply: Reply, url: string): LandbridgeError {
  const { status, headers, text } = reply
  const body = objectIn(text)
  const code = codeIn(body)
  if (!body || code === null) return unexpected(reply, url)
  const message = String(body.error_description ?? body.error ?? code)
  const details = Array.isArray(body.details) ? (body.details as LandbridgeError['details']) : []
  const retryAfterSeconds = headers.has('retry-after') ? Math.ceil(retryAfterMs(reply) / 1000) : null
  const more = { status, details, requestId: headers.get('x-request-id'), retryAfterSeconds }
  if (code === 'not_approved' && typeof body.missing === 'string')
    return new NotApproved(message, body.missing as Permission, more)
  return new LandbridgeError(code, message, more)
}

/** Contract 7.3 to 7.7 has two bodies with a sentence where others have a code. */
const codesOfSentences: Record<string, ErrorCode> = {
  'Too many requests': 'too_many_requests',
  'Not authorized': 'not_authorized',
}

/** OAuth endpoints name it `error`. Null for the JSON of a proxy. */
function codeIn(body: Record<string, unknown> | null): ErrorCode | null {
  const { code, error } = body ?? {}
  if (typeof code === 'string') return /^[a-z_]{1,60}$/.test(code) ? (code as ErrorCode) : null
  return codesOfSentences[String(error)] ?? oauthCodes.find((each) => each === error) ?? null
}

/** A proxy, or another service, responded. */
export function unexpected({ status, headers }: Reply, url: string): LandbridgeError {
  const location = headers.get('location')
  const message = location
    ? `${where(url)} redirects to ${where(location)}: is that the right address?`
    : `${where(url)} responded with ${status}, and not as this service does: is a proxy in between?`
  return new LandbridgeError('unexpected', message, { status, requestId: headers.get('x-request-id') })
}

/** The JSON of a reply, or an error that says what came instead. */
export function jsonOf<Body>(reply: Reply, url: string): Body {
  if (!reply.ok) throw errorOf(reply, url)
  const body = objectIn(reply.text)
  if (!body) throw unexpected(reply, url)
  return body as Body
}

export function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

function where(url: string): string {
  return url.split('?', 1)[0]!
}

/** Node.js puts the reason into the cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string }
  return cause?.code ?? (cause?.message || message || String(error))
}

/** In seconds, or a date, as proxies write it. */
function retryAfterMs({ headers }: Reply): number {
  const text = headers.get('retry-after') ?? ''
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Math.max(milliseconds || 0, 0)
}
