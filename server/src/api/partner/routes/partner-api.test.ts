import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { password } from '../../../../../test/support/applications.ts'
import { register, send } from '../../../../../test/support/devices.ts'
import { Browser } from '../../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { newPartner } from '../../../../../test/support/partners.ts'

const service = await startHarness({ LANDBRIDGE_WEBHOOK_ALLOW: '127.0.0.1' })
const partner = await newPartner(service)
const otherPartner = await newPartner(service, { name: 'Other' })
const application = (
  await service.operator('POST', `/partners/${partner.id}/applications`, {
    name: 'Dashboard',
    redirect_uris: ['https://app.example.com/callback'],
  })
).body

describe('partner API: authentication', () => {
  it('no key, a wrong one, a customer’s, and a bearer token get 401', async () => {
    const lab = await service.app.inject({
      method: 'POST',
      url: '/core/v1/organization/api-keys',
      headers: (await signedIn(partner.email)).headers,
      payload: { name: 'mine' },
    })
    const keys = [undefined, 'wrong', lab.json().key, 'Bearer abc', 'operator-key-of-the-tests-0123456789']
    for (const authorization of keys) {
      const headers = authorization === undefined ? {} : { authorization }
      const response = await service.app.inject({ url: '/core/v1/partner/info', headers })
      assert.equal(response.statusCode, 401)
      assert.equal(response.body, '{"error":"Not authorized"}')
    }
  })

  it('a key and a session see the same; only a session manages keys and people', async () => {
    assert.deepEqual((await partner.call('GET', '/info')).body, (await partner.browse('GET', '/info')).body)
    for (const path of ['/api-keys']) {
      assert.equal((await partner.call('GET', path)).body.code, 'portal_session_required')
      assert.equal((await partner.browse('GET', path)).status, 200)
    }
  })

  it('a session’s change needs this site’s Origin', async () => {
    const refused = await partner.browse('PATCH', '/info', { name: 'Acme' }, { origin: 'https://evil.test' })
    assert.equal(refused.body.code, 'foreign_origin')
  })

  it('a person of no partner is refused, one of several names one', async () => {
    await service.operator('POST', `/customers/${partner.lab_customer_id}/users`, {
      name: 'Member',
      email: 'member@example.com',
      password,
      role: 'administrator',
    })
    const outsider = await signedIn('member@example.com')
    const ask = async (browser: Browser, named?: string) => {
      const headers = { ...browser.headers, ...(named === undefined ? {} : { 'landbridge-partner': named }) }
      return (await service.app.inject({ url: '/core/v1/partner/info', headers })).json()
    }
    assert.equal((await ask(outsider)).code, 'partner_members_only')
    assert.equal((await ask(outsider, partner.id)).code, 'partner_members_only')
    const [user] = await service.sql`select id from users where email = ${partner.email}`
    await service.sql`insert into partner_members values (${otherPartner.id}, ${user!.id}, now())`
    const both = await signedIn(partner.email)
    assert.equal((await ask(both)).code, 'partner_required')
    assert.equal((await ask(both, otherPartner.id)).id, otherPartner.id)
    assert.equal((await ask(both, 'nonsense')).code, 'partner_members_only')
    await service.sql`delete from partner_members where partner_id = ${otherPartner.id} and user_id = ${user!.id}`
  })
})

describe('partner API: branding', () => {
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex').toString('base64')

  it('the accent colour is changed at once; name and logo when the operator approves them, and then served', async () => {
    const changed = await partner.call('PATCH', '/info', {
      name: 'Acme Climate',
      accent_color: '#0a7c5a',
      logo: { type: 'image/png', data: png },
    })
    assert.equal(changed.status, 200)
    assert.deepEqual([changed.body.accent_color, changed.body.logo], ['#0a7c5a', null])
    const { id, revision } = changed.body.requested_change
    await service.operator('POST', `/presentation-changes/${id}/approve`, { revision })
    const { body } = await partner.call('GET', '/info')
    assert.equal(body.name, 'Acme Climate')
    const logo = await service.app.inject({ url: body.logo })
    assert.equal(logo.headers['content-type'], 'image/png')
    assert.deepEqual((await partner.call('PATCH', '/info', { logo: null })).body.requested_change.fields, ['logo'])
  })

  it('a logo that is not what it says, and a colour that is none, are refused', async () => {
    const svg = Buffer.from('<svg onload="alert(1)"/>').toString('base64')
    for (const change of [
      { logo: { type: 'image/png', data: svg } },
      { logo: { type: 'image/svg+xml', data: svg } },
      { accent_color: 'red; background: url(//evil)' },
    ]) {
      assert.equal((await partner.call('PATCH', '/info', change)).status, 422)
    }
  })

  it('a change based on an old version is 412', async () => {
    const { headers } = await partner.call('GET', '/info')
    const etag = { 'if-match': String(headers.etag) }
    assert.equal((await partner.call('PATCH', '/info', { name: 'One' }, etag)).status, 200)
    assert.equal((await partner.call('PATCH', '/info', { name: 'Two' }, etag)).body.code, 'changed_meanwhile')
  })
})

