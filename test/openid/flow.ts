// What OpenID's suite does in every module of its basic plan, with PKCE: the way of a person, and the checks of each response.
import assert from 'node:assert/strict'
import { createHash, hash, randomBytes } from 'node:crypto'
import { createLocalJWKSet, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'
import { nextAddress, postForm, type TestApplication, userinfo } from '../support/applications.ts'
import { authorizePath, type Walk, type WalkedCode, walkToCode } from '../support/consent.ts'
import { Browser, type Visit } from '../support/form-browser.ts'
import type { Harness, TestResponse } from '../support/harness.ts'

export const issuer = 'http://landbridge.test'
export const state = 'state of the client'

export interface Tokens {
  code: WalkedCode
  claims: JWTPayload
  access_token: string
  refresh_token: string
  id_token: string
}

type Code = Pick<WalkedCode, 'code' | 'code_verifier' | 'redirect_uri'>

export class Flow {
  readonly service: Harness
  readonly application: TestApplication

  constructor(service: Harness, application: TestApplication) {
    this.service = service
    this.application = application
  }

  get basic(): Record<string, string> {
    const { client_id, client_secret } = this.application
    return { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` }
  }

  newBrowser(): Browser {
    return new Browser(this.service, { address: nextAddress() })
  }

  async metadata() {
    return (await this.service.app.inject('/.well-known/openid-configuration')).json()
  }

  /** The whole flow with scope `openid` and a nonce, and every check that the suite makes of each. */
  async signIn({ parameters = {}, ...walk }: Walk = {}, headers = this.basic): Promise<Tokens> {
    const sent: Record<string, string | undefined> = { scope: 'openid', nonce: randomNonce(), ...parameters }
    const code = await walkToCode(this.service, this.application, { ...walk, parameters: sent })
    assert.deepEqual([code.state, code.iss], [state, issuer])
    return { code, ...(await this.redeem(code, sent.nonce, headers)) }
  }

  /** A second authorization that asks nothing of the person. */
  async signInSilently(
    browser: Browser,
    parameters: Record<string, string>,
    order: 'usual' | 'reversed' = 'usual',
  ): Promise<Omit<Tokens, 'code'>> {
    const code_verifier = randomBytes(32).toString('base64url')
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
    const sent = { scope: 'openid', nonce: randomNonce(), code_challenge, prompt: 'none', ...parameters }
    const url = new URL(authorizePath(this.application, sent), issuer)
    if (order === 'reversed') url.search = new URLSearchParams([...url.searchParams].reverse()).toString()
    const callback = this.#callbackOf(await browser.follow(url.href))
    assert.deepEqual([callback.get('error'), callback.get('state'), callback.get('iss')], [null, state, issuer])
    const { redirect_uri } = this.application
    return await this.redeem({ code: callback.get('code')!, code_verifier, redirect_uri }, sent.nonce)
  }

  async redeem(code: Code, nonce: string | undefined, headers = this.basic): Promise<Omit<Tokens, 'code'>> {
    const reply = await this.exchange(code, headers)
    assertTokens(reply)
    const claims = await this.idTokenOf(reply, nonce)
    const { access_token, refresh_token, id_token } = reply.body
    assert.equal((await userinfo(this.service, access_token)).status, 200)
    return { claims, access_token, refresh_token, id_token }
  }

  async exchange({ code, code_verifier, redirect_uri }: Code, headers = this.basic) {
    const { client_id, client_secret } = this.application
    const form = { grant_type: 'authorization_code', code, code_verifier, redirect_uri }
    const credentials = headers.authorization ? {} : { client_id, client_secret }
    return await postForm(this.service, '/oauth/token', { ...form, ...credentials }, headers)
  }

  /** The claims of an id_token that passes every check of the suite. */
  async idTokenOf({ body }: TestResponse, nonce: string | undefined): Promise<JWTPayload> {
    const keys = (await this.service.app.inject('/oauth/.well-known/jwks.json')).json()
    const now = this.service.clock.now()
    const { payload } = await jwtVerify(body.id_token, createLocalJWKSet(keys), {
      ...{ issuer, audience: this.application.client_id, currentDate: now, clockTolerance: 300 },
      requiredClaims: ['sub', 'iat', 'exp', 'auth_time'],
    })
    assert.match(String(payload.sub), /^[\x20-\x7e]{1,255}$/)
    assert.ok(Math.abs(now.getTime() / 1000 - payload.iat!) <= 300)
    assert.ok(payload.exp! - payload.iat! < 50 * 365 * 86_400)
    assert.ok(Number(payload.auth_time) <= payload.iat!)
    assert.equal(payload.nonce, nonce)
    assert.equal('acr' in payload, false)
    assert.equal(payload.at_hash, hash('sha256', body.access_token, 'buffer').subarray(0, 16).toString('base64url'))
    const published = keys.keys.map(({ kid }: { kid: string }) => kid)
    assert.ok(published.includes(decodeProtectedHeader(body.id_token).kid))
    return payload
  }

  async authorize(parameters: Record<string, string | undefined>, browser = this.newBrowser()): Promise<Visit> {
    return await browser.follow(new URL(authorizePath(this.application, parameters), issuer).href)
  }

  /** What the authorization endpoint sends to the application without a person. */
  async callback(parameters: Record<string, string | undefined>, browser?: Browser): Promise<URLSearchParams> {
    return this.#callbackOf(await this.authorize(parameters, browser))
  }

  #callbackOf({ location, status, body }: Visit): URLSearchParams {
    const callback = `${this.application.redirect_uri}?`
    assert.ok(location?.startsWith(callback), `no callback: ${status} ${location ?? body}`)
    return new URL(location!).searchParams
  }

  async userinfoOf({ access_token, claims }: Pick<Tokens, 'access_token' | 'claims'>) {
    const reply = await userinfo(this.service, access_token)
    assertUserinfo(reply, claims)
    return reply.body
  }
}

function randomNonce(): string {
  return randomBytes(32).toString('base64url')
}

/** RFC 6749 section 5.1. */
export function assertTokens({ status, headers, body }: TestResponse): void {
  assert.equal(status, 200, JSON.stringify(body))
  assert.match(String(headers['content-type']), /^application\/json/)
  assert.match(String(headers['cache-control']), /no-store/)
  assert.equal(headers.pragma, 'no-cache')
  assert.equal(body.token_type, 'Bearer')
  assert.ok(Number.isInteger(body.expires_in) && body.expires_in > 0 && body.expires_in <= 31_536_000)
  for (const token of [body.access_token, body.refresh_token]) {
    assert.match(token, /^[\x20-\x7e]{16,}$/)
    assert.ok(entropyOf(token) >= 96)
  }
}

/** OpenID Connect Core 5.3.2. */
export function assertUserinfo({ status, headers, body }: TestResponse, claims: JWTPayload): void {
  assert.equal(status, 200)
  assert.match(String(headers['content-type']), /^application\/json/)
  assert.equal(body.sub, claims.sub)
  for (const name of ['name', 'email']) assert.ok(['string', 'undefined'].includes(typeof body[name]), name)
  assert.ok(['boolean', 'undefined'].includes(typeof body.email_verified))
}

/** OpenID Connect Core 3.1.2.6, RFC 6749 section 4.1.2.1. */
export function assertErrorCallback(callback: URLSearchParams, errors: string[]): void {
  assert.ok(errors.includes(callback.get('error')!), callback.toString())
  const expected = ['error', 'error_description', 'error_uri', 'state', 'iss']
  assert.deepEqual(
    [...callback.keys()].filter((name) => !expected.includes(name)),
    [],
  )
  assert.deepEqual([callback.get('state'), callback.get('iss')], [state, issuer])
  assert.match(callback.get('error_description') ?? '', /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/)
}

/** RFC 6749 section 5.2. */
export function assertInvalidGrant({ status, headers, body }: TestResponse): void {
  assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  assert.match(String(headers['content-type']), /^application\/json/)
  assert.match(body.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/)
}

/** As the suite estimates it: Shannon's, in bits. */
export function entropyOf(text: string): number {
  const counts = Map.groupBy(text, (character) => character)
  const shares = [...counts.values()].map(({ length }) => length / text.length)
  return -text.length * shares.reduce((sum, share) => sum + share * Math.log2(share), 0)
}
