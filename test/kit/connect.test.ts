import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  AccessDenied,
  Application,
  type ApplicationOptions,
  type Attempt,
  CallbackDiscarded,
  memoryTokenStore,
  NetworkError,
  ReconnectRequired,
} from '../../client/src/index.ts'
import { startKitService, submitConsent } from '../support/kit-service.ts'

const running = await startKitService()
const { service, url, application } = running

function newApplication(more: Partial<ConstructorParameters<typeof Application>[0]> = {}) {
  const store = memoryTokenStore()
  const kit = new Application({
    url,
    clientId: application.client_id,
    clientSecret: application.client_secret,
    redirectUri: application.redirect_uri,
    store,
    backoff: { attempts: 3, firstDelayMs: 5, longestDelayMs: 20 },
    ...more,
  })
  return { kit, store }
}

async function connected(more: Partial<ConstructorParameters<typeof Application>[0]> = {}) {
  const { kit, store } = newApplication(more)
  const { url: address, pending } = await kit.begin()
  return { kit, store, ...(await kit.finish(await submitConsent(running, address), pending)) }
}

/** Counts what goes over the wire, and may block it. */
function watched(intercept: (path: string) => Response | Error | undefined = () => undefined) {
  const paths: string[] = []
  const watching: typeof fetch = async (input, init) => {
    const { pathname } = new URL(String(input))
    paths.push(pathname)
    const instead = intercept(pathname)
    if (instead instanceof Error) throw instead
    return instead ?? (await fetch(input, init))
  }
  return { fetch: watching, count: (path: string) => paths.filter((each) => each === path).length }
}

describe('partner kit: connecting', () => {
  it('a person approves, and the organization API responds', async () => {
    const { organization, org_id, claims } = await connected()
    assert.equal(org_id, application.customer_id)
    assert.equal(claims?.email, application.email)
    const info = await organization.info.get()
    assert.equal(info.id, application.customer_id)
    const emails: string[] = []
    for await (const { email } of organization.users.list({ limit: 1 })) emails.push(email)
    assert.ok(emails.includes(application.email))
    assert.equal((await organization.userinfo()).org_id, org_id)
  })

  it('without openid the organization API says which organization it is', async () => {
    const { org_id, claims } = await connected({ scope: 'profile' })
    assert.equal(org_id, application.customer_id)
    assert.equal(claims, null)
  })

  it('7.8 declined → AccessDenied; a state or issuer that is not ours → the callback is discarded', async () => {
    const { kit } = newApplication()
    const { url: address, pending } = await kit.begin()
    const declined = await submitConsent(running, address, 'decline')
    await assert.rejects(kit.finish(declined, pending), AccessDenied)
    await assert.rejects(kit.finish(declined, undefined), CallbackDiscarded)
    await assert.rejects(kit.finish(declined, { ...pending, state: 'other' }), CallbackDiscarded)
    const elsewhere = new URL(declined)
    elsewhere.searchParams.set('iss', 'https://evil.test')
    await assert.rejects(kit.finish(elsewhere, pending), (error: Error) => {
      assert.ok(error instanceof CallbackDiscarded)
      assert.ok(error.message.includes('https://evil.test') && error.message.includes(url), error.message)
      return true
    })
  })

  it('the path alone is enough to finish, and a slash at the end of the address does no harm', async () => {
    const { kit } = newApplication({ url: `${url}/` })
    const { url: address, pending } = await kit.begin()
    const { pathname, search } = new URL(await submitConsent(running, address))
    assert.equal((await kit.finish(pathname + search, pending)).org_id, application.customer_id)
  })

  it('an id_token with another nonce is refused and nothing is kept', async () => {
    const { kit, store } = newApplication()
    const { url: address, pending } = await kit.begin()
    const callback = await submitConsent(running, address)
    await assert.rejects(kit.finish(callback, { ...pending, nonce: 'other' }), CallbackDiscarded)
    assert.equal(await store.read(application.customer_id), undefined)
  })
})

