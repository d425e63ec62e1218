import fc from 'fast-check'
import { operatorHeaders, type Tenant } from '../support/api-world.ts'
import { fill, kindsOf, type Operation, sessionOnly } from './document.ts'
import { costlyText, harnessTime, hostile, nastyText, oddCursors, oddText, type Pool, valid } from './samples.ts'

export interface FuzzRequest {
  operation: Operation
  method: Operation['method']
  url: string
  headers: Record<string, string>
  payload?: string
}

/** Requests that are mostly valid, with a random part wrong now and then. */
export function requestsOf(operations: Operation[], tenant: Tenant, now = harnessTime): fc.Arbitrary<FuzzRequest> {
  const { hints, ...rest } = poolOf(tenant, now)
  // Each is of use once: others would find nothing left to decide, or the domain taken.
  const pool = { ...rest, hints: { ...hints, revision: [1], domain: [`${tenant.marker}.com`] } }
  return fc.oneof(...operations.map((operation) => requestOf(operation, tenant, pool)))
}

export function poolOf(tenant: Tenant, now = harnessTime): Pool {
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString()
  const ids = Object.values(tenant.ids).flatMap((ofApi) => Object.values(ofApi))
  const { application, model, device, unclaimed } = tenant
  return {
    now,
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
      parent_id: [tenant.ids.organization.parents!],
      group_id: [tenant.ids.organization.groups!],
      groups: [tenant.ids.organization.groups!],
      model_id: [model.id],
      mac: [unclaimed.mac],
      sn: [unclaimed.sn],
      grant_type: ['refresh_token'],
      refresh_token: [tenant.refresh_token],
      scope: ['openid'],
      // What a device would send at this time: others are refused as too old or too far ahead.
      timestamp: [ago(120), ago(185_400)],
      keys: ['temperature', 'temperature,mode', 'mode'],
      key: ['temperature', 'mode'],
      from_cell: ['eu-1'],
      command_id: [tenant.ids.organization.commands!],
      batch_id: [tenant.batch_id],
    },
  }
}

function requestOf(operation: Operation, tenant: Tenant, pool: Pool): fc.Arbitrary<FuzzRequest> {
  const wild = fc.record({
    path: pathOf(operation, tenant),
    query: queryOf(operation, pool),
    body: bodyOf(operation, pool),
    credential: credentialOf(operation, tenant),
    extra: fc.oneof({ weight: 8, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: oddHeaders }),
  })
  return fc.oneof(
    { weight: 2, arbitrary: wild.map((parts) => assemble(operation, parts)) },
    { weight: 1, arbitrary: soundRequestOf(operation, tenant, pool) },
  )
}

interface Parts {
  path: string
  query: string
  body: { payload?: string; type: string }
  credential: Record<string, string>
  extra: Record<string, string>
}

function assemble(operation: Operation, { path, query, body, credential, extra }: Parts): FuzzRequest {
  return {
    operation,
    method: operation.method,
    url: path + query,
    headers: { ...credential, ...(body.payload === undefined ? {} : { 'content-type': body.type }), ...extra },
    ...(body.payload === undefined ? {} : { payload: body.payload }),
  }
}

/** Valid requests only: an operation that always refuses would not be tested. */
export function soundRequestOf(operation: Operation, tenant: Tenant, pool: Pool): fc.Arbitrary<FuzzRequest> {
  const { body } = operation
  const sound = { ...pool, sound: true }
  const required = operation.parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const query = Object.fromEntries(required.map(({ name, schema }) => [name, schema]))
  const written = body?.type.includes('form') ? form : (value: unknown) => JSON.stringify(value)
  const parts = fc.record<Parts>({
    path: fc.constant(fill(operation.path, idsOf(operation, tenant))),
    query: valid({ type: 'object', properties: query, required: Object.keys(query) }, sound).map((values) =>
      required.length > 0 ? `?${form(values)}` : '',
    ),
    body: body
      ? valid(body.schema, sound).map((value) => ({ payload: written(value), type: body.type }))
      : fc.constant({ type: '' }),
    credential: rightCredentialOf(operation, tenant),
    extra: fc.constant({}),
  })
  return parts.map((each) => assemble(operation, each))
}

const oddHeaders = fc.constantFrom<Record<string, string>>(
  { 'if-match': '*' },
  { 'if-match': '"old"' },
  { accept: 'text/csv' },
  { 'idempotency-key': 'k1' },
  { 'last-event-id': 'x' },
  { origin: 'null' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'identity' },
)

