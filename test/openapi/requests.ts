import fc from 'fast-check'
import { kindsOf, type Operation } from './document.ts'
import { hostile, nastyText, type Pool, valid } from './samples.ts'
import { operatorHeaders, type Tenant } from './world.ts'

export interface FuzzRequest {
  operation: Operation
  method: Operation['method']
  url: string
  headers: Record<string, string>
  payload?: string
}

/** Requests that are mostly in order, and wrong in every place now and then. */
export function requestsOf(operations: Operation[], tenant: Tenant): fc.Arbitrary<FuzzRequest> {
  const ids = [...Object.values(tenant.ids.organization), ...Object.values(tenant.ids.partner)]
  const { application, model, device } = tenant
  const pool: Pool = {
    ids: [...ids, tenant.customer_id, tenant.partner_id, application.client_id],
    hints: {
      redirect_uris: [application.redirect_uri, 'http://localhost/x'],
      redirect_uri: [application.redirect_uri],
      url: ['https://example.com/hook', 'https://10.0.0.1/'],
      device_model: [model.id],
      hardware_key: [model.hardware_key],
      access_key: [device.access_key],
      client_id: [application.client_id],
      client_secret: [application.client_secret],
      partner_id: [tenant.partner_id],
      space_id: [tenant.ids.organization.spaces!],
      model_id: [model.id],
    },
  }
  return fc.oneof(...operations.map((operation) => requestOf(operation, tenant, pool)))
}

function requestOf(operation: Operation, tenant: Tenant, pool: Pool): fc.Arbitrary<FuzzRequest> {
  const parts = fc.record({
    path: pathOf(operation, tenant),
    query: queryOf(operation, pool),
    body: bodyOf(operation, pool),
    door: doorOf(operation, tenant),
    extra: fc.oneof({ weight: 8, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: oddHeaders }),
  })
  return parts.map(({ path, query, body, door, extra }) => ({
    operation,
    method: operation.method,
    url: path + query,
    headers: { ...door, ...(body.payload === undefined ? {} : { 'content-type': body.type }), ...extra },
    ...(body.payload === undefined ? {} : { payload: body.payload }),
  }))
}

const oddHeaders = fc.constantFrom<Record<string, string>>(
  { 'if-match': '*' },
  { 'if-match': '"old"' },
  { accept: 'text/csv' },
  { 'idempotency-key': 'k1' },
  { 'last-event-id': 'x' },
  { origin: 'null' },
)

function pathOf({ path }: Operation, tenant: Tenant): fc.Arbitrary<string> {
  const api = path.startsWith('/core/v1/partner/') ? 'partner' : 'organization'
  const ofOperator: Record<string, string> = {
    partners: tenant.partner_id,
    customers: tenant.customer_id,
    applications: tenant.application.client_id,
  }
  const values = kindsOf(path).map(({ name, kind }) => {
    const own = path.startsWith('/core/v1/operator/') ? ofOperator[kind] : undefined
    const known = own ?? tenant.ids[api][kind] ?? tenant.customer_id
    const id = path.startsWith('/v1/devices') ? tenant.device.id : known
    return fc
      .oneof(
        { weight: 10, arbitrary: fc.constant(id) },
        { weight: 1, arbitrary: fc.uuid() },
        { weight: 1, arbitrary: nastyText },
      )
      .map((value) => [name, value] as const)
  })
  return fc
    .tuple(...values)
    .map((pairs) => pairs.reduce((url, [name, value]) => url.replace(`{${name}}`, encode(value) || '%20'), path))
}

function queryOf(operation: Operation, pool: Pool): fc.Arbitrary<string> {
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query')
  const each = parameters.map(({ name, schema, required }) => {
    const value = fc.oneof(
      { weight: 6, arbitrary: valid(schema, pool).map(String) },
      { weight: 1, arbitrary: nastyText },
    )
    const present = value.map((text) => `${encode(name)}=${encode(text)}`)
    return fc.oneof(
      { weight: required ? 9 : 1, arbitrary: present },
      { weight: required ? 1 : 2, arbitrary: fc.constant('') },
    )
  })
  return fc.tuple(...each).map((pairs) => {
    const query = pairs.filter(Boolean).join('&')
    return query && `?${query}`
  })
}

function bodyOf(operation: Operation, pool: Pool): fc.Arbitrary<{ payload?: string; type: string }> {
  const { body } = operation
  if (!body) return fc.constant({ type: '' })
  const written = (value: unknown) => (body.type.includes('form') ? form(value) : (JSON.stringify(value) ?? ''))
  const as = (type: string) => (payload: string) => ({ payload, type })
  return fc.oneof(
    { weight: 6, arbitrary: hostile(body.schema, pool).map(written).map(as(body.type)) },
    { weight: 4, arbitrary: valid(body.schema, pool).map(written).map(as(body.type)) },
    { weight: 1, arbitrary: fc.oneof(nastyText, fc.constant('{"a":')).map(as(body.type)) },
    { weight: 1, arbitrary: nastyText.map(as('text/plain')) },
    { weight: 1, arbitrary: fc.constant({ type: body.type }) },
  )
}

function doorOf(operation: Operation, tenant: Tenant): fc.Arbitrary<Record<string, string>> {
  const api = operation.path.startsWith('/core/v1/partner/') ? 'partner' : 'organization'
  const { client_id, client_secret } = tenant.application
  const known: Record<string, Record<string, string>> = {
    ...tenant.doors[api],
    operatorKey: operatorHeaders,
    deviceKey: { authorization: tenant.device.access_key },
    client: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
  }
  const right = operation.security.flatMap((scheme) => (known[scheme] ? [known[scheme]] : []))
  const wrong = fc.constantFrom<Record<string, string>>(
    {},
    { authorization: 'Bearer x' },
    { authorization: 'Basic %%%' },
  )
  if (right.length === 0) return fc.oneof({ weight: 8, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: wrong })
  return fc.oneof({ weight: 15, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: wrong })
}

function form(value: unknown): string {
  const pairs = Object.entries((value ?? {}) as object).map(([name, text]) => [
    name,
    (typeof text === 'string' ? text : (JSON.stringify(text) ?? '')).toWellFormed(),
  ])
  return new URLSearchParams(pairs as [string, string][]).toString()
}

function encode(text: unknown): string {
  return encodeURIComponent(String(text).toWellFormed())
}
