import type { CallOptions } from './api-client.ts'
import { base64url, fromBase64url } from './base64url.ts'
import { AccessDenied, CallbackDiscarded, type ErrorCode, LandbridgeError } from './errors.ts'
import type { Claims } from './generated-types.ts'
import { Organization } from './organization.ts'
import { type TokenResponse, type TokenStore, tokensOf } from './tokens.ts'
import { jsonOf, type Reply, Transport, type TransportOptions, withoutSlash } from './transport.ts'

export interface ApplicationOptions extends TransportOptions {
  /** The service's address: `{auth_url}` and `{base_url}`. */
  url: string
  clientId: string
  clientSecret: string
  /** One of the registered ones, byte for byte. */
  redirectUri: string
  store: TokenStore
  /** `openid profile email` if left out. */
  scope?: string
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
  /** Null without the scope `openid`. */
  claims: Claims | null
  /** The token that the claims are of: the `idTokenHint` of a later `begin`. */
  id_token: string | null
}

export interface BeginOptions {
  /** `none`: without a page, for somebody who is signed in and has connected before, or the callback has an error. */
  prompt?: 'none' | 'login' | 'consent'
  loginHint?: string
  /** The person is asked for such a factor if they have one; `acr` of the id_token says what they presented. */
  acrValues?: ('phr' | 'http://schemas.openid.net/pape/policies/2007/06/multi-factor')[]
  /** How many seconds ago the person may have signed in at most. */
  maxAge?: number
  /** The `id_token` of an earlier connection: a code comes for this person only, or none. */
  idTokenHint?: string
}

/** A registered application: sends people to the consent screen, and turns their return into a connected organization. */
export class Application {
  readonly url: string
  readonly options: ApplicationOptions
  readonly transport: Transport

  constructor(options: ApplicationOptions) {
    this.options = options
    this.url = withoutSlash(options.url)
    this.transport = new Transport(options)
  }

  /** Where to send the person, and what to remember until they come back. */
  async begin({
    prompt,
    loginHint,
    acrValues,
    maxAge,
    idTokenHint,
  }: BeginOptions = {}): Promise<{ url: string; pending: Pending }> {
    const pending = { state: random(), nonce: random(), codeVerifier: random() }
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: this.options.clientId,
      redirect_uri: this.options.redirectUri,
      scope: this.options.scope ?? 'openid profile email',
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await challengeOf(pending.codeVerifier),
      code_challenge_method: 'S256',
      ...(prompt === undefined ? {} : { prompt }),
      ...(acrValues === undefined ? {} : { acr_values: acrValues.join(' ') }),
      ...(maxAge === undefined ? {} : { max_age: String(maxAge) }),
      ...(loginHint === undefined ? {} : { login_hint: loginHint }),
      ...(idTokenHint === undefined ? {} : { id_token_hint: idTokenHint }),
    })
    return { url: `${this.url}/oauth/authorize?${parameters}`, pending }
  }

  /**
   * Call it with the address the person came back to, whole or from the path on. `pending` undefined means: not a request
   * of this session.
   */
  async finish(callback: string | URL, pending: Pending | undefined, options: CallOptions = {}): Promise<Connected> {
    const { searchParams } = new URL(callback, this.options.redirectUri)
    // State before anything else, and the issuer (RFC 9207): nothing in a callback that is not ours can be trusted.
    if (!pending) throw discarded('state_mismatch', 'no request of this session was pending')
    const state = searchParams.get('state')
    if (state !== pending.state) {
      const values = `its state is ${start(state)}, and this session sent ${start(pending.state)}`
      throw discarded('state_mismatch', values)
    }
    const issuer = searchParams.get('iss')
    if (issuer !== this.url) {
      throw discarded(
        'issuer_mismatch',
        `its issuer is ${issuer && JSON.stringify(issuer.slice(0, 200))}, and the application's url is ${this.url}`,
      )
    }
    const error = searchParams.get('error')
    if (error === 'access_denied') throw new AccessDenied()
    if (error) throw new LandbridgeError(error as ErrorCode, searchParams.get('error_description') ?? error)
    const form = {
      grant_type: 'authorization_code',
      code: searchParams.get('code') ?? '',
      code_verifier: pending.codeVerifier,
      redirect_uri: this.options.redirectUri,
    }
    const { reply, url } = await this.post('/oauth/token', form, options)
    return await this.#keep(jsonOf<TokenResponse>(reply, url), pending, options)
  }

  /** An organization that was connected before. */
  organization(orgId: string): Organization {
    return new Organization(this, orgId)
  }

  /** A form POST with this application's credentials. A lost token response is not requested again: the code or token is spent. */
  async post(
    path: '/oauth/token' | '/oauth/revoke',
    form: Record<string, string>,
    { signal }: CallOptions = {},
  ): Promise<{ reply: Reply; url: string }> {
    const { clientId, clientSecret } = this.options
    const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`
    const request = {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(credentials)}`,
        'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
      },
      body: new URLSearchParams(form).toString(),
    }
    const url = this.url + path
    const safe = path === '/oauth/revoke'
    return { reply: await this.transport.send(url, request, { safe, signal }), url }
  }

  async #keep(body: TokenResponse, pending: Pending, options: CallOptions): Promise<Connected> {
    const claims = body.id_token ? readClaims(body.id_token) : null
    if (claims) this.#check(claims, pending)
    const orgId = claims?.org_id ?? (await this.#askWho(body.access_token, options))
    await this.options.store.exclusively(orgId, (held) => held.write(tokensOf(orgId, body)))
    return { organization: this.organization(orgId), org_id: orgId, claims, id_token: body.id_token ?? null }
  }

  /** Straight from the token endpoint over TLS, so the signature adds nothing (OpenID Connect Core 3.1.3.7). */
  #check({ iss, aud, nonce, exp }: Claims, pending: Pending): void {
    const expected: [name: string, value: unknown, right: unknown][] = [
      ['iss', iss, this.url],
      ['aud', aud, this.options.clientId],
      ['nonce', nonce, pending.nonce],
    ]
    for (const [name, value, right] of expected) {
      if (value !== right) throw discarded('id_token_mismatch', `its ${name} is ${value} instead of ${right}`)
    }
    if (Number(exp) * 1000 <= Date.now()) {
      const now = Math.floor(Date.now() / 1000)
      throw discarded('id_token_mismatch', `its id_token expired at ${exp}, and this machine's clock says ${now}`)
    }
  }

  /** Without `openid` there is no id_token, and a person who just left has no `org_id`: the organization API says it. */
  async #askWho(accessToken: string, { signal }: CallOptions): Promise<string> {
    const url = `${this.url}/core/v1/organization/info`
    const request = { method: 'GET', headers: { authorization: `Bearer ${accessToken}` } }
    return jsonOf<{ id: string }>(await this.transport.send(url, request, { safe: true, signal }), url).id
  }
}

function discarded(code: ErrorCode, why: string): CallbackDiscarded {
  return new CallbackDiscarded(code, `The callback does not belong to a request of this session: ${why}.`)
}

/** For a log: anyone can send a callback with any text, and the session's own state may still be waited for. */
function start(state: string | null): string {
  return state === null ? 'missing' : `${JSON.stringify(state.slice(0, 8)).slice(0, -1)}…"`
}

function random(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

async function challengeOf(verifier: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}

function readClaims(idToken: string): Claims {
  const payload = idToken.split('.')[1] ?? ''
  return JSON.parse(new TextDecoder().decode(fromBase64url(payload)))
}
