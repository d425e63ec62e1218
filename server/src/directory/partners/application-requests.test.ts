import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Harness, startHarness } from '../../../../test/support/harness.ts'
import { newPartner, type TestPartner } from '../../../../test/support/partners.ts'

const service = await startHarness()
const second = await startHarness({}, { beside: service })

const logo = { type: 'image/png', data: 'iVBORw0KGgoBAgM=' }
const redirect_uris = ['https://app.example.com/callback']
const devices = { level: 'read', reason: 'Shows which rooms are free.' }

let made = 0
/** A name that looks like no other. */
function nextName(): string {
  made += 1
  return `Desk ${'abcdefghijkmnopqrstuvwxyz'[made % 25]!.repeat(3 + Math.floor(made / 25))}`
}

const ask = (partner: TestPartner, more: object = {}) =>
  partner.call('POST', '/application-requests', { name: nextName(), redirect_uris, ...more })
const approve = (id: string, revision = 1, at: Harness = service) =>
  at.operator('POST', `/application-requests/${id}/approve`, { revision })
const refuse = (id: string, revision = 1, reason = 'Which product is this?') =>
  service.operator('POST', `/application-requests/${id}/refuse`, { revision, reason })
const eventsOf = async ({ id }: TestPartner) =>
  (
    await service.sql`
      select type, actor ->> 'kind' as actor from audit_events
      where partner_id = ${id} and type like 'application%' order by id`
  ).map(({ type, actor }) => `${type} ${actor}`)

describe('decision 6.53: a partner asks for an application, and the operator registers it', () => {
  it('it waits, and becomes the application with its id as the operator’s own registration would make it', async () => {
    const partner = await newPartner(service)
    const wish = {
      home_page: 'https://app.example.com',
      logo,
      id_token_alg: 'ES256',
      requested_permissions: { devices },
    }
    const { status, body: asked } = await ask(partner, wish)
    assert.equal(status, 201)
    assert.deepEqual([asked.revision, asked.refused_at, asked.has_logo, asked.logo], [1, null, true, undefined])
    assert.equal((await partner.call('GET', `/applications/${asked.id}`)).status, 404)
    const { body: read } = await partner.call('GET', `/application-requests/${asked.id}`)
    assert.deepEqual(read, { ...asked, logo })

    const { body: queue } = await service.operator('GET', '/application-requests?limit=100')
    const waiting = queue.items.find(({ id }: { id: string }) => id === asked.id)
    assert.deepEqual([waiting.partner_id, waiting.requested_permissions], [partner.id, { devices }])
    assert.deepEqual((await service.operator('GET', `/application-requests/${asked.id}`)).body.logo, logo)

    const approved = await approve(asked.id)
    assert.equal(approved.status, 201)
    assert.equal(approved.body.client_id, asked.id)
    assert.match(approved.body.client_secret, /^lbs_/)
    const { body: application } = await partner.call('GET', `/applications/${asked.id}`)
    const { client_secret, partner_id: _, ...registered } = approved.body
    assert.deepEqual(application, registered)
    assert.ok(!JSON.stringify(application).includes(client_secret), 'the secret is the operator’s to hand over')
    const { name, home_page, id_token_alg, requested_permissions } = application
    assert.deepEqual(
      { name, home_page, id_token_alg, requested_permissions },
      { ...{ name: asked.name, home_page: wish.home_page }, id_token_alg: 'ES256', requested_permissions: { devices } },
    )
    const shown = await service.app.inject({ url: application.logo })
    assert.equal(shown.rawPayload.toString('base64'), logo.data)
    assert.deepEqual((await partner.call('GET', '/application-requests')).body.items, [])
    assert.equal((await approve(asked.id)).status, 404)
    assert.deepEqual(await eventsOf(partner), [
      'application_request.requested api_key',
      'application.created operator',
      'application_request.approved operator',
    ])
  })

  it('refused with a reason, changed and asked again; an approval names the revision that was looked at', async () => {
    const partner = await newPartner(service)
    const { body: asked } = await ask(partner, { logo })
    const path = `/application-requests/${asked.id}`
    assert.equal((await refuse(asked.id, 2)).body.code, 'change_replaced')
    assert.equal((await refuse(asked.id)).status, 204)
    assert.equal((await approve(asked.id)).status, 404, 'it no longer waits')
    assert.equal((await partner.call('GET', path)).body.reason, 'Which product is this?')

    const { body: again } = await partner.call('PATCH', path, { requested_permissions: {} })
    assert.deepEqual([again.revision, again.refused_at, again.reason], [2, null, null])
    assert.deepEqual([again.name, again.logo, again.requested_permissions], [asked.name, logo, {}])
    const { body: same } = await partner.call('PATCH', path, { name: asked.name, logo, requested_permissions: {} })
    assert.equal(same.revision, 2, 'the same again: whoever looks at it may still approve it')
    const { body: count } = await service.operator('GET', '/waiting-requests')
    assert.equal((await approve(asked.id, 1)).body.code, 'change_replaced')
    assert.equal((await approve(asked.id, 2)).status, 201)
    const { body: left } = await service.operator('GET', '/waiting-requests')
    assert.deepEqual(left, { ...count, applications: count.applications - 1 })
  })

  it('withdrawn: it is gone; a refused one is put away without an event', async () => {
    const partner = await newPartner(service)
    const { body: one } = await ask(partner)
    const { body: two } = await ask(partner)
    await refuse(two.id)
    for (const { id } of [one, two]) {
      assert.equal((await partner.call('DELETE', `/application-requests/${id}`)).status, 204)
      assert.equal((await partner.call('DELETE', `/application-requests/${id}`)).status, 404)
    }
    assert.equal((await eventsOf(partner)).filter((event) => event.includes('withdrawn')).length, 1)
  })

  it('in a lab it waits too: a new secret is the operator’s', async () => {
    const partner = await newPartner(service)
    service.context.config.lab = true
    const { status, body } = await ask(partner)
    service.context.config.lab = false
    assert.deepEqual([status, body.refused_at], [201, null])
    assert.equal((await partner.call('GET', `/applications/${body.id}`)).status, 404)
  })

  it('what a registration refuses is refused at the request: 422', async () => {
    const partner = await newPartner(service)
    const wrong = [
      { redirect_uris: ['http://app.example.com/'] },
      { redirect_uris: [] },
      { home_page: 'http://app.example.com' },
      { name: 'Landbridge' },
      { name: '\u202eevil' },
      { logo: { type: 'image/png', data: 'AAAA' } },
      { id_token_alg: 'none' },
      { requested_permissions: { devices: { level: 'read' } } },
      { enabled: true },
    ]
    const { body: asked } = await ask(partner)
    for (const part of wrong) {
      assert.equal((await ask(partner, part)).status, 422, JSON.stringify(part))
      const changed = await partner.call('PATCH', `/application-requests/${asked.id}`, part)
      assert.equal(changed.status, 422, JSON.stringify(part))
    }
    assert.equal((await partner.call('GET', '/application-requests')).body.items.length, 1)
  })
})

