import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { statusEventsJob } from '../../server/src/devices/live/status-events.ts'
import { changeDevice, removeDevice } from '../../server/src/devices/registry/devices.ts'
import { announceExpiringKeysJob } from '../../server/src/directory/api-key-expiry.ts'
import { eventTypes } from '../../server/src/events/outbox.ts'
import { runJob } from '../../server/src/platform/jobs.ts'
import { createTenant } from '../support/api-world.ts'
import { walkToCode, walkToConsent } from '../support/consent.ts'
import { post, register, send } from '../support/devices.ts'
import { startHarness } from '../support/harness.ts'
import { type Document, fill, kindsOf, operationsOf } from './document.ts'

const service = await startHarness()
const { context, sql } = service
const operations = operationsOf((await service.app.inject({ url: '/openapi.json' })).json<Document>())
const tenant = await createTenant(service)
const { marker, device, credentials, customer_id } = tenant
const administrator = { kind: 'user', id: tenant.application.user_id } as const
await service.app.inject({
  method: 'PATCH',
  url: `/core/v1/partner/webhooks/${tenant.ids.partner.webhooks}`,
  headers: credentials.partner.partnerKey!,
  payload: { events: [...eventTypes] },
})

// Everything that happens at a customer and is reported to the partner.
await register(service, tenant.model)
await runJob(sql, statusEventsJob(context))
await send(service, device, { status: 'online', telemetries: {}, firmware_version: '2.0.0' })
const notes = { tags: [`${marker} tag`], note: `${marker} note` }
await changeDevice(context, administrator, { customer_id }, device.id, { name: `${marker} renamed`, ...notes })
const finished = { id: tenant.ids.partner.commands!, status: 'done' } as const
await context.reportCommand({ device_id: device.id }, finished)
await post(service, '/v1/devices/telemetry', {
  devices: [{ id: device.id, access_key: 'wrong', status: 'online', telemetries: {} }],
})
await service.app.inject({
  method: 'DELETE',
  url: `/core/v1/organization/connected-apps/${tenant.application.client_id}`,
  headers: credentials.organization.session!,
})
const asking = await walkToConsent(service, tenant.application, { email: `${marker}-bob@example.com` })
const request = /request=(lb[\w-]+)/.exec(asking.page.body)![1]!
await asking.browser.post('/consent/ask', { request, customer_id, note: `${marker} asks` })
await walkToCode(service, tenant.application, { customer_id })
await service.operator('PATCH', `/applications/${tenant.application.client_id}`, { enabled: false })
for (const api of ['organization', 'partner'] as const) {
  await service.app.inject({
    method: 'POST',
    url: `/core/v1/${api}/api-keys`,
    headers: credentials[api].session!,
    payload: {
      name: api === 'organization' ? `${marker} key` : 'Ours',
      expires_at: new Date(service.clock.now().getTime() + 86_400_000).toISOString(),
    },
  })
}
await runJob(sql, announceExpiringKeysJob(context))

/** The names of the customer's people, groups, spaces and devices, its own name, and the ids of all of these. */
const [space] = await sql`select space_id from devices where id = ${device.id}`
const secretsOfTheCustomer = [
  marker,
  tenant.ids.organization.users!,
  tenant.ids.organization.groups!,
  space!.space_id as string,
]

function assertSilent(text: string, where: string): void {
  for (const value of [...secretsOfTheCustomer, administrator.id]) {
    assert.ok(!text.includes(value), `${where} has ${value}: ${text.slice(0, 1_000)}`)
  }
}

const partnerReads = operations.filter(({ method, path }) => method === 'GET' && path.startsWith('/core/v1/partner/'))

describe('1.5 a customer’s users, groups, spaces and names never reach the partner', () => {
  it('they are there to be found: the customer reads all of them', async () => {
    assert.ok(partnerReads.length > 15, `${partnerReads.length} reads of the partner API`)
    const headers = credentials.organization.session!
    const read = async (path: string) =>
      (await service.app.inject({ url: `/core/v1/organization${path}`, headers })).body
    const all = (await Promise.all(['/users', '/groups', '/spaces', '/devices', '/info'].map(read))).join()
    for (const value of [...secretsOfTheCustomer, administrator.id]) assert.ok(all.includes(value), value)
  })

  for (const operation of partnerReads) {
    it(`GET ${operation.path}`, async () => {
      const values = kindsOf(operation.path).map(({ name, kind }) => [name, tenant.ids.partner[kind]!])
      const query = /\/(series|timelines)$/.test(operation.path) ? '?keys=temperature' : ''
      const response = await service.app.inject({
        url: fill(operation.path, Object.fromEntries(values)) + query,
        headers: credentials.partner.session!,
      })
      assert.equal(response.statusCode, 200, response.body)
      assertSilent(response.body, operation.path)
    })
  }

  it('webhooks: every type of event', async () => {
    await removeDevice(context, administrator, { customer_id }, device.id)
    const rows = await sql<{ type: string; payload: string }[]>`select type, payload from webhook_deliveries`
    const types = new Set(rows.map(({ type }) => type))
    for (const type of eventTypes) assert.ok(types.has(type), type)
    for (const { type, payload } of rows) assertSilent(payload, type)
  })

  it('replies to devices', async () => {
    const reply = await send(service, device, { status: 'online', telemetries: {} })
    assert.equal(reply.status, 410)
    assertSilent(JSON.stringify(reply.body), 'telemetry')
    const mass = await post(service, '/v1/devices/telemetry', {
      devices: [{ ...device, hub_url: undefined, status: 'online', telemetries: {} }],
    })
    assertSilent(JSON.stringify(mass.body), 'mass telemetry')
  })

  it('the integration log and the audit events, as they are kept for partners', async () => {
    await context.integrationLog.flush()
    const rows = await sql<{ row: string }[]>`select row_to_json(f)::text as row from integration_failures f`
    assert.ok(rows.length > 0)
    for (const { row } of rows) assertSilent(row, 'integration log')
    const { body } = await service.app.inject({
      url: '/core/v1/partner/audit-events?limit=100',
      headers: credentials.partner.partnerKey!,
    })
    assert.match(body, /device\.removed/)
    assertSilent(body, 'audit events')
  })
})
