// The 38 modules of the OpenID Foundation's basic certification plan, in its order, with its conditions restated: the suite
// itself sends PKCE in the last one only, so that it cannot get past contract 2.2. docs/clients.md has the outcome of each.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { decodeProtectedHeader } from 'jose'
import { postForm, refresh, registerApplication, userinfo } from '../support/applications.ts'
import { authorizePath, readConsent, walkToConsent } from '../support/consent.ts'
import { startHarness } from '../support/harness.ts'
import {
  assertErrorCallback,
  assertInvalidGrant,
  assertTokens,
  assertUserinfo,
  entropyOf,
  Flow,
  issuer,
  state,
  type Tokens,
} from './flow.ts'

const service = await startHarness()
const flow = new Flow(service, await registerApplication(service))
const { application } = flow

/** Outcomes in the suite's words. */
type Outcome = 'passed' | 'warning' | 'skipped'

interface Module {
  name: string
  /** What the module asserts, beyond the flow that all have in common. */
  asserts: string
  /** `passed` unless it differs on purpose: then `run` shows the difference. */
  outcome?: Outcome
  why?: string
  run(): Promise<unknown>
}

const accepted = (name: string, asserts: string, parameters: Record<string, string>): Module => ({
  name,
  asserts,
  run: () => flow.signIn({ parameters }),
})

const unsupportedScope = (name: string, scope: string): Module => ({
  name,
  asserts: `scope \`${scope}\` brings its claims`,
  outcome: 'skipped',
  why: 'Contract 2.2 has `openid`, `profile` and `email`; discovery says so, and the suite skips the module.',
  async run() {
    const { scopes_supported } = await flow.metadata()
    assert.ok(scope.split(' ').some((each) => !scopes_supported.includes(each)))
    assertErrorCallback(await flow.callback({ scope }), ['invalid_scope'])
  },
})

/** Like the suite: `state` and the challenge are in the request object alone. */
const inRequestObject = { state: undefined, code_challenge: undefined, code_challenge_method: undefined }
const requestObject = () => {
  const parameters = Object.fromEntries(new URL(authorizePath(application), issuer).searchParams)
  return [{ alg: 'none' }, parameters].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
}

const unsupportedObject = (name: string, parameter: 'request' | 'request_uri', value: () => string): Module => ({
  name,
  asserts: `\`${parameter}\` is used, or refused with \`${parameter}_not_supported\``,
  outcome: 'skipped',
  why: 'Not offered: no standard requires it, and discovery says so. The suite skips the module at this error.',
  async run() {
    assert.equal((await flow.metadata())[`${parameter}_parameter_supported`], false)
    const callback = await flow.callback({ ...inRequestObject, scope: 'openid', [parameter]: value() })
    assert.equal(callback.get('error'), `${parameter}_not_supported`)
  },
})