describe('decision 6.53: attacks', () => {
  it('ten of a partner at most, refused ones included: 409 that says so', async () => {
    const partner = await newPartner(service)
    const all = await Promise.all(Array.from({ length: 12 }, () => ask(partner)))
    const refused = all.filter(({ status }) => status === 409)
    assert.deepEqual(
      refused.map(({ body }) => body.code),
      ['too_many_application_requests', 'too_many_application_requests'],
    )
  })

  it('names are judged when asked for and when approved, as the partner’s wish', async () => {
    const partner = await newPartner(service)
    const { body: asked } = await ask(partner, { name: 'Harbour Light' })
    const other = await newPartner(service, { name: 'Harbour Light' })
    assert.equal((await approve(asked.id)).body.code, 'name_confusable')
    assert.equal((await ask(partner, { name: 'Harbоur Light' })).body.code, 'name_confusable', other.id)
    const { body: queue } = await service.operator('GET', '/application-requests?limit=100')
    assert.ok(
      queue.items.some(({ id }: { id: string }) => id === asked.id),
      'it still waits, and can be refused',
    )
  })

  it('of two operators and a partner who withdraws or changes, one comes first: one application at most', async () => {
    for (let round = 0; round < 6; round += 1) {
      const partner = await newPartner(service)
      const { body: asked } = await ask(partner)
      const path = `/application-requests/${asked.id}`
      const rival = round % 2 === 0 ? partner.call('DELETE', path) : partner.call('PATCH', path, { name: nextName() })
      const [one, two, own] = await Promise.all([approve(asked.id), approve(asked.id, 1, second), rival])
      const approved = [one, two].filter(({ status }) => status === 201)
      const statuses = `${one.status} ${two.status} ${own.status}`
      assert.equal(approved.length + (own.status < 300 ? 1 : 0), 1, statuses)
      const [row] = await service.sql`
        select (select count(*)::int from applications where partner_id = ${partner.id}) as applications,
          (select count(*)::int from client_secrets where client_id = ${asked.id}) as secrets`
      assert.deepEqual({ ...row }, { applications: approved.length, secrets: approved.length }, statuses)
    }
  })

  it('another partner’s request is the same 404 as an unknown one', async () => {
    const [mine, theirs] = [await newPartner(service), await newPartner(service)]
    const { body } = await ask(theirs)
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const change = method === 'PATCH' ? { name: 'Stolen' } : undefined
      assert.equal((await mine.call(method, `/application-requests/${body.id}`, change)).status, 404)
    }
    assert.deepEqual((await mine.call('GET', '/application-requests')).body.items, [])
  })
})
