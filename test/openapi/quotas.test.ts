// Every call that can create something has a quota or a reason, and no two processes pass one together.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fastify from 'fastify'
import { requireDeclaredQuotas } from '../../server/src/platform/declared-quotas.ts'
import type { App } from '../../server/src/platform/http/app.ts'
import { defaultQuotas, type QuotaName } from '../../server/src/platform/own-limits.ts'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'
import { askForApplication, createTenant, operatorHeaders, type Tenant } from '../support/api-world.ts'
import { password } from '../support/applications.ts'
import { startHarness } from '../support/harness.ts'
import { until } from '../support/until.ts'
import { type Document, operationsOf } from './document.ts'

const quotas: Record<QuotaName, number> = {
  groups: 4,
  spaces: 8,
  levels: 3,
  users: 8,
  views: 4,
  setting_templates: 3,
  api_keys: 6,
  models: 4,
  applications: 5,
  application_requests: 4,
  webhooks: 4,
  members: 7,
  hardware_keys: 5,
}
const text = Object.entries(quotas).map(([name, max]) => `${name}=${max}`)
const service = await startHarness({ LANDBRIDGE_QUOTAS: text.join() })
const second = await startHarness({ LANDBRIDGE_QUOTAS: text.join() }, { beside: service })
const operations = operationsOf((await service.app.inject({ url: '/openapi.json' })).json<Document>())

/** How many there are, as the database says. */
const counts: Record<
  Exclude<QuotaName, 'levels'>,
  (tenant: Tenant, api: string) => PromiseLike<{ count: number }[]>
> = {
  groups: ({ customer_id }) =>
    service.sql`select count(*)::int as count from groups where customer_id = ${customer_id}`,
  spaces: ({ customer_id }) =>
    service.sql`select count(*)::int as count from spaces where customer_id = ${customer_id}`,
  users: ({ customer_id }) => service.sql`
    select ((select count(*) from memberships where customer_id = ${customer_id}) + (select count(*) from one_time_links
      where customer_id = ${customer_id} and purpose = 'invitation' and used_at is null))::int as count`,
  views: ({ customer_id }) =>
    service.sql`select count(*)::int as count from device_views where customer_id = ${customer_id}`,
  setting_templates: ({ customer_id }) =>
    service.sql`select count(*)::int as count from setting_templates where customer_id = ${customer_id}`,
  api_keys: ({ customer_id, partner_id }, api) => service.sql`
    select count(*)::int as count from api_keys where revoked_at is null
      and ${api === 'partner' ? service.sql`partner_id = ${partner_id}` : service.sql`customer_id = ${customer_id}`}`,
  models: ({ partner_id }) => service.sql`select count(*)::int as count from models where partner_id = ${partner_id}`,
  applications: ({ partner_id }) =>
    service.sql`select count(*)::int as count from applications where partner_id = ${partner_id}`,
  application_requests: ({ partner_id }) =>
    service.sql`select count(*)::int as count from application_requests where partner_id = ${partner_id}`,
  webhooks: ({ partner_id }) =>
    service.sql`select count(*)::int as count from webhook_endpoints where partner_id = ${partner_id}`,
  members: ({ partner_id }) => service.sql`
    select ((select count(*) from partner_members where partner_id = ${partner_id}) + (select count(*) from one_time_links
      where partner_id = ${partner_id} and purpose = 'invitation' and used_at is null))::int as count`,
  hardware_keys: ({ model }) =>
    service.sql`select count(*)::int as count from hardware_keys where model_id = ${model.id}`,
}