const otherTypes = fc.constantFrom('text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'nonsense', '')

/** What each parameter of the path names, of this tenant. */
export function idsOf({ path }: Operation, tenant: Tenant): Record<string, string> {
  const api = apiOf(path)
  const known = path.startsWith('/v1/devices') ? () => tenant.device.id : (kind: string) => tenant.ids[api][kind]
  return Object.fromEntries(kindsOf(path).map(({ name, kind }) => [name, known(kind) ?? tenant.customer_id]))
}

function apiOf(path: string): keyof Tenant['ids'] {
  return (['partner', 'operator'] as const).find((api) => path.startsWith(`/core/v1/${api}/`)) ?? 'organization'
}

function pathOf(operation: Operation, tenant: Tenant): fc.Arbitrary<string> {
  const values = Object.entries(idsOf(operation, tenant)).map(([name, id]) =>
    fc
      .oneof(
        { weight: 10, arbitrary: fc.constant(id) },
        { weight: 1, arbitrary: fc.uuid() },
        { weight: 1, arbitrary: nastyText },
      )
      .map((value) => [name, value] as const),
  )
  return fc
    .tuple(...values)
    .map((pairs) =>
      pairs.reduce((url, [name, value]) => url.replace(`{${name}}`, encode(value) || '%20'), operation.path),
    )
}

function queryOf(operation: Operation, pool: Pool): fc.Arbitrary<string> {
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query')
  const each = parameters.map(({ name, schema, required }) => {
    const value = fc.oneof(
      { weight: 6, arbitrary: valid(schema, pool).map(String) },
      { weight: 2, arbitrary: name === 'after' ? oddCursors : oddText(schema) },
      { weight: 1, arbitrary: nastyText },
    )
    const present = value.map((text) => `${encode(name)}=${encode(text)}`)
    return fc.oneof(
      { weight: required ? 9 : 1, arbitrary: present },
      { weight: required ? 1 : 2, arbitrary: fc.constant('') },
    )
  })
  return fc.tuple(fc.tuple(...each), oddPairs(parameters.map(({ name }) => name))).map(([pairs, odd]) => {
    const query = [...pairs, ...odd].filter(Boolean).join('&')
    return query && `?${query}`
  })
}

/** Now and then a parameter that is not declared, one that is there twice, or one written as a list or an object. */
function oddPairs(declared: string[]): fc.Arbitrary<string[]> {
  const undeclared = fc.constantFrom('x', '__proto__', 'constructor', 'customer_id', 'limit', 'after', 'space_ids', '')
  const name = declared.length > 0 ? fc.oneof(fc.constantFrom(...declared), undeclared) : undeclared
  const written = fc.constantFrom('', '[]', '[0]', '[x]', '.x', '%00')
  const value = fc.oneof(
    fc.constantFrom('', '0', 'true', 'null', '[1]', '{}', '%', '%ff', '%u0041'),
    nastyText.map(encode),
  )
  const pair = fc.tuple(name, written, value).map(([key, suffix, text]) => `${encode(key)}${suffix}=${text}`)
  const some = fc.oneof(
    fc.array(pair, { minLength: 1, maxLength: 4 }),
    pair.map((one) => [one, one]),
  )
  return fc.oneof({ weight: 5, arbitrary: fc.constant<string[]>([]) }, { weight: 1, arbitrary: some })
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
    { weight: 1, arbitrary: fc.tuple(nastyText, otherTypes).map(([text, type]) => as(type)(text)) },
    { weight: 1, arbitrary: costlyText.map(as(body.type)) },
    { weight: 1, arbitrary: fc.constant({ type: body.type }) },
  )
}

function credentialOf(operation: Operation, tenant: Tenant): fc.Arbitrary<Record<string, string>> {
  const wrong = fc.constantFrom<Record<string, string>>(
    {},
    { authorization: 'Bearer x' },
    { authorization: 'Basic %%%' },
  )
  return fc.oneof({ weight: 15, arbitrary: rightCredentialOf(operation, tenant) }, { weight: 1, arbitrary: wrong })
}

function rightCredentialOf(operation: Operation, tenant: Tenant): fc.Arbitrary<Record<string, string>> {
  const api = operation.path.startsWith('/core/v1/partner/') ? 'partner' : 'organization'
  const { client_id, client_secret } = tenant.application
  const known: Record<string, Record<string, string>> = {
    ...tenant.credentials[api],
    operatorKey: operatorHeaders,
    deviceKey: { authorization: tenant.device.access_key },
    client: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
  }
  const schemes = sessionOnly(operation) ? ['session'] : operation.security
  const right = schemes.flatMap((scheme) => (known[scheme] ? [known[scheme]] : []))
  return right.length === 0 ? fc.constant({}) : fc.constantFrom(...right)
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
