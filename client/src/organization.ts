import { sendWithRetries } from './backoff.ts'
import type { Application } from './connect.ts'
import { errorOf, ReconnectRequired } from './errors.ts'
import { type TokenReply, type Tokens, tokensOf } from './tokens.ts'

export interface Page<Item> {
  items: Item[]
  next: string | null
}

type Query = Record<string, string | number | boolean | undefined>

/** A connected organization: its API with the application's token, refreshed when it has to be. */
export class Organization {
  readonly id: string
  readonly #application: Application
  #refreshing: Promise<Tokens> | null = null

  constructor(application: Application, id: string) {
    this.#application = application
    this.id = id
  }

  async get<Item = unknown>(path: string, query: Query = {}): Promise<Item> {
    return (await this.request('GET', path, { query })) as Item
  }

  async post<Item = unknown>(path: string, body?: object): Promise<Item> {
    // One key for all attempts: if a response is lost, the repeat returns what the first one created.
    const headers = { 'idempotency-key': crypto.randomUUID() }
    return (await this.request('POST', path, { headers, ...(body === undefined ? {} : { body }) })) as Item
  }

  async patch<Item = unknown>(path: string, body: object, ifMatch?: string): Promise<Item> {
    const headers: Record<string, string> = ifMatch === undefined ? {} : { 'if-match': ifMatch }
    return (await this.request('PATCH', path, { body, headers })) as Item
  }

  async delete(path: string): Promise<void> {
    await this.request('DELETE', path)
  }

  /** Every item of a list, page by page. */
  async *list<Item = Record<string, unknown>>(path: string, query: Query = {}): AsyncGenerator<Item> {
    let after: string | undefined
    do {
      const page = await this.get<Page<Item>>(path, { limit: 100, ...query, after })
      yield* page.items
      after = page.next ?? undefined
    } while (after !== undefined)
  }

  /** Who signed in; needs the scope `openid`. */
  async userinfo(): Promise<Record<string, unknown>> {
    const response = await this.#send('/oauth/userinfo', { method: 'GET' })
    if (!response.ok) throw await errorOf(response)
    return (await response.json()) as Record<string, unknown>
  }

  /** Revokes every token of this application for this organization. The approval stays: connecting again needs no administrator. */
  async disconnect(): Promise<void> {
    const { store } = this.#application.options
    const tokens = await store.read(this.id)
    if (!tokens) return
    const response = await this.#application.post('/oauth/revoke', { token: tokens.refresh_token })
    if (!response.ok) throw await errorOf(response)
    await store.remove(this.id)
  }

  async request(
    method: string,
    path: string,
    { query = {}, body, headers = {} }: { query?: Query; body?: object; headers?: Record<string, string> } = {},
  ): Promise<unknown> {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
    const url = `/core/v1/organization/${path.replace(/^\//, '')}${search.size > 0 ? `?${search}` : ''}`
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const init = {
      method,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    const response = await this.#send(url, init)
    if (!response.ok) throw await errorOf(response)
    return response.status === 204 ? undefined : await response.json()
  }

  /** Contract 7.8: on 401 refresh once and retry, then it is for the customer to connect again. */
  async #send(
    path: string,
    init: { method: string; headers?: Record<string, string>; body?: string },
  ): Promise<Response> {
    const { url, backoff, fetch } = this.#application.options
    const safe = init.method === 'GET' || init.method === 'DELETE' || init.headers?.['idempotency-key'] !== undefined
    const attempt = (token: string) => {
      const headers = { ...init.headers, authorization: `Bearer ${token}` }
      return sendWithRetries(() => fetch(url + path, { ...init, headers }), backoff, { safe })
    }
    const used = await this.#tokens()
    const first = await attempt(used.access_token)
    if (first.status !== 401) return first
    await first.body?.cancel()
    const fresh = await this.#refresh(used)
    const second = await attempt(fresh.access_token)
    if (second.status !== 401) return second
    return await this.#giveUp('not_authorized', 'A fresh access token was refused.')
  }

  /** Not ahead of need: a token is refreshed when its time is up, not before (contract 7.8). */
  async #tokens(): Promise<Tokens> {
    const tokens = await this.#application.options.store.read(this.id)
    if (!tokens) throw new ReconnectRequired('not_connected', 'This organization is not connected.')
    return Date.now() < tokens.expires_at ? tokens : await this.#refresh(tokens)
  }

  /** One refresh in flight, however many requests wait for it. */
  #refresh(used: Tokens): Promise<Tokens> {
    this.#refreshing ??= this.#refreshExclusively(used).finally(() => {
      this.#refreshing = null
    })
    return this.#refreshing
  }

  async #refreshExclusively(used: Tokens): Promise<Tokens> {
    const { store } = this.#application.options
    return await store.exclusively(this.id, async () => {
      const kept = await store.read(this.id)
      if (!kept) throw new ReconnectRequired('not_connected', 'This organization is not connected.')
      // Another worker was faster: its tokens will do.
      if (kept.access_token !== used.access_token) return kept
      const form = { grant_type: 'refresh_token', refresh_token: kept.refresh_token }
      const response = await this.#application.post('/oauth/token', form)
      if (response.ok) {
        const fresh = tokensOf(this.id, (await response.json()) as TokenReply)
        await store.write(fresh)
        return fresh
      }
      const error = await errorOf(response)
      if (error.code === 'invalid_grant') return await this.#giveUp(error.code, error.message)
      throw error
    })
  }

  async #giveUp(code: string, message: string): Promise<never> {
    await this.#application.options.store.remove(this.id)
    throw new ReconnectRequired(code, message)
  }
}
