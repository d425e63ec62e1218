import type { CallOptions } from './api-client.ts'
import { LandbridgeError, ReconnectRequired } from './errors.ts'
import { OrganizationResources } from './generated-resources.ts'
import type { UserInfo } from './generated-types.ts'
import { type HeldTokens, type TokenResponse, type TokenStore, type Tokens, tokensOf } from './tokens.ts'
import {
  errorOf,
  isRepeatable,
  jsonOf,
  objectIn,
  type Reply,
  type Transport,
  unexpected,
  type WireRequest,
} from './transport.ts'

/** What an organization needs of the application that it is connected with. */
interface TokenSource {
  readonly url: string
  readonly transport: Transport
  readonly options: { store: TokenStore }
  /** A form POST with the application's credentials. */
  post(
    path: '/oauth/token' | '/oauth/revoke',
    form: Record<string, string>,
    options?: CallOptions,
  ): Promise<{ reply: Reply; url: string }>
}

/** A connected organization: its API with the application's token, refreshed when it has to be. */
export class Organization extends OrganizationResources {
  readonly id: string
  protected readonly base: string
  protected readonly transport: Transport
  readonly #application: TokenSource
  #refreshing: Promise<Tokens> | null = null

  constructor(application: TokenSource, id: string) {
    super()
    this.#application = application
    this.transport = application.transport
    this.base = `${application.url}/core/v1/organization/`
    this.id = id
  }

  /** Who signed in; needs the scope `openid`. */
  async userinfo(options: CallOptions = {}): Promise<UserInfo> {
    const url = `${this.#application.url}/oauth/userinfo`
    return jsonOf(await this.send(url, { method: 'GET' }, options), url)
  }

  /** Revokes every token of this application for this organization. The approval stays: connecting again needs no administrator. */
  async disconnect(options: CallOptions = {}): Promise<void> {
    await this.#application.options.store.exclusively(this.id, async (held) => {
      const tokens = await held.read()
      if (!tokens) return
      const { reply, url } = await this.#application.post('/oauth/revoke', { token: tokens.refresh_token }, options)
      if (!reply.ok) throw errorOf(reply, url)
      // A page of a proxy revoked nothing.
      if (reply.text !== '') throw unexpected(reply, url)
      await held.remove(tokens)
    })
  }

  /** Contract 7.8: on 401 refresh once and retry, then it is for the customer to connect again. */
  protected async send(
    url: string,
    request: WireRequest,
    { signal, stream }: CallOptions & { stream?: boolean },
  ): Promise<Reply> {
    const attempt = ({ access_token }: Tokens) => {
      const authorized = { ...request, headers: { ...request.headers, authorization: `Bearer ${access_token}` } }
      return this.transport.send(url, authorized, { safe: isRepeatable(request), signal, stream })
    }
    const used = await this.#tokens()
    const first = await attempt(used)
    if (!isTokenRefused(first)) return first
    const fresh = await this.#refresh(used)
    const second = await attempt(fresh)
    if (!isTokenRefused(second)) return second
    const refused = errorOf(second, url)
    return await this.#application.options.store.exclusively(this.id, (held) =>
      giveUp(held, fresh, new LandbridgeError('not_authorized', 'A fresh access token was refused.', refused)),
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
      const { reply, url } = await this.#application.post('/oauth/token', form)
      if (reply.ok) {
        const fresh = tokensOf(this.id, jsonOf<TokenResponse>(reply, url))
        await held.write(fresh)
        return fresh
      }
      const error = errorOf(reply, url)
      if (error.code === 'invalid_grant' && reply.status === 400) return await giveUp(held, kept, error)
      throw error
    })
  }
}

/** Contract 7.5 and 7.7. The 401 of a proxy says nothing of our tokens. */
function isTokenRefused({ status, headers, text }: Reply): boolean {
  if (status !== 401 || typeof objectIn(text)?.error !== 'string') return false
  return /\bBearer error="invalid_token"/i.test(headers.get('www-authenticate') ?? '')
}

async function giveUp(held: HeldTokens, tokens: Tokens, cause: LandbridgeError): Promise<never> {
  await held.remove(tokens)
  const { code, message, status, requestId } = cause
  throw new ReconnectRequired(code, message, { status, requestId, cause })
}
