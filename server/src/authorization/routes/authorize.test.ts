import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { registerApplication } from '../../../../test/support/applications.ts'
import { authorizePath } from '../../../../test/support/consent.ts'
import { Browser, type Visit } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'

const service = await startHarness()
const application = await registerApplication(service)
const browser = new Browser(service)
type Changes = Record<string, string | undefined>
const ask = (changes: Changes = {}) => browser.get(authorizePath(application, changes))

/** 7.1: a page, its status, the error on it, and no way to anywhere. */
function assertErrorPage(visit: Visit, status: number, error: string) {
  assert.equal(visit.status, status, visit.location)
  assert.equal(visit.location, undefined)
  assert.match(String(visit.headers['content-type']), /^text\/html/)
  assert.match(visit.body, new RegExp(`<code>${error}</code>`))
  assert.match(String(visit.headers['content-security-policy']), /frame-ancestors 'none'/)
}

/** 7.2: the parameters of the redirect to the application. */
function redirectParameters(visit: Visit, redirectUri = application.redirect_uri): Record<string, string> {
  assert.equal(visit.status, 303, visit.body)
  assert.ok(visit.location?.startsWith(`${redirectUri}?`), visit.location)
  return Object.fromEntries(new URL(visit.location!).searchParams)
}

const leadsToConsent = (visit: Visit) =>
  visit.status === 303 && /^http:\/\/acme\.test\/consent\?request=lbq_/.test(visit.location ?? '')