/** A body that creates one more; by operation and quota, in the words of the document. */
const bodies: Record<string, (n: number) => object | undefined> = {
  'POST /organization/groups: groups': (n) => ({ name: `Group ${n}` }),
  'POST /operator/customers/{id}/groups: groups': (n) => ({ name: `Group ${n}` }),
  'POST /operator/customers/{id}/users: groups': (n) => ({ ...person(n), groups: [`Group ${n}`] }),
  'POST /operator/customers/{id}/users: users': person,
  'POST /organization/invitations: users': (n) => ({ email: `guest-${n}@example.com`, role: 'member' }),
  'POST /operator/customers/{id}/invitations: users': (n) => ({ email: `guest-${n}@example.com`, role: 'member' }),
  'POST /organization/spaces: spaces': (n) => ({ name: `Space ${n}` }),
  'POST /organization/spaces/find-or-create: spaces': (n) => ({ path: [`Space ${n}`] }),
  'POST /organization/spaces/import: spaces': (n) => ({ paths: [[`Space ${n}`]] }),
  'POST /organization/device-views: views': (n) => ({ name: `View ${n}`, query: {} }),
  'POST /organization/setting-templates: setting_templates': () => ({ values: { mode: 'heat' } }),
  'POST /organization/api-keys: api_keys': (n) => ({ name: `Key ${n}` }),
  'POST /partner/api-keys: api_keys': (n) => ({ name: `Key ${n}` }),
  'POST /partner/models: models': (n) => ({ name: `Model ${n}`, authentication_method: 'MAC & Serial Number' }),
  'POST /partner/models/{id}/hardware-keys: hardware_keys': () => undefined,
  'POST /partner/webhooks: webhooks': (n) => ({ url: `https://example.com/${n}`, events: ['device.claimed'] }),
  'POST /partner/invitations: members': (n) => ({ email: `guest-${n}@example.com` }),
  'POST /operator/partners/{id}/invitations: members': (n) => ({ email: `guest-${n}@example.com` }),
  'POST /partner/application-requests: application_requests': (n) => ({
    name: `Application ${n}`,
    redirect_uris: ['https://app.example.com/callback'],
  }),
  'POST /operator/application-requests/{id}/approve: applications': () => ({ revision: 1 }),
  'POST /operator/partners/{id}/applications: applications': (n) => ({
    name: `Application ${n}`,
    redirect_uris: ['https://app.example.com/callback'],
  }),
}

/** There is one template for each model and space. */
async function placed({ customer_id, model }: Tenant, body: object): Promise<object> {
  const id = newId()
  await service.sql`insert into spaces (id, customer_id, name, created_at) values (${id}, ${customer_id}, ${id}, now())`
  return { ...body, model_id: model.id, space_id: id }
}

function person(n: number): object {
  return { name: `Person ${n}`, email: `person-${n}@example.com`, password, role: 'member' }
}

const codes = new Map(Object.keys(defaultQuotas).map((name) => [`too_many_${name}`, name as QuotaName]))
const limited = operations.flatMap(({ method, path, responses }) =>
  ((responses['409']?.schema?.properties?.code?.enum ?? []) as string[]).flatMap((code) => {
    const quota = codes.get(code)
    return quota ? [{ method, path, quota, name: `${method} ${path.replace('/core/v1', '')}: ${quota}` }] : []
  }),
)

let unique = 0

describe('decision 10.24: what a tenant can create has a quota', () => {
  it('a route that could create something and declares neither a quota nor a reason stops the start', () => {
    const app = fastify() as unknown as App
    requireDeclaredQuotas(app)
    assert.throws(() => app.post('/things', () => {}), /POST \/things must declare `creates`/)
    assert.throws(() => app.put('/things/:id', () => {}), /must declare `creates`/)
    app.post('/reasons', { config: { creates: { unlimited: 'for a test' } } } as object, () => {})
    app.get('/things', () => {})
  })

  it('each quota is named by an operation', () => {
    assert.deepEqual([...new Set(limited.map(({ quota }) => quota))].toSorted(), Object.keys(quotas).toSorted())
  })

  for (const { path, quota, name } of limited) {
    // A rotation needs room only for a key that has expired: api-key-lifetime.test.ts.
    if (quota === 'levels' || path.endsWith('/rotate')) continue
    it(`${name}: of many at once on two processes, exactly as many pass as there is room for`, async () => {
      const bodyOf = bodies[name]
      assert.ok(bodyOf, 'add a body to the table of this test')
      const tenant = await createTenant(service)
      const api = path.split('/')[3] as 'organization' | 'partner' | 'operator'
      const headers = api === 'operator' ? operatorHeaders : tenant.credentials[api].session!
      const kind = path.split('/')[4] as string
      // Each request is approved once, so that each call needs one of its own.
      const idOf = async () => {
        if (!path.includes('/application-requests/')) return tenant.ids[api][kind] ?? ''
        const id = newId()
        await askForApplication(service, { id, partner_id: tenant.partner_id })
        return id
      }
      const replies = await Promise.all(
        Array.from({ length: 10 }, async (_, n) => {
          unique += 1
          const body = quota === 'setting_templates' ? await placed(tenant, bodyOf(unique)!) : bodyOf(unique)
          const url = path.replace('{id}', await idOf())
          const { app } = n % 2 === 0 ? service : second
          const response = await app.inject({ method: 'POST', url, headers, ...(body ? { payload: body } : {}) })
          return { status: response.statusCode, body: response.json() }
        }),
      )
      const refused = replies.filter(({ status }) => status >= 300)
      assert.ok(refused.length > 0 && refused.length < 10, JSON.stringify(replies))
      for (const { status, body } of refused) {
        assert.equal(status, 409)
        assert.equal(body.code, `too_many_${quota}`)
        assert.match(body.error, new RegExp(`at most ${quotas[quota]} .*\\. .*ask the operator for more\\.$`))
      }
      assert.equal((await counts[quota](tenant, api))[0]!.count, quotas[quota])
    })
  }
})

