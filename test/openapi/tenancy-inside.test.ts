// tenancy.test.ts tries another tenant's ids in every path; this one tries them in every body and query.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'
import { createTenant, type Tenant } from '../support/api-world.ts'
import { register, registration } from '../support/devices.ts'
import { startHarness, type TestResponse, toTestResponse } from '../support/harness.ts'
import { type Document, fill, kindsOf, type Operation, operationsOf, sessionOnly, streams } from './document.ts'
import { holding, type IdField, idFieldsOf } from './named-ids.ts'

const service = await startHarness()
const operations = operationsOf((await service.app.inject({ url: '/openapi.json' })).json<Document>())
const mine = await createTenant(service)
const theirs = await createTenant(service)

/** A device of each that is not needed afterwards. */
const expendable = new Map<Tenant, string>()
for (const tenant of [mine, theirs]) {
  const { statusCode, body } = await service.app.inject({
    method: 'POST',
    url: '/core/v1/organization/devices/claim',
    headers: tenant.credentials.organization.session!,
    payload: { ...tenant.unclaimed, model_id: tenant.model.id },
  })
  assert.equal(statusCode, 201, body)
  expendable.set(tenant, JSON.parse(body).id)
}

const apis = ['organization', 'partner'] as const
type Api = (typeof apis)[number]

/** What a field of this name means, of one tenant. */
const meanings: Record<string, (tenant: Tenant) => string> = {
  space_id: ({ ids }) => ids.organization.spaces!,
  within: ({ ids }) => ids.organization.spaces!,
  parent_id: ({ ids }) => ids.organization.parents!,
  group_id: ({ ids }) => ids.organization.groups!,
  groups: ({ ids }) => ids.organization.groups!,
  model_id: ({ model }) => model.id,
  device_id: ({ device }) => device.id,
  device_ids: (tenant) => expendable.get(tenant)!,
  // Of a line in a list of changes.
  id: ({ device }) => device.id,
  application_id: ({ application }) => application.client_id,
  user_id: ({ ids }) => ids.organization.users!,
  client_id: ({ application }) => application.client_id,
  api_key_id: ({ ids }) => ids.organization['api-keys']!,
  actor_id: ({ ids }) => ids.organization.users!,
  batch_id: ({ batch_id }) => batch_id,
}

/** Names that look like one of a tenant's things and are none. Each needs its reason. */
const free: Record<string, string> = {
  customer_id: 'whom a session means is judged by authentication: organization/authenticate-organization.test.ts',
  request_id: 'no thing; it narrows the partner’s own log',
}

/** A saved query is judged when a list is asked for it, which is tried by itself. */
const isSavedQuery = ({ way }: IdField) => way[0] === 'query' && way.length > 1

/** Where the response is not 404, it is the one that every failure there has. */
const otherwise: Record<string, (field: string) => [number, string]> = {
  '/core/v1/organization/devices/claim': () => [422, 'claim_failed'],
  '/core/v1/organization/devices/change-list': (field) => [200, field === 'space_id' ? 'unknown_space' : 'not_found'],
  '/core/v1/organization/connected-apps/{client_id}': (field) =>
    field === 'within' ? [422, 'invalid'] : [404, 'not_found'],
  '/core/v1/organization/users/{id}/roles': () => [422, 'invalid'],
  '/core/v1/organization/groups/{id}/roles': () => [422, 'invalid'],
  '/core/v1/organization/api-keys': () => [422, 'invalid'],
  '/core/v1/organization/api-keys/{id}': () => [422, 'invalid'],
  '/core/v1/organization/devices/remove-list': () => [200, 'not_found'],
  '/core/v1/organization/devices/settings': () => [200, 'not_found'],
  '/core/v1/organization/devices/commands': () => [202, 'not_found'],
  '/core/v1/organization/setting-templates/{id}/apply': () => [200, 'not_found'],
  '/core/v1/organization/devices/claim-list': (field) => [200, field === 'space_id' ? 'unknown_space' : 'claim_failed'],
}

/** Of a call with one line, that of the line. */
const codeOf = ({ body }: TestResponse): string | undefined =>
  body.code ?? body.results?.[0].outcome ?? body.results?.[0].code

