// The second dimension of tenancy, made from the declarations: every operation × every level × inside or outside a space.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  judge,
  levels,
  type Needed,
  ofCredential,
  ofRole,
  permits,
  reachOfPerson,
  type SpaceRole,
  spaceRoles,
} from '../../server/src/directory/permissions.ts'
import { createTenant } from '../support/api-world.ts'
import { password } from '../support/applications.ts'
import { register, registration } from '../support/devices.ts'
import { startHarness } from '../support/harness.ts'
import { sessionHeaders } from '../support/organization.ts'
import { type Document, fill, kindsOf, type Operation, operationsOf, streams } from './document.ts'
import { holding, type IdField, idFieldsOf } from './named-ids.ts'
import { valid } from './samples.ts'

const service = await startHarness()
const { sql } = service
const prefix = '/core/v1/organization'
const operations = operationsOf((await service.app.inject({ url: '/openapi.json' })).json<Document>()).filter(
  ({ path }) => path.startsWith(`${prefix}/`),
)
const tenant = await createTenant(service)
const foreign = await createTenant(service)
const { customer_id, marker } = tenant

type Headers = Record<string, string>
const { session, bearer, apiKey } = tenant.credentials.organization as Record<string, Headers>

const nobody = '01900000-0000-7000-8000-000000000000'
let calls = 0
async function call(operation: Operation, headers: Headers, input: Input) {
  calls += 1
  const response = await service.app.inject({
    method: streams(operation) ? 'HEAD' : operation.method,
    url: fill(operation.path, input.values) + input.query,
    headers,
    remoteAddress: `10.2.${calls >> 8}.${calls & 255}`,
    ...(input.payload === undefined ? {} : { payload: input.payload }),
  })
  const body =
    /^application\/json\b(?!l)/.test(`${response.headers['content-type']}`) && response.body ? response.json() : {}
  return { status: response.statusCode, body, raw: response.body }
}

interface Input {
  values: Record<string, string>
  query: string
  payload?: object
}

/** A body and query that are in order, with this id wherever the path names something of this kind. */
function inputOf(operation: Operation, idOf: (kind: string) => string): Input {
  const pool = { ids: [nobody] }
  const values = Object.fromEntries(kindsOf(operation.path).map(({ name, kind }) => [name, idOf(kind)]))
  const query = new URLSearchParams()
  for (const { name, in: where, required, schema } of operation.parameters) {
    if (where === 'query' && required)
      query.set(name, String(fc.sample(valid(schema, pool), { numRuns: 1, seed: 7 })[0]))
  }
  const { body } = operation
  const payload = body
    ? withoutPlace(fc.sample(valid(body.schema, pool), { numRuns: 1, seed: 7 })[0] as object)
    : undefined
  return { values, query: query.size > 0 ? `?${query}` : '', ...(payload === undefined ? {} : { payload }) }
}

/** Where something is to go is tried by itself. */
function withoutPlace(drawn: { space_id?: unknown; parent_id?: unknown } | null): object {
  const { space_id: _, parent_id: __, ...body } = drawn ?? {}
  return Object.keys(body).length > 0 ? body : { name: 'New' }
}

async function create(path: string, payload: object): Promise<{ id: string }> {
  const response = await service.app.inject({ method: 'POST', url: prefix + path, headers: session!, payload })
  assert.ok([201, 202].includes(response.statusCode), response.body)
  return response.json()
}

async function newDevice(name: string, space_id: string): Promise<string> {
  const identity = registration(tenant.model) as { mac: string; sn: string }
  await register(service, tenant.model, identity)
  const { mac, sn } = identity
  return (await create('/devices/claim', { mac, sn, model_id: tenant.model.id, name, space_id })).id
}

let count = 0
const unique = () => {
  count += 1
  return count
}
const outsideMark = 'quagga'
const inside = (await create('/spaces', { name: 'Inside' })).id
const outside = (await create('/spaces', { name: `${outsideMark} house` })).id
const outsideRoom = (await create('/spaces', { name: `${outsideMark} room`, parent_id: outside })).id
const outsideDevice = await newDevice(`${outsideMark} sensor`, outsideRoom)
const change = { tags: [`${outsideMark} tag`], note: `${outsideMark} note` }
const noted = await service.app.inject({
  ...{ method: 'PATCH', url: `${prefix}/devices/${outsideDevice}`, headers: session!, payload: change },
})
assert.equal(noted.statusCode, 200, noted.body)
await create('/device-views', { name: `${outsideMark} view`, query: { space_id: outside } })

const all = { devices: 'command', spaces: 'manage', people: 'manage', audit: 'read' }
const none = { devices: 'none', spaces: 'none', people: 'none', audit: 'none' }

