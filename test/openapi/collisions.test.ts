// Two at once, on every change and every creation that the OpenAPI document knows.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'
import { askForApplication, askForNewLook, createTenant, type Tenant } from '../support/api-world.ts'
import { nextAddress } from '../support/applications.ts'
import { loseFactors } from '../support/factors.ts'
import { startHarness } from '../support/harness.ts'
import { type Document, type Operation, operationsOf } from './document.ts'
import { poolOf, soundRequestOf } from './requests.ts'

// A mail server that is away: a test mail is stored all the same.
const mail = { LANDBRIDGE_MAIL_URL: 'smtp://127.0.0.1:1', LANDBRIDGE_MAIL_FROM: 'no-reply@example.com' }
const service = await startHarness(mail)
const operations = operationsOf((await service.app.inject({ url: '/openapi.json' })).json<Document>())
const tenant = await createTenant(service)
const apis = operations.filter(({ path }) => /^\/core\/v1\/(organization|partner|operator)\//.test(path))
// Settings have versions of their own: `base_version`, which the device uses too.
const changing = apis.filter(({ method, path }) => method === 'PATCH' && !path.endsWith('/settings'))
// An export changes nothing; what is removed is missing for the others, so that goes last.
const removes = ({ path }: Operation) => path.endsWith('/remove-list')
const creating = apis
  .filter(({ method, path }) => method === 'POST' && !path.endsWith('.csv'))
  .toSorted((a, b) => Number(removes(a)) - Number(removes(b)))

it('there are changes and creations to try', () => {
  assert.ok(changing.length > 8, `${changing.length} changes`)
  assert.ok(creating.length > 20, `${creating.length} creations`)
})

function takes(header: string, { parameters }: Operation): boolean {
  return parameters.some((parameter) => parameter.in === 'header' && parameter.name === header)
}

/** A change that nobody made before, for each kind of thing. */
const changes: Record<string, () => object> = {
  'operator/users': () => ({ active: false }),
  'organization/users': () => ({ groups: [] }),
  'connected-apps': () => ({ policy: { kind: 'administrators' } }),
  'second-factor-policy': () => ({ policy: 'administrators' }),
  'setting-templates': () => ({ values: { mode: newId() } }),
  webhooks: () => ({ description: newId() }),
}
const rename = () => ({ name: newId() })

function changeOf({ path }: Operation): object {
  const [, , , api, ...rest] = path.split('/').filter((part) => !part.startsWith('{'))
  const kind = rest.at(-1)!
  const change = changes[`${api}/${kind}`] ?? changes[kind] ?? rename
  return change()
}

describe('If-Match: of several changes based on one version exactly one passes', () => {
  for (const operation of changing) {
    it(`PATCH ${operation.path}`, async () => {
      assert.ok(takes('if-match', operation), 'two people may collide here')
      const { url, headers } = fc.sample(soundRequestOf(operation, tenant, poolOf(tenant)), { numRuns: 1, seed: 1 })[0]!
      const read = await service.app.inject({ url, headers })
      assert.equal(read.statusCode, 200)
      const guarded = { ...headers, 'if-match': String(read.headers.etag) }
      const responses = await Promise.all(
        [1, 2, 3, 4].map(() =>
          service.app.inject({ method: 'PATCH', url, headers: guarded, payload: changeOf(operation) }),
        ),
      )
      const statuses = responses.map(({ statusCode }) => statusCode).toSorted()
      assert.deepEqual(statuses, [200, 412, 412, 412], responses.map(({ body }) => body).join('\n'))
    })
  }
})

function declaredCommand(url: string, { device }: Tenant): string {
  const many = url.endsWith('/devices/commands') ? { device_ids: [device.id] } : {}
  return JSON.stringify({ ...many, name: 'reboot' })
}

describe('Idempotency-Key: an action and the record that it was carried out are one transaction', () => {
  for (const operation of creating) {
    it(`POST ${operation.path}`, async () => {
      assert.ok(takes('idempotency-key', operation), 'every creating call has it')
      const key = newId()
      const sent = fc.sample(soundRequestOf(operation, tenant, poolOf(tenant)), { numRuns: 20, seed: 3 })
      for (const { url, headers, payload } of sent) {
        await service.sql`delete from idempotency_keys`
        // A request for an approval is decided once, and an earlier operation did.
        await service.sql`update approval_requests set outcome = null, decided_at = null`
        const { customer_id } = tenant
        if (url.includes('/second-factor-reset'))
          await loseFactors(service, tenant.ids.organization.users!, url.endsWith('/confirm') ? { customer_id } : null)
        const isReview = /\/(presentation-changes|application-requests)\//.test(url)
        const { 'presentation-changes': look, 'application-requests': wish } = tenant.ids.operator
        const { partner_id } = tenant
        if (isReview) await askForNewLook(service, { id: look!, partner_id, ...tenant.wanted })
        if (isReview) await askForApplication(service, { id: wish!, partner_id })
        const decided = isReview ? payload?.replace(/"revision":\d+/, '"revision":1') : payload
        // Only what the model declares is taken.
        const body = url.endsWith('/commands') ? declaredCommand(url, tenant) : decided
        const call = () =>
          service.app.inject({
            method: 'POST',
            url,
            headers: { ...headers, 'idempotency-key': key },
            remoteAddress: nextAddress(),
            ...(body === undefined ? {} : { payload: body }),
          })
        const first = await call()
        if (first.statusCode >= 300) continue
        const [row] = await service.sql`select carried_out from idempotency_keys`
        assert.equal(row!.carried_out, true, 'after a crash before the response it would be done twice')
        const again = await call()
        assert.deepEqual([again.statusCode, again.body], [first.statusCode, first.body])
        assert.equal(again.headers['idempotency-replayed'], 'true')
        return
      }
      assert.fail('none of the samples was taken')
    })
  }
})