describe('partner API: applications', () => {
  const path = `/applications/${application.client_id}`

  it('a partner reads its own, without the operator’s and without secrets', async () => {
    const { body } = await partner.call('GET', '/applications')
    assert.deepEqual(
      body.items.map(({ client_id }: { client_id: string }) => client_id),
      [application.client_id],
    )
    assert.ok(!JSON.stringify(body).includes(application.client_secret))
    assert.deepEqual((await otherPartner.call('GET', '/applications')).body.items, [])
    assert.equal((await otherPartner.call('GET', path)).status, 404)
  })

  it('redirect URIs are changed by their partner; disabling is the operator’s', async () => {
    const uris = ['https://app.example.com/callback', 'https://app.example.com/callback/']
    assert.deepEqual((await partner.call('PATCH', path, { redirect_uris: uris })).body.redirect_uris, uris)
    assert.equal((await partner.call('PATCH', path, { redirect_uris: ['http://app.example.com/'] })).status, 422)
    assert.equal((await partner.call('PATCH', path, { enabled: false })).status, 422)
    assert.equal((await otherPartner.call('PATCH', path, { redirect_uris: uris })).status, 404)
  })

  it('2.1 a secret rotation is asked for, seen by the operator, and settled by the rotation', async () => {
    const asked = await partner.call('POST', `${path}/secret-rotation`, { reason: 'leaked', note: 'in a public log' })
    assert.equal(asked.status, 202)
    const seen = await service.operator('GET', path)
    assert.equal(seen.body.secret_rotation_requested_at, asked.body.secret_rotation_requested_at)
    const isAsked = async () => {
      const { body } = await service.operator('GET', '/waiting-requests')
      return body.secrets.some(({ client_id }: { client_id: string }) => path.endsWith(client_id))
    }
    assert.equal(await isAsked(), true)
    const audit = await service.operator('GET', '/audit-events?type=client_secret.rotation_requested')
    assert.equal(audit.body.items[0].details.reason, 'leaked')
    await service.operator('POST', `${path}/secret`, { overlap_seconds: 0 })
    assert.equal((await partner.call('GET', path)).body.secret_rotation_requested_at, null)
    assert.equal(await isAsked(), false)
    assert.equal((await otherPartner.call('POST', `${path}/secret-rotation`, { reason: 'lost' })).status, 404)
  })
})

describe('partner API: models', () => {
  it('2.4 a model is created with a hardware key; keys are listed in order, added and revoked', async () => {
    const method = 'MAC & Serial Number'
    const created = await partner.call('POST', '/models', { name: 'Thermostat', authentication_method: method })
    assert.equal(created.status, 201)
    const keys = `/models/${created.body.id}/hardware-keys`
    const added = await partner.call('POST', keys)
    assert.equal(added.status, 201)
    const page = await partner.call('GET', keys)
    assert.deepEqual(
      page.body.items.map(({ hardware_key }: { hardware_key: string }) => hardware_key),
      [created.body.hardware_key, added.body.hardware_key],
    )
    assert.equal((await partner.call('DELETE', `${keys}/${added.body.id}`)).status, 204)
    assert.equal((await otherPartner.call('GET', keys)).status, 404)
    assert.equal((await otherPartner.call('POST', keys)).status, 404)
    assert.equal((await otherPartner.call('DELETE', `${keys}/${page.body.items[0].id}`)).status, 404)
    const refused = await partner.call('POST', '/models', { name: 'X', authentication_method: 'Password' })
    assert.equal(refused.status, 422)
  })
})