describe('partner kit: tokens', () => {
  it('7.8 a 401 refreshes once, however many requests meet it, and each is retried', async () => {
    const wire = watched()
    const { organization, store } = await connected({ fetch: wire.fetch })
    const before = (await store.read(organization.id))!
    await service.sql`update access_tokens set expires_at = ${service.clock.now()}`
    const responses = await Promise.all(Array.from({ length: 20 }, () => organization.info.get()))
    assert.equal(responses.length, 20)
    assert.equal(wire.count('/oauth/token'), 2, 'one exchange, one refresh')
    assert.notEqual((await store.read(organization.id))!.refresh_token, before.refresh_token)
  })

  it('an expired access token is refreshed before it is used, and never ahead of its time', async () => {
    const wire = watched()
    const { organization, store } = await connected({ fetch: wire.fetch })
    await organization.info.get()
    assert.equal(wire.count('/oauth/token'), 1)
    await store.exclusively(organization.id, async (held) =>
      held.write({ ...(await held.read())!, expires_at: Date.now() }),
    )
    await organization.info.get()
    assert.deepEqual([wire.count('/oauth/token'), wire.count('/core/v1/organization/info')], [2, 2])
  })

  it('two workers with one store do not rotate one token twice', async () => {
    const { kit, store, organization } = await connected()
    const other = new Application({ ...kit.options, store }).organization(organization.id)
    await service.sql`update access_tokens set expires_at = ${service.clock.now()}`
    await Promise.all([organization.info.get(), other.info.get()])
    await organization.info.get()
  })

  it('7.8 invalid_grant on refresh → tokens deleted, ReconnectRequired', async () => {
    const { organization, store } = await connected()
    await service.sql`update grants set revoked_at = now() where customer_id = ${application.customer_id} and revoked_at is null`
    await assert.rejects(organization.info.get(), ReconnectRequired)
    assert.equal(await store.read(organization.id), undefined)
    await assert.rejects(organization.info.get(), { code: 'not_connected' })
  })

  it('a proxy’s refusal, whatever its status, says nothing of the tokens: they stay, and none is spent', async () => {
    const instead: Response[] = []
    const wire = watched((path) => (path === '/oauth/token' ? undefined : instead[0]?.clone()))
    const { organization, store } = await connected({ fetch: wire.fetch })
    const tokens = await store.read(organization.id)
    const html = { 'content-type': 'text/html' }
    const basic = { 'www-authenticate': 'Basic realm="intranet"' }
    const ours = { 'www-authenticate': 'Bearer error="invalid_token"' }
    const refusals: Response[] = [
      new Response('<html>', { status: 401, headers: { ...html, ...basic } }),
      new Response('<html>', { status: 401, headers: { ...html, ...ours } }),
      Response.json({ error: 'Unauthorized' }, { status: 401, headers: basic }),
      Response.json({ message: 'Unauthorized' }, { status: 401 }),
      ...[400, 403, 404, 410, 502, 503].map((status) => new Response('<html>', { status, headers: html })),
    ]
    for (const refusal of refusals) {
      instead[0] = refusal
      await assert.rejects(organization.info.get(), { name: 'LandbridgeError', code: 'unexpected' })
      await assert.rejects(organization.userinfo(), { name: 'LandbridgeError', status: refusal.status })
    }
    instead[0] = new Response('<html>', { status: 200, headers: html })
    await assert.rejects(organization.disconnect(), { code: 'unexpected' })
    await assert.rejects(organization.devices.historyCsv('d'), { code: 'unexpected' })
    await assert.rejects(organization.devices.stream().next(), { code: 'unexpected' })
    instead.length = 0
    assert.deepEqual(await store.read(organization.id), tokens)
    assert.equal(wire.count('/oauth/token'), 1, 'no refresh')
    await organization.info.get()
  })

  it('a proxy’s refusal of a refresh keeps the tokens too', async () => {
    const instead: Response[] = []
    const wire = watched((path) => (path === '/oauth/token' ? instead.shift() : undefined))
    const { organization, store } = await connected({ fetch: wire.fetch })
    const tokens = await store.read(organization.id)
    await service.sql`update access_tokens set expires_at = ${service.clock.now()}`
    for (const status of [400, 401, 403, 404, 502, 503]) {
      instead.push(new Response('<html>', { status }))
      await assert.rejects(organization.info.get(), { name: 'LandbridgeError', code: 'unexpected', status })
    }
    instead.push(Response.json({ error: 'invalid_grant' }, { status: 403 }))
    await assert.rejects(organization.info.get(), { name: 'LandbridgeError' })
    assert.deepEqual(await store.read(organization.id), tokens)
    await organization.info.get()
  })

  it('a stream goes on through the 502 and 429 of a restart, and ends with a refusal', async () => {
    const instead: Response[] = []
    const wire = watched((path) => (path.endsWith('/devices/stream') ? instead.shift() : undefined))
    const { organization } = await connected({ fetch: wire.fetch })
    const failures = [502, 503, 502, 500, 502, 502, 502]
    instead.push(...failures.map((status) => new Response('<html>', { status })))
    instead.push(new Response('<html>', { status: 404 }))
    await assert.rejects(organization.devices.stream().next(), { code: 'unexpected', status: 404 })
    assert.equal(wire.count('/core/v1/organization/devices/stream'), failures.length + 1)
  })

  it('id_token_hint goes with the request, and with prompt=none nobody else gets a code', async () => {
    const { kit, id_token, claims } = await connected()
    assert.ok(id_token && claims)
    const { url: address } = await kit.begin({ prompt: 'none', idTokenHint: id_token, loginHint: claims.email! })
    const { searchParams } = new URL(address)
    assert.deepEqual([searchParams.get('id_token_hint'), searchParams.get('prompt')], [id_token, 'none'])
    const { url: quiet, pending } = await kit.begin({ prompt: 'none', idTokenHint: id_token })
    let at = quiet
    while (!at.startsWith(application.redirect_uri)) {
      const { headers } = await fetch(at, { redirect: 'manual' })
      at = new URL(headers.get('location')!, at).href
    }
    await assert.rejects(kit.finish(at, pending), { code: 'login_required' })
    assert.equal((await connected({ scope: 'profile' })).id_token, null)
  })

  it('7.8 429 and 500 server_error are waited out, a POST whose response was lost is not repeated blindly', async () => {
    const instead: (Response | Error)[] = []
    const wire = watched((path) => (path === '/core/v1/organization/info' ? instead.shift() : undefined))
    const { organization } = await connected({ fetch: wire.fetch })
    instead.push(Response.json({ error: 'Too many requests' }, { status: 429 }), Response.json({}, { status: 500 }))
    await organization.info.get()
    assert.equal(wire.count('/core/v1/organization/info'), 3)
    instead.push(new Error('connection lost'))
    await organization.info.get()
  })

  it('the tokens of the winner are not deleted by a loser', async () => {
    const { organization, store } = await connected()
    const stale = (await store.read(organization.id))!
    const winner = { ...stale, refresh_token: 'newer' }
    await store.exclusively(organization.id, (held) => held.write(winner))
    await store.exclusively(organization.id, (held) => held.remove(stale))
    assert.deepEqual(await store.read(organization.id), winner)
  })

  it('no response is a NetworkError with its cause, a late one a timeout, and a caller may give up', async () => {
    const attempts: Attempt[] = []
    const log = (attempt: Attempt) => attempts.push(attempt)
    const backoff = { attempts: 1, firstDelayMs: 1, longestDelayMs: 1 }
    const { organization, kit } = await connected({ backoff })
    const at = (more: Partial<ApplicationOptions>) =>
      new Application({ ...kit.options, backoff, log, ...more }).organization(organization.id)
    await assert.rejects(at({ url: 'http://127.0.0.1:1' }).info.get(), (error: NetworkError) => {
      assert.deepEqual([error instanceof NetworkError, error.code], [true, 'network_error'])
      assert.match(error.message, /127\.0\.0\.1:1.*ECONNREFUSED|bad port/)
      assert.ok(error.cause)
      return true
    })
    const never: typeof fetch = (_, init) =>
      new Promise((_, reject) => init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason)))
    await assert.rejects(at({ fetch: never, timeoutMs: 5 }).info.get(), { name: 'NetworkError', code: 'timeout' })
    const reason = new Error('no longer wanted')
    const given = at({ fetch: never }).info.get({ signal: AbortSignal.abort(reason) })
    await assert.rejects(given, reason)
    assert.deepEqual(
      attempts.map(({ status, method }) => [status, method]),
      [
        [null, 'GET'],
        [null, 'GET'],
      ],
    )
  })

  it('a page of a proxy and a redirect are named as such', async () => {
    const instead: Response[] = []
    const wire = watched((path) => (path === '/core/v1/organization/info' ? instead.shift() : undefined))
    const { organization } = await connected({ fetch: wire.fetch })
    instead.push(new Response('<html>', { status: 403 }))
    await assert.rejects(organization.info.get(), {
      code: 'unexpected',
      status: 403,
      message: /is a proxy in between/,
    })
    instead.push(new Response('<html>', { status: 200 }))
    await assert.rejects(organization.info.get(), { code: 'unexpected', status: 200 })
    instead.push(new Response(null, { status: 302, headers: { location: 'https://elsewhere.test/' } }))
    await assert.rejects(organization.info.get(), { message: /redirects to https:\/\/elsewhere\.test\// })
  })

  it('disconnecting revokes the grant and forgets the tokens', async () => {
    const { organization, store } = await connected()
    await organization.disconnect()
    assert.equal(await store.read(organization.id), undefined)
    const live = await service.sql`
      select 1 from grants where customer_id = ${application.customer_id} and revoked_at is null`
    assert.equal(live.length, 0)
  })
})
