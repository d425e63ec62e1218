import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { createTenant, operatorHeaders, type Tenant } from '../support/api-world.ts'
import { loseFactors } from '../support/factors.ts'
import { startHarness } from '../support/harness.ts'
import { startMailServer } from '../support/mail-server.ts'
import { type Document, fill, type Operation, operationsOf, sessionOnly, withoutReferences } from './document.ts'
import { idsOf, poolOf } from './requests.ts'

const mails = await startMailServer()
const service = await startHarness({ LANDBRIDGE_MAIL_URL: mails.url, LANDBRIDGE_MAIL_FROM: 'no-reply@example.com' })
const document = (await service.app.inject({ url: '/openapi.json' })).json<Document>()
const operations = operationsOf(document)
/** One per API, and one for changes: an example must not meet what another has taken or removed. */
const tenants: Record<string, Tenant> = {
  organization: await createTenant(service),
  partner: await createTenant(service),
  operator: await createTenant(service),
  changes: await createTenant(service),
}
const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)

/** Their parameters come from a browser or an earlier step; the conformance tests of real clients cover them. */
const withSteps =
  /^(oauth\.(token|revoke|authorize|authorizeByPost)|devices\.stream|session\.get|health\.ready|metrics\.get)$/

describe('examples of the OpenAPI document, sent to the running service', () => {
  // What deletes comes last, and the registration before the claim of the same device.
  const inOrder = [...operations].sort((one, other) => stepOf(one) - stepOf(other))
  for (const operation of inOrder) {
    if (withSteps.test(operation.id)) continue
    const tenant = tenantOf(operation)
    it(`${operation.id}: the example succeeds, and what comes back is as documented`, async () => {
      // Only a cell whose processes have stopped can be removed.
      if (operation.id === 'operator.hubCells.delete') await service.sql`update hub_cells set seen_at = '2026-01-01'`
      if (operation.path.includes('/second-factor-reset')) await prepareReset(operation, tenant)
      const example = exampleOf(operation)
      const url = fill(operation.path, idsOf(operation, tenant)) + queryOf(operation, tenant)
      const response = await service.app.inject({
        method: operation.method,
        url,
        headers: credentialOf(operation, tenant),
        ...(example === undefined ? {} : { payload: payloadOf(operation, example, tenant) }),
      })
      assert.ok(response.statusCode < 300, `${operation.method} ${url}: ${response.statusCode} ${response.body}`)
      const documented = operation.responses[response.statusCode]
      assert.ok(documented, `${response.statusCode} is documented`)
      if (!documented.schema) return
      validate(documented.schema, response.json())
      // Of a delivery also the event itself.
      const { contentSchema } = documented.schema.properties?.payload ?? {}
      if (contentSchema) validate(contentSchema, JSON.parse(response.json().payload))
    })
  }

  it('what a webhook and MQTT carry: each example of the AsyncAPI document fits its schema', async () => {
    const written = (await service.app.inject({ url: '/asyncapi.json' })).json()
    const asyncapi = withoutReferences(written, written)
    const messages = Object.values<{ payload: object; examples: { payload: unknown }[] }>(asyncapi.components.messages)
    assert.equal(messages.length, Object.keys(document.webhooks).length + 7)
    for (const { payload, examples } of messages) validate(payload, examples[0]!.payload)
    assert.match(asyncapi.servers.mqtt.host, /^[^/]+:\d+$/)
    assert.ok(asyncapi.operations.receiveTelemetry['x-reason-codes'].length > 20)
  })
})

async function prepareReset({ path, method }: Operation, { ids, customer_id }: Tenant): Promise<void> {
  const api = path.startsWith('/core/v1/operator/') ? 'operator' : 'organization'
  const waits = method === 'DELETE' || path.endsWith('/confirm')
  const asked = { customer_id: api === 'operator' ? null : customer_id }
  await loseFactors(service, ids[api].users!, waits ? asked : null)
}

/** A request is decided once: one tenant approves, another declines. */
function tenantOf({ id, path, method }: Operation): Tenant {
  const api = (['partner', 'operator'] as const).find((name) => path.startsWith(`/core/v1/${name}/`))
  const isSecond = /^(approvalRequests\.decline|operator\.(presentationChanges|applicationRequests)\.refuse)$/.test(id)
  return tenants[method === 'PATCH' || isSecond ? 'changes' : (api ?? 'organization')]!
}

function stepOf({ id, method, path }: Operation): number {
  // What is in a thing goes before the thing: a space has devices in it.
  if (id === 'spaces.delete') return 11
  // With it the token ends that the others use.
  if (id === 'connectedApps.delete') return 12
  if (method === 'DELETE') return 10 - path.split('/').length / 10
  // They take away what other examples need.
  return /releaseEmail|resetPassword|\.replace$|hubCells\.drain$/.test(id) ? 2 : id === 'connector.register' ? 0 : 1
}

function exampleOf({ path, method }: Operation): unknown {
  const content = document.paths[path]![method.toLowerCase()]!.requestBody?.content ?? {}
  return Object.values(content)[0]?.example
}

/** The example with ids and secrets of this tenant in place of those of nobody. */
function ours(example: unknown, tenant: Tenant, name = ''): unknown {
  if (Array.isArray(example)) return example.map((item) => ours(item, tenant, name))
  if (typeof example === 'object' && example !== null) {
    return Object.fromEntries(Object.entries(example).map(([field, value]) => [field, ours(value, tenant, field)]))
  }
  if (name === 'id') return tenant.device.id
  const isOfNobody = typeof example === 'string' && /^[0-9a-f-]{36}$|…$/.test(example)
  return isOfNobody ? (poolOf(tenant).hints![name]?.[0] ?? example) : example
}

/** A device names its command in the body: there an `id` is otherwise that of the device. */
function payloadOf({ id }: Operation, example: unknown, tenant: Tenant): object {
  const payload = ours(example, tenant) as object
  return id === 'connector.reportCommand' ? { ...payload, id: tenant.ids.partner.commands } : payload
}

function queryOf({ parameters }: Operation, tenant: Tenant): string {
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  return required.length > 0 ? `?${required.map(({ name }) => `${name}=${poolOf(tenant).hints![name]![0]}`)}` : ''
}

function credentialOf(operation: Operation, tenant: Tenant): Record<string, string> {
  const api = operation.path.startsWith('/core/v1/partner/') ? 'partner' : 'organization'
  const known: Record<string, Record<string, string>> = {
    ...tenant.credentials[api],
    operatorKey: operatorHeaders,
    deviceKey: { authorization: tenant.device.access_key },
  }
  const [scheme] = sessionOnly(operation) ? ['session'] : operation.security
  return scheme === undefined ? {} : (known[scheme] ?? {})
}

function validate(schema: object, value: unknown): void {
  const fits = ajv.compile(schema)
  assert.ok(fits(value), `${JSON.stringify(fits.errors)} ${JSON.stringify(value)}`)
}
