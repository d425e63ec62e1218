import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  AccessDenied,
  Application,
  CallbackDiscarded,
  memoryTokenStore,
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
    assert.equal(claims.email, application.email)
    const info = await organization.get<{ id: string }>('info')
    assert.equal(info.id, application.customer_id)
    const emails: string[] = []
    for await (const { email } of organization.list<{ email: string }>('users', { limit: 1 })) emails.push(email)
    assert.ok(emails.includes(application.email))
    assert.equal((await organization.userinfo()).org_id, org_id)
  })

  it('without openid the organization API says which organization it is', async () => {
    const { org_id, claims } = await connected({ scope: 'profile' })
    assert.equal(org_id, application.customer_id)
    assert.deepEqual(claims, {})
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
    await assert.rejects(kit.finish(elsewhere, pending), CallbackDiscarded)
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
    const responses = await Promise.all(Array.from({ length: 20 }, () => organization.get('info')))
    assert.equal(responses.length, 20)
    assert.equal(wire.count('/oauth/token'), 2, 'one exchange, one refresh')
    assert.notEqual((await store.read(organization.id))!.refresh_token, before.refresh_token)
  })

  it('an expired access token is refreshed before it is used, and never ahead of its time', async () => {
    const wire = watched()
    const { organization, store } = await connected({ fetch: wire.fetch })
    await organization.get('info')
    assert.equal(wire.count('/oauth/token'), 1)
    await store.write({ ...(await store.read(organization.id))!, expires_at: Date.now() })
    await organization.get('info')
    assert.deepEqual([wire.count('/oauth/token'), wire.count('/core/v1/organization/info')], [2, 2])
  })

  it('two workers with one store do not rotate one token twice', async () => {
    const { kit, store, organization } = await connected()
    const other = new Application({ ...kit.options, store }).organization(organization.id)
    await service.sql`update access_tokens set expires_at = ${service.clock.now()}`
    await Promise.all([organization.get('info'), other.get('info')])
    await organization.get('info')
  })

  it('7.8 invalid_grant on refresh → tokens deleted, ReconnectRequired', async () => {
    const { organization, store } = await connected()
    await service.sql`update grants set revoked_at = now() where customer_id = ${application.customer_id} and revoked_at is null`
    await assert.rejects(organization.get('info'), ReconnectRequired)
    assert.equal(await store.read(organization.id), undefined)
    await assert.rejects(organization.get('info'), { code: 'not_connected' })
  })

  it('7.8 429 and 500 server_error are waited out, a POST whose response was lost is not repeated blindly', async () => {
    const instead: (Response | Error)[] = []
    const wire = watched((path) => (path === '/core/v1/organization/info' ? instead.shift() : undefined))
    const { organization } = await connected({ fetch: wire.fetch })
    instead.push(Response.json({ error: 'Too many requests' }, { status: 429 }), Response.json({}, { status: 500 }))
    await organization.get('info')
    assert.equal(wire.count('/core/v1/organization/info'), 3)
    instead.push(new Error('connection lost'))
    await organization.get('info')
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
