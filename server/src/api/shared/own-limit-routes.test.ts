import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTenant } from '../../../../test/support/api-world.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { until } from '../../../../test/support/until.ts'
import { runJob } from '../../platform/jobs.ts'
import { deleteOldReachedJob } from '../../platform/limits-reached.ts'

const service = await startHarness({
  LANDBRIDGE_RATES: 'organization=500,partner=500,credential=100',
  LANDBRIDGE_QUOTAS: 'groups=2,hardware_keys=7',
})
const { sql, context, clock } = service

interface Used {
  name: string
  used: number | null
  max: number
  refused_at: string | null
}

describe('decision 10.25: rates and quotas are shown', () => {
  it('to a tenant: its own, with what is used and when calls were refused', async () => {
    const { credentials, marker } = await createTenant(service)
    const other = await createTenant(service)
    clock.forward(60)
    const headers = credentials.organization.apiKey!
    const call = (method: 'GET' | 'POST', path: string, payload?: object) =>
      service.app.inject({ method, url: `/core/v1/organization${path}`, headers, ...(payload ? { payload } : {}) })
    for (const name of ['a', 'b']) await call('POST', '/groups', { name: `${marker} ${name}` })
    await until(async () => (await sql`select from limits_reached where refused_at is not null`).length === 1)
    const { rates, quotas } = (await call('GET', '/limits')).json<{ rates: Used[]; quotas: Used[] }>()
    assert.deepEqual(
      rates.map(({ name, max }) => [name, max]),
      [
        ['organization', 500],
        ['credential', 100],
      ],
    )
    assert.deepEqual(
      quotas.map(({ name, used, max }) => [name, used, max]),
      [
        ['users', 4, 10_000],
        ['groups', 2, 2],
        ['spaces', 2, 20_000],
        ['levels', null, 32],
        ['views', 1, 50],
        ['setting_templates', 1, 200],
        ['api_keys', 2, 100],
      ],
    )
    assert.equal(quotas.find(({ name }) => name === 'groups')!.refused_at, clock.now().toISOString())
    const url = '/core/v1/organization/limits'
    const theirs = await service.app.inject({ url, headers: other.credentials.organization.apiKey! })
    assert.ok(theirs.json().quotas.every(({ refused_at }: Used) => refused_at === null))
    const partners = await service.app.inject({
      url: '/core/v1/partner/limits',
      headers: credentials.partner.partnerKey!,
    })
    assert.deepEqual(
      partners.json().quotas.map(({ name, used, max }: Used) => [name, used, max]),
      [
        ['applications', 2, 100],
        ['application_requests', 1, 10],
        ['models', 1, 500],
        ['hardware_keys', null, 7],
        ['webhooks', 1, 20],
        ['members', 3, 500],
        ['api_keys', 2, 100],
      ],
    )
  })

  it('the calls of a minute are shown to a hundredth', async () => {
    const { credentials } = await createTenant(service)
    clock.forward(60)
    const headers = credentials.organization.apiKey!
    const get = (path: string) => service.app.inject({ url: `/core/v1/organization${path}`, headers })
    for (let n = 0; n < 60; n += 1) await get('/info')
    const [shared, own] = (await get('/limits')).json().rates
    assert.ok(shared.used >= 56 && shared.used <= 100, `${shared.used}`)
    assert.ok(own.used >= 60 && own.used <= 70, `${own.used}`)
  })

  it('to the operator: who is near or was refused, by name, the newest first', async () => {
    const { credentials, customer_id, marker, application } = await createTenant(service)
    clock.forward(60)
    const headers = credentials.organization.bearer!
    for (let n = 0; n < 101; n += 1) await service.app.inject({ url: '/core/v1/organization/info', headers })
    const rows = async () =>
      await sql`select from limits_reached where tenant_id = ${customer_id} and refused_at is not null`
    await until(async () => (await rows()).length === 1)
    const { body } = await service.operator('GET', '/limits/reached')
    assert.deepEqual(body.items[0], {
      tenant: { kind: 'customer', id: customer_id, name: `${marker} Ltd` },
      name: 'credential',
      what: 'Calls of one application, API key or person',
      used: 100,
      max: 100,
      caller: { id: application.client_id, name: 'Dashboard' },
      reached_at: clock.now().toISOString(),
      refused_at: clock.now().toISOString(),
      refusals: 1,
    })
    const limits = await service.operator('GET', '/limits')
    const quota = limits.body.quotas.find(({ name }: { name: string }) => name === 'groups')
    assert.deepEqual(quota, { name: 'groups', what: 'Groups', per: 'organization', max: 2 })
    const rate = limits.body.items.find(({ per }: { per: string }) => per === 'organization')
    assert.equal(rate.max, 500)
  })

  it('a row is deleted after 30 days', async () => {
    assert.ok((await sql`select from limits_reached`).length > 0)
    const now = () => new Date(Date.now() + 31 * 86_400_000)
    await sql`update limits_reached set reached_at = now() - interval '31 days'`
    await runJob(sql, deleteOldReachedJob({ sql: context.sql, now }))
    assert.equal((await sql`select from limits_reached`).length, 0)
  })
})