describe('decision 10.24: levels of spaces', () => {
  it('no space stands deeper: created, found or created, imported or moved', async () => {
    const { credentials } = await createTenant(service)
    const headers = credentials.organization.apiKey!
    const call = async (method: 'POST' | 'PATCH', path: string, payload: object) => {
      const response = await service.app.inject({
        method,
        url: `/core/v1/organization/spaces${path}`,
        headers,
        payload,
      })
      return { status: response.statusCode, body: response.json() }
    }
    const isTooDeep = ({ status, body }: { status: number; body: { code?: string } }) => {
      assert.deepEqual([status, body.code], [409, 'too_many_levels'])
    }
    const deep = await call('POST', '/find-or-create', { path: ['A', 'B', 'C'] })
    assert.equal(deep.status, 201)
    isTooDeep(await call('POST', '', { name: 'D', parent_id: deep.body.id }))
    isTooDeep(await call('POST', '/find-or-create', { path: ['A', 'B', 'C', 'D'] }))
    isTooDeep(
      await call('POST', '/import', {
        paths: [
          ['A', 'B'],
          ['A', 'B', 'C', 'D'],
        ],
      }),
    )
    assert.equal((await call('POST', '/import', { paths: [['A', 'B', 'C']] })).status, 200)
    const pair = await call('POST', '/find-or-create', { path: ['E', 'F'] })
    isTooDeep(await call('PATCH', `/${pair.body.parent_id}`, { parent_id: deep.body.parent_id }))
    assert.equal((await call('PATCH', `/${pair.body.id}`, { parent_id: deep.body.parent_id })).status, 200)
  })
})

describe('decision 10.25: reached limits are recorded', () => {
  it('a quota that is near, then refused, has one row, and the metric counts it', async () => {
    const { credentials, customer_id } = await createTenant(service)
    const row = async () =>
      (
        await service.sql`
        select used, max, refused_at, refusals from limits_reached where tenant_id = ${customer_id} and name = 'groups'`
      )[0]
    const create = async (n: number) => {
      const [url, headers] = ['/core/v1/organization/groups', credentials.organization.apiKey!]
      const payload = { name: `Recorded ${n}` }
      return (await service.app.inject({ method: 'POST', url, headers, payload })).statusCode
    }
    for (const n of [1, 2, 3]) assert.equal(await create(n), 201)
    assert.deepEqual(await row(), { used: 4, max: 4, refused_at: null, refusals: 0 })
    for (const n of [4, 5]) assert.equal(await create(n), 409)
    await until(async () => (await row())?.refusals === 2)
    assert.deepEqual(await row(), { used: 4, max: 4, refused_at: service.clock.now(), refusals: 2 })
    const metrics = await service.context.metrics.registry.metrics()
    assert.match(metrics, /landbridge_limited_calls_total\{limit="groups"\} [1-9]/)
    assert.match(metrics, /landbridge_limited_calls_total\{limit="partner"\} 0/)
  })
})
