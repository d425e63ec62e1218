import type { Application, Cancellable } from './connect.ts'
import { ReconnectRequired } from './errors.ts'
import { type HeldTokens, type TokenReply, type Tokens, tokensOf } from './tokens.ts'
import { errorOf, jsonOf, type Reply, type WireRequest } from './transport.ts'

export interface Page<Item> {
  items: Item[]
  next: string | null
}

export type Query = Record<string, string | number | boolean | undefined>

/** A connected organization: its API with the application's token, refreshed when it has to be. */
export class Organization {
  readonly id: string
  readonly #application: Application
  #refreshing: Promise<Tokens> | null = null

  constructor(application: Application, id: string) {
    this.#application = application
    this.id = id
  }

  async get<Item = unknown>(path: string, query: Query = {}, options: Cancellable = {}): Promise<Item> {
    return (await this.request('GET', path, { query, ...options })) as Item
  }

  async post<Item = unknown>(path: string, body?: object, options: Cancellable = {}): Promise<Item> {
    // One key for all attempts: if a response is lost, the repeat returns what the first one created.
    const headers = { 'idempotency-key': crypto.randomUUID() }
    return (await this.request('POST', path, { headers, ...(body === undefined ? {} : { body }), ...options })) as Item
  }

  async patch<Item = unknown>(path: string, body: object, ifMatch?: string, options: Cancellable = {}): Promise<Item> {
    const headers: Record<string, string> = ifMatch === undefined ? {} : { 'if-match': ifMatch }
    return (await this.request('PATCH', path, { body, headers, ...options })) as Item
  }

  async delete(path: string, options: Cancellable = {}): Promise<void> {
    await this.request('DELETE', path, options)
  }

  /** Every item of a list, page by page. */
  async *list<Item = Record<string, unknown>>(
    path: string,
    query: Query = {},
    options: Cancellable = {},
  ): AsyncGenerator<Item> {
    let after: string | undefined
    do {
      const page = await this.get<Page<Item>>(path, { limit: 100, ...query, after }, options)
      yield* page.items
      after = page.next ?? undefined
    } while (after !== undefined)
  }

  /** Who signed in; needs the scope `openid`. */
  async userinfo(options: Cancellable = {}): Promise<{ sub: string; org_id: string } & Record<string, unknown>> {
    return jsonOf(await this.#send('/oauth/userinfo', { method: 'GET' }, options), '/oauth/userinfo')
  }

  /** Revokes every token of this application for this organization. The approval stays: connecting again needs no administrator. */
  async disconnect(options: Cancellable = {}): Promise<void> {
    await this.#application.options.store.exclusively(this.id, async (held) => {
      const tokens = await held.read()
      if (!tokens) return
      const reply = await this.#application.post('/oauth/revoke', { token: tokens.refresh_token }, options)
      if (!reply.ok) throw errorOf(reply, '/oauth/revoke')
      await held.remove(tokens)
    })
  }

  async request(
    method: string,
    path: string,
    {
      query = {},
      body,
      headers = {},
      signal,
    }: { query?: Query; body?: object; headers?: Record<string, string> } & Cancellable = {},
  ): Promise<unknown> {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
    const url = `/core/v1/organization/${path.replace(/^\//, '')}${search.size > 0 ? `?${search}` : ''}`
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const request = {
      method,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    const reply = await this.#send(url, request, signal ? { signal } : {})
    return reply.status === 204 ? undefined : jsonOf(reply, this.#application.url + url)
  }

  /** Contract 7.8: on 401 refresh once and retry, then it is for the customer to connect again. */
  async #send(path: string, request: WireRequest, { signal }: Cancellable): Promise<Reply> {
    const { url, transport } = this.#application
    const { method, headers } = request
    const safe = method === 'GET' || method === 'DELETE' || headers?.['idempotency-key'] !== undefined
    const attempt = ({ access_token }: Tokens) => {
      const authorized = { ...request, headers: { ...headers, authorization: `Bearer ${access_token}` } }
      return transport.send(url + path, authorized, { safe, signal })
    }
    const used = await this.#tokens()
    const first = await attempt(used)
    if (first.status !== 401) return first
    const fresh = await this.#refresh(used)
    const second = await attempt(fresh)
    if (second.status !== 401) return second
    return await this.#application.options.store.exclusively(this.id, (held) =>
      giveUp(held, fresh, 'not_authorized', 'A fresh access token was refused.'),
    )
  }

  /** Not ahead of need: a token is refreshed when its time is up, not before (contract 7.8). */
  async #tokens(): Promise<Tokens> {
    const tokens = await this.#application.options.store.read(this.id)
    if (!tokens) throw new ReconnectRequired('not_connected', 'This organization is not connected.')
    return Date.now() < tokens.expires_at ? tokens : await this.#refresh(tokens)
  }

  /** One refresh in flight, however many requests wait for it. A caller that gives up does not end it for the others. */
  #refresh(used: Tokens): Promise<Tokens> {
    this.#refreshing ??= this.#refreshExclusively(used).finally(() => {
      this.#refreshing = null
    })
    return this.#refreshing
  }

  async #refreshExclusively(used: Tokens): Promise<Tokens> {
    return await this.#application.options.store.exclusively(this.id, async (held) => {
      const kept = await held.read()
      if (!kept) throw new ReconnectRequired('not_connected', 'This organization is not connected.')
      // Another worker was faster: its tokens will do.
      if (kept.access_token !== used.access_token) return kept
      const form = { grant_type: 'refresh_token', refresh_token: kept.refresh_token }
      const reply = await this.#application.post('/oauth/token', form)
      if (reply.ok) {
        const fresh = tokensOf(this.id, jsonOf<TokenReply>(reply, '/oauth/token'))
        await held.write(fresh)
        return fresh
      }
      const error = errorOf(reply, '/oauth/token')
      if (error.code === 'invalid_grant') return await giveUp(held, kept, error.code, error.message)
      throw error
    })
  }
}

async function giveUp(held: HeldTokens, tokens: Tokens, code: string, message: string): Promise<never> {
  await held.remove(tokens)
  throw new ReconnectRequired(code, message)
}