/** Stored as the APIs store it; what they accept is their own tests' matter. */
async function permit(credential: 'bearer' | 'api_key', permissions: object, within: string[] | null): Promise<void> {
  const text = JSON.stringify(permissions)
  if (credential === 'bearer')
    await sql`update approvals set permissions = ${text}::jsonb, within = ${within}::uuid[] where customer_id = ${customer_id}`
  else
    await sql`update api_keys set permissions = ${text}::jsonb, within = ${within}::uuid[] where customer_id = ${customer_id}`
}

async function memberWith(role: SpaceRole, space_id: string): Promise<Headers> {
  const person = { name: `${marker} ${unique()}`, email: `${marker}-${unique()}@example.com`, password }
  const { body } = await service.operator('POST', `/customers/${customer_id}/users`, { ...person, role: 'member' })
  await service.app.inject({
    ...{ method: 'PUT', url: `${prefix}/users/${body.id}/roles`, headers: session! },
    payload: { roles: [{ role, space_id }] },
  })
  return await sessionHeaders(service, person)
}

const onlyPeople = (needed: Needed) => !permits({ ...ofCredential, devices: 'command' }, needed)
/** A secret for a person, or a role that outlives the credential: never of a token or a key, whatever it may do. */
const ofPeopleOnly = ({ path }: Operation) =>
  /\/(link|password-reset|roles|access|second-factor-policy)$|\/second-factor(s|-reset)(\/|$)/.test(path)
/** Contract 4.6: an empty list instead. */
const everyToken = ({ method, path }: Operation) => method === 'GET' && /\/(users|groups)$/.test(path)
const denied = new Set(['not_approved', 'not_permitted', 'administrators_only', 'portal_session_required'])

describe('every operation × every level of its area', () => {
  it('all are tried', () => {
    assert.ok(operations.length > 60)
    assert.ok(operations.every(({ permission, path }) => permission !== 'none' || /\/(info|permissions)$/.test(path)))
  })

  for (const [credential, headers, code] of [
    ['bearer', bearer!, 'not_approved'],
    ['api_key', apiKey!, 'not_permitted'],
  ] as const) {
    for (const [area, steps] of Object.entries(levels)) {
      if (area === 'integrations') continue
      for (const level of steps) {
        it(`${credential} with ${area}: ${level}, and nothing else`, async () => {
          await permit(credential, { ...none, [area]: level }, null)
          const held = { ...none, [area]: level, integrations: 'none' } as Parameters<typeof permits>[0]
          for (const operation of operations) {
            // A stream that opens stays open, so that it is asked for without its body.
            if (ofPeopleOnly(operation) || streams(operation)) continue
            const { status, body } = await call(
              operation,
              headers,
              inputOf(operation, () => nobody),
            )
            const needed = operation.permission
            const name = `${operation.method} ${operation.path}: ${status} ${JSON.stringify(body)}`
            if (permits(held, needed) || (credential === 'bearer' && everyToken(operation)))
              assert.ok(!denied.has(body.code) || body.missing === undefined, name)
            else if (onlyPeople(needed)) assert.deepEqual([status, body.code], [403, 'portal_session_required'], name)
            else assert.deepEqual([status, body.code, body.missing], [403, code, needed], name)
          }
        })
      }
    }
  }

  for (const role of spaceRoles) {
    it(`a ${role}`, async () => {
      const headers = await memberWith(role, inside)
      for (const operation of operations) {
        const { status, body } = await call(
          operation,
          headers,
          inputOf(operation, () => nobody),
        )
        const refused = status === 403 && (streams(operation) || body.code === 'administrators_only')
        assert.equal(refused, !permits(ofRole[role], operation.permission), `${operation.method} ${operation.path}`)
      }
    })
  }
})

const placedKinds = ['devices', 'spaces']
const placed = operations.filter(({ path }) => kindsOf(path).some(({ kind }) => placedKinds.includes(kind)))

/** Inside, something of its own for each call: it may be removed by it. */
async function targetInside(kind: string): Promise<string> {
  if (kind === 'devices') return await newDevice(`Inside ${unique()}`, inside)
  return (await create('/spaces', { name: `Inside ${unique()}`, parent_id: inside })).id
}

const credentials: Record<string, () => Promise<Headers>> = {
  bearer: async () => {
    await permit('bearer', all, [inside])
    return bearer!
  },
  api_key: async () => {
    await permit('api_key', all, [inside])
    return apiKey!
  },
  ...Object.fromEntries(spaceRoles.map((role) => [role, () => memberWith(role, inside)])),
}