describe('7.1 authorization endpoint, error page (no redirect)', () => {
  it('7.1 client_id unknown → 400 invalid_client', async () => {
    for (const client_id of ['00000000-0000-7000-8000-000000000000', 'nonsense', "' or 1=1 --", '\0', '💥']) {
      assertErrorPage(await ask({ client_id }), 400, 'invalid_client')
    }
  })

  it('7.1 client_id missing or empty → 400 invalid_client', async () => {
    for (const client_id of [undefined, '']) assertErrorPage(await ask({ client_id }), 400, 'invalid_client')
  })

  it('7.1 application disabled → 400 invalid_client', async () => {
    const disabled = await registerApplication(service)
    await service.operator('PATCH', `/applications/${disabled.client_id}`, { enabled: false })
    assertErrorPage(await browser.get(authorizePath(disabled)), 400, 'invalid_client')
    await service.operator('PATCH', `/applications/${disabled.client_id}`, { enabled: true })
    assert.ok(leadsToConsent(await browser.get(authorizePath(disabled))))
  })

  it('7.1 redirect_uri missing → 400 invalid_request', async () => {
    for (const redirect_uri of [undefined, '']) assertErrorPage(await ask({ redirect_uri }), 400, 'invalid_request')
  })

  it('7.1 state longer than 512 characters → 400 invalid_request; 512 are accepted, whatever the characters', async () => {
    for (const character of ['s', 'ä', '漢', '💥', '\0', ' ']) {
      assertErrorPage(await ask({ state: character.repeat(513) }), 400, 'invalid_request')
      assert.ok(leadsToConsent(await ask({ state: character.repeat(512) })), `512 of ${JSON.stringify(character)}`)
    }
  })

  it('7.1 owning partner has no customer portal domain → 500 server_error', async () => {
    const withoutPortal = await registerApplication(service)
    await service.operator('PATCH', `/partners/${withoutPortal.partner_id}`, { portal_domain: null })
    assertErrorPage(await browser.get(authorizePath(withoutPortal)), 500, 'server_error')
    // The parameters come first: their errors go to the redirect URI, portal domain or not.
    const { error } = redirectParameters(await browser.get(authorizePath(withoutPortal, { response_type: 'token' })))
    assert.equal(error, 'unsupported_response_type')
  })

  it('7.1 client_id, redirect_uri or state sent twice → 400 invalid_request page', async () => {
    for (const name of ['client_id', 'redirect_uri', 'state']) {
      const path = authorizePath(application)
      const value = new URL(path, 'http://x').searchParams.get(name)!
      assertErrorPage(await browser.get(`${path}&${name}=${encodeURIComponent(value)}`), 400, 'invalid_request')
    }
  })

  it('7.1 the order is client_id, redirect_uri, length of state', async () => {
    const state = 's'.repeat(513)
    const client_id = 'unknown'
    assertErrorPage(await ask({ client_id, redirect_uri: undefined, state }), 400, 'invalid_client')
    const wrong = await ask({ redirect_uri: 'https://evil.example/', state, response_type: 'token' })
    assertErrorPage(wrong, 400, 'invalid_request')
    assert.match(wrong.body, /not registered for it \(redirect_uri\)/)
    assertErrorPage(await ask({ state, response_type: 'token' }), 400, 'invalid_request')
  })

  it('XSS: no parameter reaches a page as markup', async () => {
    const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`
    const names = ['client_id', 'redirect_uri', 'state', 'scope', 'response_type', 'nonce', 'prompt', 'login_hint']
    for (const name of names) {
      const page = await ask({ [name]: evil, ...(name === 'state' ? { state: evil.repeat(20) } : {}) })
      assert.ok(!page.body.includes('<script'), name)
      assert.ok(!page.body.includes('<img src=x'), name)
    }
    const { body } = await service.operator('POST', `/partners/${application.partner_id}/applications`, {
      name: evil,
      redirect_uris: ['https://app.example.com/callback'],
    })
    await service.operator('PATCH', `/applications/${body.client_id}`, { enabled: false })
    assert.ok(!(await ask({ client_id: body.client_id })).body.includes('<script'))
  })
})

describe('2.1 redirect_uri matches byte for byte', () => {
  const registered = [
    'https://app.example.com/callback',
    'https://App.example.com:8443/Callback/',
    'https://app.example.com:443/callback',
    'https://app.example.com/callback?tenant=a%2Fb&x=',
    'https://app.example.com/%7Euser/callback',
    'http://127.0.0.1:3000/callback',
    'http://[::1]:3000/callback',
  ]
  const foreign = [
    'https://app.example.com/callback/',
    'https://app.example.com/Callback',
    'https://app.example.com/callback?',
    'https://app.example.com/callback#',
    'https://app.example.com/callback?x=1',
    'https://app.example.com/callback ',
    ' https://app.example.com/callback',
    'https://app.example.com/call%62ack',
    'https://app.example.com/./callback',
    'https://app.example.com/a/../callback',
    'https://app.example.com//callback',
    'https://app.example.com./callback',
    'https://app.example.com:8443/callback',
    'https://app.example.com@evil.example/callback',
    'https://evil.example/https://app.example.com/callback',
    'https://app.example.com.evil.example/callback',
    'HTTPS://app.example.com/callback',
    'https://APP.example.com/callback',
    'http://app.example.com/callback',
    'https://app.example.com:8443/Callback/',
    'https://App.example.com:8443/Callback',
    'https://App.example.com/Callback/',
    'https://app.example.com/callback?tenant=a/b&x=',
    'https://app.example.com/callback?tenant=a%2fb&x=',
    'https://app.example.com/callback?x=&tenant=a%2Fb',
    'https://app.example.com/callback?tenant=a%2Fb&x',
    'https://app.example.com/%7euser/callback',
    'https://app.example.com/~user/callback',
    'http://127.0.0.1:3001/callback',
    'http://localhost:3000/callback',
    'http://[0:0:0:0:0:0:0:1]:3000/callback',
    '/callback',
    'javascript:alert(1)',
    'https://app.example.com/callback\0',
    'https://app.example.com/callback\r\nLocation: https://evil.example',
  ]
  let strict = ''
  const authorize = async (redirect_uri: string, changes: Changes = {}) => {
    if (!strict) {
      const body = { name: 'Strict', redirect_uris: registered }
      const created = await service.operator('POST', `/partners/${application.partner_id}/applications`, body)
      assert.equal(created.status, 201, JSON.stringify(created.body))
      strict = created.body.client_id
    }
    return await browser.get(authorizePath({ client_id: strict, redirect_uri }, changes))
  }

  for (const uri of registered) {
    it(`2.1 registered ${uri} is accepted, and comes back unchanged`, async () => {
      assert.ok(leadsToConsent(await authorize(uri)))
      const { location } = await authorize(uri, { response_type: 'token' })
      assert.ok(location?.startsWith(uri + (uri.includes('?') ? '&' : '?')), location)
    })
  }
  for (const uri of foreign) {
    it(`7.1 not registered ${JSON.stringify(uri)} → 400 invalid_request page`, async () => {
      assertErrorPage(await authorize(uri), 400, 'invalid_request')
    })
  }
})

describe('7.2 authorization endpoint, errors on the redirect URI', () => {
  const rows: [title: string, error: string, changes: Changes][] = [
    ['scope has another value', 'invalid_scope', { scope: 'openid offline_access' }],
    ['scope in another case', 'invalid_scope', { scope: 'OpenID' }],
    ['scope parted by a tab', 'invalid_scope', { scope: 'openid\tprofile' }],
    ['response_type present but not code', 'unsupported_response_type', { response_type: 'token' }],
    ['response_type code id_token', 'unsupported_response_type', { response_type: 'code id_token' }],
    ['response_type missing', 'invalid_request', { response_type: undefined }],
    ['response_type empty', 'invalid_request', { response_type: '' }],
    ['code_challenge missing', 'invalid_request', { code_challenge: undefined }],
    ['code_challenge of 42 characters', 'invalid_request', { code_challenge: 'a'.repeat(42) }],
    ['code_challenge of 44 characters', 'invalid_request', { code_challenge: 'a'.repeat(44) }],
    ['code_challenge with padding', 'invalid_request', { code_challenge: `${'a'.repeat(42)}=` }],
    ['code_challenge in plain base64', 'invalid_request', { code_challenge: `${'a'.repeat(42)}+` }],
    ['code_challenge_method plain', 'invalid_request', { code_challenge_method: 'plain' }],
    ['code_challenge_method s256', 'invalid_request', { code_challenge_method: 's256' }],
    ['code_challenge_method missing', 'invalid_request', { code_challenge_method: undefined }],
    ['nonce longer than 512 characters', 'invalid_request', { nonce: 'n'.repeat(513) }],
    ['nonce longer than 512 characters of two units', 'invalid_request', { nonce: '💥'.repeat(513) }],
    ['nonce with U+0000', 'invalid_request', { nonce: 'a\0b' }],
    ['prompt=none with another', 'invalid_request', { prompt: 'none login' }],
    ['max_age not a number', 'invalid_request', { max_age: 'soon' }],
    ['max_age negative', 'invalid_request', { max_age: '-1' }],
    ['request object', 'request_not_supported', { request: 'eyJhbGciOiJub25lIn0.e30.' }],
    ['request_uri', 'request_uri_not_supported', { request_uri: 'https://app.example.com/request' }],
  ]
  for (const [title, error, changes] of rows) {
    it(`7.2 ${title} → ${error}, with state, description and iss`, async () => {
      const parameters = redirectParameters(await ask({ state: 'a b+c&d=ä', ...changes }))
      const { error_description, ...rest } = parameters
      assert.deepEqual(rest, { error, state: 'a b+c&d=ä', iss: 'http://landbridge.test' })
      assert.ok(error_description)
    })
  }

  it('7.2 state missing or empty → invalid_request, without state', async () => {
    for (const state of [undefined, '']) {
      const { error_description, ...rest } = redirectParameters(await ask({ state }))
      assert.deepEqual(rest, { error: 'invalid_request', iss: 'http://landbridge.test' })
      assert.match(error_description!, /state/)
    }
  })

  it('7.2 a repeated parameter → invalid_request', async () => {
    for (const name of [
      'response_type',
      'scope',
      'code_challenge',
      'code_challenge_method',
      'nonce',
      'prompt',
      'max_age',
    ]) {
      const path = authorizePath(application, { nonce: 'n', prompt: 'login', max_age: '5' })
      const { error, error_description } = redirectParameters(await browser.get(`${path}&${name}=1`))
      assert.equal(error, 'invalid_request', name)
      assert.match(error_description!, new RegExp(`^${name} `))
    }
  })

  it('4.1 the order of the remaining checks: request, response_type, scope, state, code_challenge, its method, nonce', async () => {
    const faults: [string, Changes][] = [
      ['request ', { request: 'eyJhbGciOiJub25lIn0.e30.' }],
      ['response_type', { response_type: undefined }],
      ['scope', { scope: 'x' }],
      ['state', { state: undefined }],
      ['code_challenge ', { code_challenge: 'x' }],
      ['code_challenge_method', { code_challenge_method: 'plain' }],
      ['nonce', { nonce: 'n'.repeat(513) }],
    ]
    for (let first = 0; first < faults.length; first += 1) {
      const changes = Object.assign({}, ...faults.slice(first).map(([, change]) => change))
      assert.ok(redirectParameters(await ask(changes)).error_description!.startsWith(faults[first]![0]))
    }
  })

  it('unknown parameters and unknown prompts are ignored; scope may be missing, repeated values count once', async () => {
    const requests = [{ colour: 'red' }, { prompt: 'create' }, { scope: undefined }, { scope: ' openid  openid ' }]
    for (const changes of [...requests, { nonce: 'n'.repeat(512) }, { nonce: '💥'.repeat(512) }]) {
      assert.ok(leadsToConsent(await ask(changes as Changes)), JSON.stringify(changes))
    }
  })

  it('a failure is in the integration log with its private reason, a success is not', async () => {
    // The failures of the tests before may still be on their way.
    await service.context.integrationLog.flush()
    await service.sql`delete from integration_failures`
    await ask({ scope: 'all' })
    await ask({ redirect_uri: 'https://app.example.com/other' })
    await ask()
    await service.context.integrationLog.flush()
    const rows = await service.sql`select endpoint, error, reason from integration_failures order by reason`
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        { endpoint: 'authorize', error: 'invalid_request', reason: 'redirect_uri_not_registered' },
        { endpoint: 'authorize', error: 'invalid_scope', reason: 'scope_not_allowed' },
      ],
    )
  })
})

describe('4.1 authorization endpoint', () => {
  it('success: 303 to the consent screen on the partner’s portal domain', async () => {
    const visit = await ask()
    assert.ok(leadsToConsent(visit), visit.location)
    assert.equal(visit.headers['cache-control'], 'no-store')
  })

  it('by form POST as by GET, from any origin', async () => {
    const form = Object.fromEntries(new URL(authorizePath(application), 'http://x').searchParams)
    const foreign = { origin: 'https://app.example.com', 'sec-fetch-site': 'cross-site' }
    assert.ok(leadsToConsent(await browser.post('/oauth/authorize', form, foreign)))
    assertErrorPage(await browser.post('/oauth/authorize', {}, foreign), 400, 'invalid_client')
    const json = { 'content-type': 'application/json' }
    assertErrorPage(await browser.post('/oauth/authorize', form, json), 400, 'invalid_request')
  })

  it('the issuer and the way to the consent screen never come from the Host header', async () => {
    const evil = new Browser(service, { host: 'evil.test' })
    assert.ok(leadsToConsent(await evil.get(authorizePath(application))))
    const { iss } = redirectParameters(await evil.get(authorizePath(application, { response_type: 'x' })))
    assert.equal(iss, 'http://landbridge.test')
  })

  it('only a digest of the request’s secret is stored', async () => {
    const { location } = await ask()
    const secret = new URL(location!).searchParams.get('request')!
    const rows = await service.sql`select * from authorization_requests`
    assert.ok(!JSON.stringify(rows).includes(secret))
  })
})