describe('partner API: devices', () => {
  const hello = { status: 'online', telemetries: { temperature: 21.5, mode: 'heat', 'on, off': true } }

  async function newDevice() {
    const input = { name: 'Sensor', authentication_method: 'MAC & Serial Number' }
    const model = (await partner.call('POST', '/models', input)).body
    const device = await register(service, model)
    await send(service, device, hello)
    return { ...device, model_id: model.id as string }
  }

  it('the fleet shows status, last seen, firmware and whether it is claimed; filters and search find', async () => {
    const device = await newDevice()
    const { body } = await partner.call('GET', `/devices?model_id=${device.model_id}&status=online&claimed=false`)
    assert.equal(body.items.length, 1)
    const [found] = body.items
    assert.deepEqual(
      [found.id, found.status, found.firmware_version, found.claimed, found.last_seen_at],
      [device.id, 'online', '1.4.2', false, service.clock.now().toISOString()],
    )
    assert.equal((await partner.call('GET', `/devices?search=${found.mac.slice(0, 8)}`)).body.items.length, 1)
    assert.deepEqual((await otherPartner.call('GET', '/devices')).body.items, [])
  })

  it('state and history are read, a replace window opened, the device removed; another partner gets 404', async () => {
    const device = await newDevice()
    const path = `/devices/${device.id}`
    const { state } = (await partner.call('GET', path)).body
    assert.deepEqual(state.temperature, { value: 21.5, at: service.clock.now().toISOString() })
    const history = (await partner.call('GET', `${path}/history?keys=mode`)).body
    assert.deepEqual(history.items[0].telemetries, { mode: 'heat' })
    await send(service, device, { status: 'online', telemetries: { mode: null }, override: true })
    const newest = (await partner.call('GET', `${path}/history?order=newest_first`)).body.items[0]
    assert.deepEqual([newest.telemetries, newest.override], [{ mode: null }, true])
    assert.deepEqual((await partner.call('GET', path)).body.state, {})
    const series = (await partner.call('GET', `${path}/series?keys=temperature`)).body
    assert.equal(series.series.temperature[0].avg, 21.5)
    assert.equal((await partner.call('POST', `${path}/replace`)).status, 201)
    for (const more of ['', '/history', '/series?keys=a']) {
      assert.equal((await otherPartner.call('GET', path + more)).status, 404)
    }
    assert.equal((await otherPartner.call('POST', `${path}/replace`)).status, 404)
    assert.equal((await otherPartner.call('DELETE', path)).status, 404)
    assert.equal((await partner.call('DELETE', path)).status, 204)
    assert.equal((await send(service, device, hello)).status, 410)
    assert.equal((await partner.call('GET', path)).status, 404)
  })

  it('the static certificate is returned with its fingerprint', async () => {
    const { body } = await partner.call('GET', '/static-certificate')
    assert.match(body.sha256_fingerprint, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
    assert.match(body.certificate, /BEGIN CERTIFICATE/)
  })
})

describe('partner API: webhooks', () => {
  it('are created, changed, disabled, rotated, tested, redelivered and deleted', async () => {
    const url = 'http://127.0.0.1:9/'
    const created = await partner.call('POST', '/webhooks', { url, events: ['device.claimed'] })
    assert.equal(created.status, 201)
    assert.match(created.body.secret, /^whsec_/)
    const path = `/webhooks/${created.body.id}`
    const read = await partner.call('GET', path)
    assert.equal(read.body.secret, undefined)
    const changed = await partner.call('PATCH', path, { enabled: false }, { 'if-match': String(read.headers.etag) })
    assert.equal(changed.body.disabled_because, 'by_partner')
    assert.equal((await partner.call('POST', `${path}/test`)).body.code, 'webhook_disabled')
    await partner.call('PATCH', path, { enabled: true })
    const tested = await partner.call('POST', `${path}/test`)
    assert.equal(tested.status, 202)
    const again = await partner.call('POST', `${path}/deliveries/${tested.body.event_id}/redeliver`)
    assert.equal(again.body.state, 'pending')
    assert.equal((await partner.call('GET', `${path}/deliveries?state=pending`)).body.items.length, 1)
    assert.equal((await partner.call('POST', `${path}/secret`, { overlap_seconds: 60 })).status, 201)
    for (const [method, more] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['POST', '/secret'],
    ] as const) {
      assert.equal((await otherPartner.call(method, path + more, method === 'POST' ? {} : undefined)).status, 404)
    }
    assert.equal((await partner.call('DELETE', path)).status, 204)
    assert.equal((await partner.call('GET', path)).status, 404)
  })

  it('a private address and an unknown event are refused with the field named', async () => {
    const bad = { url: 'https://10.0.0.1/', events: ['device.claimed'] }
    assert.deepEqual((await partner.call('POST', '/webhooks', bad)).body.details.map(fieldOf), ['url'])
    const unknown = { url: 'https://example.com/', events: ['customer.renamed'] }
    assert.deepEqual((await partner.call('POST', '/webhooks', unknown)).body.details.map(fieldOf), ['events.0'])
  })
})

describe('partner API: people and audit events', () => {
  it('the last member of a partner cannot be removed', async () => {
    const { body } = await partner.browse('GET', '/members')
    assert.equal(body.items.length, 1)
    assert.equal((await partner.browse('DELETE', `/members/${body.items[0].id}`)).body.code, 'last_member')
    assert.equal((await otherPartner.browse('GET', `/members/${body.items[0].id}`)).status, 404)
  })

  it('audit events are the partner’s own', async () => {
    const { body } = await partner.call('GET', '/audit-events?limit=100')
    const types = new Set(body.items.map(({ type }: { type: string }) => type))
    for (const type of ['application.created', 'model.created', 'webhook.created', 'partner.changed']) {
      assert.ok(types.has(type), type)
    }
    const otherEvents = JSON.stringify((await otherPartner.call('GET', '/audit-events?limit=100')).body)
    assert.ok(!otherEvents.includes(partner.id))
  })
})

function fieldOf({ field }: { field: string }): string {
  return field
}

async function signedIn(email: string): Promise<Browser> {
  const browser = new Browser(service)
  await browser.signIn({ email, password })
  return browser
}