describe('every operation on a device or a space × inside or outside', () => {
  it('there are some', () => assert.ok(placed.length > 15))

  for (const [name, open] of Object.entries(credentials)) {
    it(`${name}: inside, what the pure function permits; outside, as if it were another tenant’s`, async () => {
      const headers = await open()
      const role = spaceRoles.find((one) => one === name)
      const reach = role && reachOfPerson('member', [{ role, space_id: inside }])
      for (const operation of placed) {
        const { kind } = kindsOf(operation.path).find((one) => placedKinds.includes(one.kind))!
        const title = `${operation.method} ${operation.path}`
        const own = await targetInside(kind)
        const isOfCommand = operation.path.includes('{command_id}')
        const command = isOfCommand ? (await create(`/devices/${own}/commands`, { name: 'reboot' })).id : nobody
        const ask = (id: string) =>
          call(
            operation,
            headers,
            inputOf(operation, (of) => (of === kind ? id : of === 'commands' ? command : nobody)),
          )
        const theirs = await ask(kind === 'devices' ? foreign.device.id : foreign.ids.organization.spaces!)
        const away = await ask(kind === 'devices' ? outsideDevice : outsideRoom)
        assert.deepEqual([away.status, away.raw], [theirs.status, theirs.raw], title)
        assert.ok([403, 404].includes(away.status), `${title}: ${away.status}`)
        const here = await ask(own)
        const may = reach ? judge(reach, operation.permission, [own, inside]) : true
        assert.equal(![403, 404].includes(here.status), may, `${title}: ${here.status} ${here.raw}`)
      }
    })
  }
})

/** Of a device or a space, in a body or a query. */
const outsideOf: Record<string, [outside: string, foreign: string]> = {
  space_id: [outside, foreign.ids.organization.spaces!],
  parent_id: [outside, foreign.ids.organization.parents!],
  device_id: [outsideDevice, foreign.device.id],
  device_ids: [outsideDevice, foreign.device.id],
  id: [outsideDevice, foreign.device.id],
}

describe('ids outside in bodies and queries are as those of another tenant', () => {
  it('with a token and a key', async () => {
    let tried = 0
    for (const credential of ['bearer', 'api_key'] as const) {
      const headers = await credentials[credential]!()
      for (const operation of operations) {
        if (ofPeopleOnly(operation) || onlyPeople(operation.permission)) continue
        for (const field of idFieldsOf(operation)) {
          const pair = outsideOf[field.name]
          if (!pair || (field.way[0] === 'query' && field.way.length > 1)) continue
          const ask = async (id: string) => {
            const spare = await targetInside('devices')
            const input = inputOf(operation, (kind) => (kind === 'devices' ? spare : nobody))
            return await call(operation, headers, withId(operation, field, input, id))
          }
          const [away, theirs] = [await ask(pair[0]), await ask(pair[1])]
          // A result may name the device that it is about.
          const said = ({ status, body }: typeof away, id: string) => [
            ...[status, body.code, body.error, body.items],
            JSON.stringify(body.results)?.replaceAll(id, '…'),
          ]
          const title = `${operation.method} ${operation.path} ${field.name}`
          assert.deepEqual(said(away, pair[0]), said(theirs, pair[1]), title)
          tried += 1
        }
      }
    }
    assert.ok(tried >= 10, `${tried} were tried`)
  })
})

function withId(operation: Operation, field: IdField, input: Input, id: string): Input {
  if (field.in === 'query') {
    const query = new URLSearchParams(input.query)
    query.set(field.name, id)
    return { ...input, query: `?${query}` }
  }
  return { ...input, payload: holding(operation.body!.schema, field.way, id, { ids: [nobody] }) as object }
}

describe('nothing of what lies outside is in any response', () => {
  for (const [name, open] of Object.entries(credentials)) {
    it(name, async () => {
      const headers = await open()
      const own = { devices: await targetInside('devices'), spaces: inside, models: tenant.model.id } as Record<
        string,
        string
      >
      for (const operation of operations.filter(({ method }) => method === 'GET')) {
        if (streams(operation) || onlyPeople(operation.permission)) continue
        const kinds = { ...tenant.ids.organization, ...own }
        const { status, raw } = await call(
          operation,
          headers,
          inputOf(operation, (kind) => kinds[kind]!),
        )
        assert.ok(status < 500, `${operation.path}: ${raw}`)
        assert.ok(!raw.includes(outsideMark), `GET ${operation.path}: ${raw}`)
        if (operation.permission.startsWith('people')) continue
        for (const id of [outside, outsideRoom, outsideDevice])
          assert.ok(!raw.includes(id), `GET ${operation.path}: ${raw}`)
      }
    })
  }
})
