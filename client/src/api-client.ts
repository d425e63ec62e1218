import { delayOf, sleep } from './backoff.ts'
import { LandbridgeError, NetworkError } from './errors.ts'
import { readEvents } from './event-stream.ts'
import { errorOf, jsonOf, type Reply, type Transport, unexpected, type WireRequest } from './transport.ts'

export interface CallOptions {
  signal?: AbortSignal | undefined
}

export interface CreateOptions extends CallOptions {
  /** Names this call: for a day, a repeat with the same key creates nothing twice. A new one for each call if left out. */
  idempotencyKey?: string | undefined
}

export interface ChangeOptions extends CallOptions {
  /**
   * What the change is based on: the object that `get` or `update` returned, or its ETag. If somebody else changed it
   * since, the change is refused with `changed_meanwhile`.
   */
  ifMatch?: object | string | undefined
}

export interface Page<Item> {
  items: Item[]
  /** Where the next page starts; null on the last one. */
  next: string | null
}

export type Query = Record<string, string | number | boolean | string[] | undefined>

interface Sent {
  query?: Query
  body?: object | undefined
}

/** A list of the API, fetched page by page while it is read: `for await (const user of organization.users.list()) …` */
export class List<Item> implements AsyncIterable<Item> {
  readonly #fetchPage: (after: string | undefined) => Promise<Page<Item>>

  constructor(fetchPage: (after: string | undefined) => Promise<Page<Item>>) {
    this.#fetchPage = fetchPage
  }

  /** One page: the first one, or the one that `after`, the `next` of the page before, leads to. */
  async page(after?: string): Promise<Page<Item>> {
    return await this.#fetchPage(after)
  }

  /** At most so many items. Fetches no further page than it needs. */
  async first(count: number): Promise<Item[]> {
    const items: Item[] = []
    if (count < 1) return items
    for await (const item of this) if (items.push(item) >= count) break
    return items
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let after: string | undefined
    do {
      const page = await this.page(after)
      yield* page.items
      // A page that leads to itself would never end.
      if (page.next === after)
        throw new LandbridgeError('unexpected', 'A page of the list names itself as the next one.')
      after = page.next ?? undefined
    } while (after !== undefined)
  }
}

/** Not listed with the fields of an object, and the same in every copy of the kit. */
const etag = Symbol.for('@landbridge/client etag')

/** What the resources of an API are built on. */
export abstract class ApiClient {
  /** Where the API is, with a slash at its end. */
  protected abstract readonly base: string
  protected abstract readonly transport: Transport
  /** Sends it with the caller's credentials. */
  protected abstract send(
    url: string,
    request: WireRequest,
    options: CallOptions & { stream?: boolean },
  ): Promise<Reply>

  protected async call<Result>(
    method: string,
    segments: string[],
    options: CreateOptions & ChangeOptions,
    sent: Sent = {},
  ): Promise<Result> {
    const { url, reply } = await this.#reply(method, segments, options, sent)
    if (reply.status === 204) return undefined as Result
    const body = jsonOf<Result & object>(reply, url)
    const version = reply.headers.get('etag')
    if (version) Object.defineProperty(body, etag, { value: version })
    return body
  }

  protected async text(method: string, segments: string[], options: CallOptions, sent: Sent = {}): Promise<string> {
    const { url, reply } = await this.#reply(method, segments, options, sent)
    if (!reply.ok) throw errorOf(reply, url)
    if (isOfType(reply, 'text/html')) throw unexpected(reply, url)
    return reply.text
  }

  protected list<Item>(segments: string[], options: CallOptions, { query = {} }: Sent = {}): List<Item> {
    return new List<Item>((after) => this.call('GET', segments, options, { query: { limit: 100, ...query, after } }))
  }

  /** Until the caller stops or is refused: a stream that breaks is continued where it was, and an event may come twice. */
  protected async *stream<Event>(
    segments: string[],
    options: CallOptions,
    { query }: Sent = {},
  ): AsyncGenerator<Event, void, undefined> {
    const { backoff, timeoutMs } = this.transport
    const url = this.base + segments.map(encoded).join('/') + searchOf(query)
    let lastId: string | undefined
    for (let failures = 0; ; failures += 1) {
      try {
        const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId }
        const reply = await this.send(url, { method: 'GET', headers }, { signal: options.signal, stream: true })
        if (!reply.ok) throw errorOf(reply, url)
        if (!isOfType(reply, 'text/event-stream')) throw unexpected(reply, url)
        for await (const { id, type, data } of readEvents(reply.body!, timeoutMs, options.signal)) {
          failures = 0
          lastId = id ?? lastId
          if (type !== 'ready') yield { type, ...JSON.parse(data) }
        }
      } catch (error) {
        if (options.signal?.aborted) throw options.signal.reason
        if (!isPassing(error)) throw error
      }
      await sleep(delayOf(backoff, failures), options.signal)
    }
  }

  async #reply(method: string, segments: string[], options: CreateOptions & ChangeOptions, { query, body }: Sent) {
    const url = this.base + segments.map(encoded).join('/') + searchOf(query)
    const { signal, idempotencyKey, ifMatch } = options
    const headers: Record<string, string> = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      // One key for all attempts: if a response is lost, the repeat returns what the first one created.
      ...(method === 'POST' ? { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() } : {}),
      ...(ifMatch === undefined ? {} : { 'if-match': etagOf(ifMatch) }),
    }
    const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    return { url, reply: await this.send(url, request, { signal }) }
  }
}

function isOfType({ headers }: Reply, type: string): boolean {
  return (headers.get('content-type') ?? '').startsWith(type)
}

/** No response, too many at once, or a failure of the service or of a proxy before it: none of them refuses the caller. */
function isPassing(error: unknown): boolean {
  if (error instanceof NetworkError) return true
  const { status } = error instanceof LandbridgeError ? error : { status: null }
  return status === 429 || (status ?? 0) >= 500
}

/** Nothing, `.` and `..` would lead to another operation. */
function encoded(segment: string): string {
  if (typeof segment !== 'string' || /^\.{0,2}$/.test(segment)) {
    throw new LandbridgeError('invalid_id', `${JSON.stringify(segment)} is not an id.`)
  }
  return encodeURIComponent(segment)
}

function searchOf(query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value ?? []].flat()) search.append(name, String(each))
  }
  return search.size > 0 ? `?${search}` : ''
}

function etagOf(base: object | string): string {
  const value = typeof base === 'string' ? base : (base as { [etag]?: string })[etag]
  if (value) return value
  throw new LandbridgeError(
    'no_etag',
    'ifMatch takes what `get` or `update` returned, or an ETag. Items of a list have none.',
  )
}