const modules: Module[] = [
  {
    name: 'oidcc-server',
    asserts: 'the whole flow; the code is long and random; the id_token has no claim that was not asked for',
    outcome: 'warning',
    why: 'Decision 6.17: `org_id` and `org_name` are always there, because an application acts for an organization.',
    async run() {
      const { code, claims } = await flow.signIn()
      assert.ok(code.code.length >= 16 && entropyOf(code.code) >= 96)
      assert.equal('name' in claims, false)
      const known = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'amr', 'nonce', 'at_hash']
      assert.deepEqual(
        Object.keys(claims).filter((name) => !known.includes(name)),
        ['org_id', 'org_name'],
      )
    },
  },
  {
    name: 'oidcc-response-type-missing',
    asserts: 'an error page, or `invalid_request` or `unsupported_response_type` at the redirect URI',
    run: async () => assertErrorCallback(await flow.callback({ response_type: undefined }), ['invalid_request']),
  },
  {
    name: 'oidcc-idtoken-signature',
    asserts: 'without a choice the id_token is signed with RS256 and names its key',
    async run() {
      const { alg, kid } = decodeProtectedHeader((await flow.signIn()).id_token)
      assert.equal(alg, 'RS256')
      assert.ok(kid)
    },
  },
  {
    name: 'oidcc-idtoken-unsigned',
    asserts: 'an application may choose `none` as the algorithm',
    outcome: 'skipped',
    why: 'Contract 2.3: an id_token is signed. Discovery has no `none`, and the suite skips the module.',
    async run() {
      assert.deepEqual((await flow.metadata()).id_token_signing_alg_values_supported, ['RS256', 'ES256'])
      const { partner_id } = application
      const unsigned = { name: 'Unsigned', redirect_uris: [application.redirect_uri], id_token_alg: 'none' }
      assert.equal((await service.operator('POST', `/partners/${partner_id}/applications`, unsigned)).status, 422)
    },
  },
  {
    name: 'oidcc-userinfo-get',
    asserts: 'userinfo by GET: JSON, the `sub` of the id_token, claims of the right types',
    run: async () => flow.userinfoOf(await flow.signIn()),
  },
  {
    name: 'oidcc-userinfo-post-header',
    asserts: 'the same by POST with the token in the header',
    async run() {
      const { access_token, claims } = await flow.signIn()
      const authorization = `Bearer ${access_token}`
      assertUserinfo(await postForm(service, '/oauth/userinfo', {}, { authorization }), claims)
    },
  },
  {
    name: 'oidcc-userinfo-post-body',
    asserts: 'the same by POST with the token in the body',
    outcome: 'warning',
    why: 'Contract 4.4: the token is in the header. RFC 6750 section 2.2 advises against the body.',
    async run() {
      const { access_token } = await flow.signIn()
      const { status, headers } = await postForm(service, '/oauth/userinfo', { access_token })
      assert.deepEqual([status, headers['www-authenticate']], [401, 'Bearer error="invalid_token"'])
    },
  },
  {
    name: 'oidcc-ensure-request-without-nonce-succeeds-for-code-flow',
    asserts: 'no nonce is needed, and none is in the id_token',
    run: () => flow.signIn({ parameters: { nonce: undefined } }),
  },
  {
    name: 'oidcc-scope-profile',
    asserts: 'userinfo has all 14 claims of `profile`',
    outcome: 'warning',
    why: 'Decision 6.17: a person has a `name`, and nothing else of the list is known.',
    async run() {
      const info = await flow.userinfoOf(await flow.signIn({ parameters: { scope: 'openid profile' } }))
      assert.deepEqual(Object.keys(info), ['sub', 'name', 'org_id', 'org_name'])
    },
  },
  {
    name: 'oidcc-scope-email',
    asserts: 'userinfo has `email` and `email_verified` and no `name`; the id_token has no `email`',
    outcome: 'warning',
    why: 'Contract 2.3: the id_token carries the same claims as userinfo.',
    run: async () => assertEmailScope(await flow.signIn({ parameters: { scope: 'openid email' } })),
  },
  unsupportedScope('oidcc-scope-address', 'openid address'),
  unsupportedScope('oidcc-scope-phone', 'openid phone'),
  unsupportedScope('oidcc-scope-all', 'openid email phone address profile'),
  {
    name: 'oidcc-alternate-happy-flow',
    asserts: 'as oidcc-scope-email, with scopes and parameters in another order',
    outcome: 'warning',
    why: 'As oidcc-scope-email.',
    async run() {
      const browser = flow.newBrowser()
      await flow.signIn({ browser })
      await assertEmailScope(await flow.signInSilently(browser, { scope: 'email openid' }, 'reversed'))
    },
  },
  accepted('oidcc-display-page', '`display=page` is no error', { display: 'page' }),
  accepted('oidcc-display-popup', '`display=popup` is no error', { display: 'popup' }),
  {
    name: 'oidcc-prompt-login',
    asserts: 'with `prompt=login` the person signs in again, and `auth_time` moves on',
    async run() {
      const browser = flow.newBrowser()
      const first = await flow.signIn({ browser })
      service.clock.forward(1)
      const parameters = { prompt: 'login' }
      const { page } = await walkToConsent(
        service,
        { ...application, email: 'nobody@example.com' },
        { browser, parameters },
      )
      assert.equal(readConsent(page).request, '', 'no consent without signing in')
      const second = await flow.signIn({ browser, parameters })
      assert.ok(Number(second.claims.auth_time) > Number(first.claims.auth_time))
    },
  },
  {
    name: 'oidcc-prompt-none-not-logged-in',
    asserts: 'with `prompt=none` and nobody signed in: an error that says so, and a state of 128 characters comes back',
    async run() {
      const long = 's'.repeat(128)
      const callback = await flow.callback({ prompt: 'none', state: long })
      assert.equal(callback.get('state'), long)
      callback.set('state', state)
      assertErrorCallback(callback, ['login_required'])
    },
  },
  {
    name: 'oidcc-prompt-none-logged-in',
    asserts: 'with `prompt=none` a person who is signed in comes back at once: same `sub`, same `auth_time`',
    run: () => assertSameSignIn(() => ({})),
  },
  {
    name: 'oidcc-max-age-1',
    asserts: 'with `max_age=1` the person signs in again, and `auth_time` is recent',
    async run() {
      const browser = flow.newBrowser()
      const first = await flow.signIn({ browser })
      service.clock.forward(2)
      const { claims } = await flow.signIn({ browser, parameters: { max_age: '1' } })
      assert.ok(Number(claims.auth_time) > Number(first.claims.auth_time))
      assert.ok(claims.iat! - Number(claims.auth_time) <= 1)
    },
  },
  {
    name: 'oidcc-max-age-10000',
    asserts: 'with `max_age=10000` a recent sign-in is enough, and `auth_time` is in the id_token',
    async run() {
      const browser = flow.newBrowser()
      const first = await flow.signIn({ browser, parameters: { max_age: '15000' } })
      service.clock.forward(5)
      const second = await flow.signIn({ browser, parameters: { max_age: '10000' } })
      assert.deepEqual([second.claims.auth_time, second.claims.sub], [first.claims.auth_time, first.claims.sub])
    },
  },
  accepted('oidcc-ensure-request-with-unknown-parameter-succeeds', '`extra=foobar` is ignored', { extra: 'foobar' }),
  {
    name: 'oidcc-id-token-hint',
    asserts: 'with `prompt=none` and the first id_token as `id_token_hint`: same `sub`, same `auth_time`',
    run: () => assertSameSignIn((id_token_hint) => ({ id_token_hint })),
  },
  accepted('oidcc-login-hint', '`login_hint` of an unknown person is no error', {
    login_hint: `buffy@${new URL(issuer).host}`,
  }),
  accepted('oidcc-ui-locales', '`ui_locales=se` is no error', { ui_locales: 'se' }),
  accepted('oidcc-claims-locales', '`claims_locales=se` is no error', { claims_locales: 'se' }),
  {
    name: 'oidcc-ensure-request-with-acr-values-succeeds',
    asserts: '`acr_values` is no error, and the id_token has an `acr`',
    outcome: 'warning',
    why: 'Nothing the suite asks for is reached with a password only, and then no `acr` is claimed.',
    async run() {
      assert.ok((await flow.metadata()).acr_values_supported?.includes('phr'))
      assert.equal('acr' in (await flow.signIn({ parameters: { acr_values: '1 2' } })).claims, false)
    },
  },
  {
    name: 'oidcc-codereuse',
    asserts: 'a code used again at once: `invalid_grant`',
    async run() {
      const { code } = await flow.signIn()
      assertInvalidGrant(await flow.exchange(code))
    },
  },
  {
    name: 'oidcc-codereuse-30seconds',
    asserts: 'a code used again after 30 seconds: `invalid_grant`, and its access token is revoked',
    outcome: 'warning',
    why: 'Contract 3: a used code stays used, no more; RFC 6749 section 4.1.2 says SHOULD. An audit event is left (decision 6.20).',
    async run() {
      const { code, access_token } = await flow.signIn()
      service.clock.forward(30)
      assertInvalidGrant(await flow.exchange(code))
      assert.equal((await userinfo(service, access_token)).status, 200)
    },
  },
  {
    name: 'oidcc-ensure-registered-redirect-uri',
    asserts: 'a redirect URI that is not registered gets an error page',
    run: async () => assertErrorPage(await flow.authorize({ redirect_uri: `${application.redirect_uri}/x` })),
  },
  {
    name: 'oidcc-ensure-post-request-succeeds',
    asserts: 'the authorization request by POST leads to the callback',
    async run() {
      const browser = flow.newBrowser()
      const { redirect_uri } = application
      await flow.signIn({ browser })
      const form = Object.fromEntries(new URL(authorizePath(application, { prompt: 'none' }), issuer).searchParams)
      const { location } = await browser.follow((await browser.post('/oauth/authorize', form)).location!)
      assert.ok(location?.startsWith(`${redirect_uri}?code=`), location)
    },
  },
  {
    name: 'oidcc-server-client-secret-post',
    asserts: 'the whole flow with `client_secret_post`',
    async run() {
      assert.ok((await flow.metadata()).token_endpoint_auth_methods_supported.includes('client_secret_post'))
      await flow.signIn({}, {})
    },
  },
  unsupportedObject(
    'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
    'request_uri',
    () => 'https://app.example.com/request.jwt',
  ),
  unsupportedObject(
    'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
    'request',
    requestObject,
  ),
  {
    name: 'oidcc-claims-essential',
    asserts: '`claims` with an essential `name` is no error, and userinfo has the name',
    outcome: 'warning',
    why: 'Not offered: the scope decides (contract 2.2), and discovery has `claims_parameter_supported: false`.',
    async run() {
      assert.equal((await flow.metadata()).claims_parameter_supported, false)
      const claims = JSON.stringify({ userinfo: { name: { essential: true } } })
      const info = await flow.userinfoOf(await flow.signIn({ parameters: { claims } }))
      assert.equal('name' in info, false)
    },
  },
  {
    name: 'oidcc-ensure-request-object-with-redirect-uri',
    asserts: 'a wrong redirect URI beside a request object with the right one: the right one, or an error page',
    async run() {
      const wrong = { redirect_uri: `${application.redirect_uri}_invalid`, request: requestObject() }
      assertErrorPage(await flow.authorize({ ...inRequestObject, ...wrong }))
    },
  },
  {
    name: 'oidcc-refresh-token',
    asserts: 'a refresh keeps `iss`, `sub`, `aud` and `auth_time`, and another application cannot use the token',
    async run() {
      assert.ok((await flow.metadata()).grant_types_supported.includes('refresh_token'))
      const first = await flow.signIn()
      service.clock.forward(1)
      const refreshed = await refresh(service, application, first.refresh_token, 'openid')
      assertTokens(refreshed)
      const claims = await flow.idTokenOf(refreshed, undefined)
      for (const name of ['iss', 'sub', 'aud', 'auth_time', 'azp']) assert.equal(claims[name], first.claims[name], name)
      assert.ok(claims.iat! > first.claims.iat!)
      assert.equal((await userinfo(service, refreshed.body.access_token)).status, 200)
      const other = await registerApplication(service)
      assertInvalidGrant(await refresh(service, other, refreshed.body.refresh_token))
    },
  },
  {
    name: 'oidcc-ensure-request-with-valid-pkce-succeeds',
    asserts: 'the whole flow with PKCE',
    run: () => flow.signIn(),
  },
]