/** Everything of mine, but for the one id. A claim needs a device that nobody has claimed. */
async function call(
  api: Api,
  operation: Operation,
  credential: string,
  field: IdField,
  id: string,
): Promise<TestResponse> {
  const kinds = kindsOf(operation.path).map(({ name, kind }) => [name, mine.ids[api][kind]!])
  const query = field.in === 'query' ? `?${field.name}=${id}` : ''
  const spare = registration(mine.model) as { mac: string; sn: string }
  const fieldsOfBody = operation.body?.schema.properties ?? {}
  if ('mac' in { ...fieldsOfBody, ...fieldsOfBody.devices?.items?.properties })
    await register(service, mine.model, spare)
  // There is one for each model and space.
  if (operation.path.includes('/setting-templates')) {
    await service.sql`
      delete from setting_templates
      where customer_id = ${mine.customer_id} and id <> ${mine.ids.organization['setting-templates']!}`
  }
  const fresh = newId()
  const hints = {
    mac: [spare.mac],
    sn: [spare.sn],
    model_id: [mine.model.id],
    // Only what the model declares can be sent.
    name: [operation.path.endsWith('/commands') ? 'reboot' : fresh],
    parameters: [{} as unknown as string],
    email: [`${fresh}@example.com`],
    // Of the other fields of a line in a list of changes.
    id: [mine.device.id],
    // A token or an API key invites no administrator: tenancy-reach.test.ts.
    role: ['member'],
    // Of a template.
    values: [{ temperature: 20 } as unknown as string],
  }
  const payload = field.in === 'body' ? holding(operation.body!.schema, field.way, id, { ids: [id], hints }) : undefined
  const response = await service.app.inject({
    method: operation.method,
    url: fill(operation.path, Object.fromEntries(kinds)) + query,
    headers: mine.credentials[api][credential]!,
    ...(payload === undefined ? {} : { payload: payload as object }),
  })
  return toTestResponse(response)
}

/** An export has no lines; a CSV has the one with its names. */
function isNothing(path: string, body: unknown): boolean {
  if (path.endsWith('.csv')) return /^\ufeff(id,at,type|name,status),[\w,]+\r\n$/.test(String(body))
  if (path.endsWith('/total')) return isDeepStrictEqual(body, { total: 0, more: false })
  if (path.endsWith('.jsonl')) return body === ''
  if (path.endsWith('/commands/counts')) return Object.values(body as object).every((count) => count === 0)
  return isDeepStrictEqual(body, { items: [], next: null, ...(path.endsWith('/audit-events') ? { names: {} } : {}) })
}

for (const api of apis) {
  const fields = operations
    .filter(({ path }) => path.startsWith(`/core/v1/${api}/`))
    .flatMap((operation) => idFieldsOf(operation).map((field) => ({ operation, field })))
    .filter(({ field }) => !(field.name in free) && !isSavedQuery(field))

  describe(`${api} API: another tenant's ids in bodies and queries`, () => {
    it('there are some to try', () => assert.ok(fields.length >= 3))

    for (const { operation, field } of fields) {
      const { method, path } = operation
      const reads = method === 'GET' || path.endsWith('.csv')
      it(`${method} ${path} ${field.in} ${field.way.join('.')} → the response that an unknown id gets`, async () => {
        // Whoever is removed cannot be changed afterwards.
        const isRemoval = path.endsWith('/remove-list')
        const meaning = meanings[field.name === 'device_ids' && !isRemoval ? 'device_id' : field.name]
        assert.ok(meaning, `say what ${field.name} names, or why it is free`)
        for (const credential of Object.keys(mine.credentials[api])) {
          const theirId = meaning(theirs)
          const foreign = await call(api, operation, credential, field, theirId)
          if (credential !== 'session' && foreign.status === 403) {
            assert.ok(sessionOnly(operation), 'a 403 that is not documented')
            continue
          }
          const unknownId = newId()
          const unknown = await call(api, operation, credential, field, unknownId)
          // A result may name the device that it is about, and each batch has its own id.
          const without = (body: unknown, id: string) =>
            JSON.stringify(body)
              ?.replaceAll(id, '…')
              .replace(/"batch_id":"[^"]+"/, '"batch_id":"…"')
          assert.deepEqual(
            [foreign.status, without(foreign.body, theirId)],
            [unknown.status, without(unknown.body, unknownId)],
          )
          // A filter that fits nothing finds nothing.
          if (reads && foreign.status === 200) assert.ok(isNothing(path, foreign.body), String(foreign.body))
          else {
            const expected = otherwise[path]?.(field.name) ?? [404, 'not_found']
            assert.deepEqual([foreign.status, codeOf(foreign)], expected)
          }
          if (streams(operation)) continue
          const own = await call(api, operation, credential, field, meaning(mine))
          const succeeded = own.status < 300 && (reads || codeOf(own) !== codeOf(foreign))
          assert.ok(succeeded, `nothing but the id was at fault: ${own.status} ${JSON.stringify(own.body)}`)
        }
      })
    }
  })
}
