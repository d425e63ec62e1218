import { type Backoff, sendWithRetries, usualBackoff } from './backoff.ts'
import { AccessDenied, CallbackDiscarded, errorOf, LandbridgeError } from './errors.ts'
import { Organization } from './organization.ts'
import { type TokenReply, type TokenStore, tokensOf } from './tokens.ts'

export interface ApplicationOptions {
  /** The service's address: `{auth_url}` and `{base_url}`. */
  url: string
  clientId: string
  clientSecret: string
  /** One of the registered ones, byte for byte. */
  redirectUri: string
  store: TokenStore
  scope?: string
  backoff?: Backoff
  fetch?: typeof fetch
}

/** What to keep in the person's session between sending them away and their return. */
export interface Pending {
  state: string
  nonce: string
  codeVerifier: string
}

export interface Connected {
  organization: Organization
  org_id: string
  /** Claims of the id_token; empty without the scope `openid`. */
  claims: Record<string, unknown>
}

/** A registered application: sends people to the consent screen, and turns their return into a connected organization. */
export class Application {
  readonly options: Required<ApplicationOptions>

  constructor(options: ApplicationOptions) {
    const defaults = { scope: 'openid profile email', backoff: usualBackoff, fetch: globalThis.fetch }
    this.options = { ...defaults, ...options, url: options.url.replace(/\/+$/, '') }
  }

  /** Where to send the person, and what to remember until they come back. */
  async begin({
    prompt,
    loginHint,
  }: {
    prompt?: string
    loginHint?: string
  } = {}): Promise<{ url: string; pending: Pending }> {
    const pending = { state: random(), nonce: random(), codeVerifier: random() }
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: this.options.clientId,
      redirect_uri: this.options.redirectUri,
      scope: this.options.scope,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await challengeOf(pending.codeVerifier),
      code_challenge_method: 'S256',
      ...(prompt === undefined ? {} : { prompt }),
      ...(loginHint === undefined ? {} : { login_hint: loginHint }),
    })
    return { url: `${this.options.url}/oauth/authorize?${parameters}`, pending }
  }

  /** Call it with the whole address the person came back to. `pending` undefined means: not a request of this session. */
  async finish(callback: string | URL, pending: Pending | undefined): Promise<Connected> {
    const { searchParams } = new URL(callback)
    // State before anything else, and the issuer (RFC 9207): nothing in a callback that is not ours can be trusted.
    if (!pending || searchParams.get('state') !== pending.state) {
      throw new CallbackDiscarded('state_mismatch', 'The callback does not belong to a request of this session.')
    }
    if (searchParams.get('iss') !== this.options.url) {
      throw new CallbackDiscarded('issuer_mismatch', 'The callback comes from another service.')
    }
    const error = searchParams.get('error')
    if (error === 'access_denied') throw new AccessDenied()
    if (error) throw new LandbridgeError(error, searchParams.get('error_description') ?? error)
    const response = await this.post('/oauth/token', {
      grant_type: 'authorization_code',
      code: searchParams.get('code') ?? '',
      code_verifier: pending.codeVerifier,
      redirect_uri: this.options.redirectUri,
    })
    if (!response.ok) throw await errorOf(response)
    return await this.#keep((await response.json()) as TokenReply, pending)
  }

  /** An organization that was connected before. */
  organization(orgId: string): Organization {
    return new Organization(this, orgId)
  }

  /** A form POST with this application's credentials. A lost token response is not requested again: the code or token is spent. */
  async post(path: string, form: Record<string, string>): Promise<Response> {
    const { url, clientId, clientSecret, backoff, fetch } = this.options
    const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`
    const send = () =>
      fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(credentials)}` },
        body: new URLSearchParams(form),
      })
    return await sendWithRetries(send, backoff, { safe: false })
  }

  async #keep(body: TokenReply, pending: Pending): Promise<Connected> {
    const claims = body.id_token ? readClaims(body.id_token) : {}
    if (body.id_token) this.#check(claims, pending)
    const orgId = typeof claims.org_id === 'string' ? claims.org_id : await this.#askWho(body.access_token)
    await this.options.store.write(tokensOf(orgId, body))
    return { organization: this.organization(orgId), org_id: orgId, claims }
  }

  /** Straight from the token endpoint over TLS, so the signature adds nothing (OpenID Connect Core 3.1.3.7). */
  #check(claims: Record<string, unknown>, pending: Pending): void {
    const { url, clientId } = this.options
    const right =
      claims.iss === url &&
      claims.aud === clientId &&
      claims.nonce === pending.nonce &&
      Number(claims.exp) * 1000 > Date.now()
    if (!right)
      throw new CallbackDiscarded(
        'id_token_mismatch',
        'The id_token was issued for another request or another application.',
      )
  }

  /** Without `openid` there is no id_token: the organization API says which organization it is. */
  async #askWho(accessToken: string): Promise<string> {
    const headers = { authorization: `Bearer ${accessToken}` }
    const response = await this.options.fetch(`${this.options.url}/core/v1/organization/info`, { headers })
    if (!response.ok) throw await errorOf(response)
    return ((await response.json()) as { id: string }).id
  }
}

function random(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

async function challengeOf(verifier: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

function readClaims(idToken: string): Record<string, unknown> {
  const payload = idToken.split('.')[1] ?? ''
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes))
}