async function assertEmailScope(tokens: Omit<Tokens, 'code'>): Promise<void> {
  const info = await flow.userinfoOf(tokens)
  assert.deepEqual([info.email, typeof info.email_verified, 'name' in info], [application.email, 'boolean', false])
  assert.deepEqual(['name' in tokens.claims, tokens.claims.email], [false, application.email])
}

async function assertSameSignIn(hints: (idToken: string) => Record<string, string>): Promise<void> {
  const browser = flow.newBrowser()
  const first = await flow.signIn({ browser })
  service.clock.forward(5)
  const second = await flow.signInSilently(browser, hints(first.id_token))
  assert.deepEqual([second.claims.auth_time, second.claims.sub], [first.claims.auth_time, first.claims.sub])
}

function assertErrorPage({ status, location, headers }: Awaited<ReturnType<Flow['authorize']>>): void {
  assert.deepEqual([status, location], [400, undefined])
  assert.match(String(headers['content-type']), /^text\/html/)
}

describe('the modules of OpenID’s basic plan, with PKCE', () => {
  for (const { name, outcome, why, run } of modules) {
    it(why ? `${name}: ${outcome}, for a reason` : name, async () => {
      await run()
    })
  }

  it('docs/clients.md has all 38, with the reason of each that differs', async () => {
    assert.equal(new Set(modules.map(({ name }) => name)).size, 38)
    const file = fileURLToPath(new URL('../../docs/clients.md', import.meta.url))
    const page = await readFile(file, 'utf8')
    const start = page.indexOf('| module | asserts |')
    assert.ok(start > 0)
    const written = page.slice(0, start) + table()
    if (process.env.LANDBRIDGE_WRITE_DOCS) await writeFile(file, written)
    assert.equal(await readFile(file, 'utf8'), written, 'run it again with LANDBRIDGE_WRITE_DOCS=true')
  })
})

function table(): string {
  const rows = modules.map(
    ({ name, asserts, outcome = 'passed', why = '' }) => `| ${name} | ${asserts} | ${outcome} | ${why} |`,
  )
  return `| module | asserts | outcome | why it differs |\n|---|---|---|---|\n${rows.join('\n')}\n`
}
