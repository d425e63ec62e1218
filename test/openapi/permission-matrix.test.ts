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
  const values = Object.fromEntries(kindsOf(operation.path).map(({ name, kind }) => [name, idOf(kind)]))
  const drawn = drawnOf.get(operation) ?? draw(operation)
  drawnOf.set(operation, drawn)
  return { values, ...drawn }
}

/** Drawing takes longer than the call. */
const drawnOf = new Map<Operation, Omit<Input, 'values'>>()

function draw(operation: Operation): Omit<Input, 'values'> {
  const pool = { ids: [nobody] }
  const query = new URLSearchParams()
  for (const { name, in: where, required, schema } of operation.parameters) {
    if (where === 'query' && required)
      query.set(name, String(fc.sample(valid(schema, pool), { numRuns: 1, seed: 7 })[0]))
  }
  const { body } = operation
  const payload = body
    ? withoutPlace(fc.sample(valid(body.schema, pool), { numRuns: 1, seed: 7 })[0] as object)
    : undefined
  return { query: query.size > 0 ? `?${query}` : '', ...(payload === undefined ? {} : { payload }) }
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

/** A space has one for a model. */
async function newTemplate(mode: string, space_id: string): Promise<string> {
  return (await create('/setting-templates', { model_id: tenant.model.id, space_id, values: { mode } })).id
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
const outsideTemplate = await newTemplate(outsideMark, outsideRoom)
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
const everyToken = ({ method, path }: Operation) => method === 'GET' && /\/organization\/(users|groups)$/.test(path)
const denied = new Set(['not_approved', 'not_permitted', 'administrators_only', 'portal_session_required'])

describe('every operation × every level of its area', () => {
  it('each declares what it needs', () => {
    assert.ok(operations.every(({ permission, path }) => permission !== 'none' || /\/(info|permissions)$/.test(path)))
  })

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

const placedKinds = ['devices', 'spaces', 'setting-templates']
const placed = operations.filter(({ path }) => kindsOf(path).some(({ kind }) => placedKinds.includes(kind)))

/** Inside, something of its own for each call: it may be removed by it. */
async function targetInside(kind: string): Promise<string> {
  if (kind === 'devices') return await newDevice(`Inside ${unique()}`, inside)
  if (kind === 'setting-templates') return await newTemplate('heat', await targetInside('spaces'))
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

/** What is tried and what is left out, each for a reason, are all of them; what is left out is not tried. */
function assertAll(all: Operation[], tried: Set<string>, exceptions: Record<string, string>): void {
  assert.deepEqual([...tried, ...Object.keys(exceptions)].sort(), all.map(({ id }) => id).sort())
}

const titleOf = ({ method, path }: Operation) => `${method} ${path}`
const kindOfPlace = ({ path }: Operation) => kindsOf(path).find(({ kind }) => placedKinds.includes(kind))?.kind

/** What is read, and what a refused call leaves alone, can be the same for all calls. */
const shared: Record<string, string> = {
  devices: await targetInside('devices'),
  spaces: await targetInside('spaces'),
  'setting-templates': await targetInside('setting-templates'),
}
const away: Record<string, string> = {
  devices: outsideDevice,
  spaces: outsideRoom,
  'setting-templates': outsideTemplate,
}
const theirs: Record<string, string> = {
  ...(foreign.ids.organization as Record<string, string>),
  devices: foreign.device.id,
}
const sharedCommand = (await create(`/devices/${shared.devices}/commands`, { name: 'reboot' })).id

/** Asks for the operation on this device or space. */
async function askAbout(operation: Operation, headers: Headers, id: string, ownCommand = sharedCommand) {
  const kind = kindOfPlace(operation)
  const input = inputOf(operation, (of) => (of === kind ? id : of === 'commands' ? ownCommand : nobody))
  return await call(operation, headers, input)
}

async function askInside(operation: Operation, headers: Headers, may: boolean) {
  const kind = kindOfPlace(operation)!
  if (!may || operation.method === 'GET') return await askAbout(operation, headers, shared[kind]!)
  const own = await targetInside(kind)
  const isOfCommand = operation.path.includes('{command_id}')
  return await askAbout(
    ...([operation, headers, own] as const),
    isOfCommand ? (await create(`/devices/${own}/commands`, { name: 'reboot' })).id : nobody,
  )
}

async function assertOutside(operation: Operation, headers: Headers): Promise<void> {
  const kind = kindOfPlace(operation)!
  const foreigns = await askAbout(operation, headers, theirs[kind]!)
  const outsides = await askAbout(operation, headers, away[kind]!)
  assert.deepEqual([outsides.status, outsides.raw], [foreigns.status, foreigns.raw], titleOf(operation))
  assert.ok([403, 404].includes(outsides.status), `${titleOf(operation)}: ${outsides.status}`)
}

/** Of who reaches some spaces: 403, since it is for all of them, or since what is made without a place is. */
const ofAllSpaces = ({ method, path }: Operation) =>
  path.endsWith('/limits') ||
  (method !== 'GET' && path.includes('/device-views')) ||
  (method === 'POST' && /\/(spaces|spaces\/find-or-create|spaces\/import|setting-templates)$/.test(path))

interface Held {
  credential: 'bearer' | 'api_key'
  headers: Headers
  held: Parameters<typeof permits>[0]
  within: string[] | null
}

type Answer = Awaited<ReturnType<typeof call>>

/** A token or key that lacks the permission is refused, and told which; nothing is said of what it asked about. */
function assertRefused(operation: Operation, { credential }: Held, { status, body }: Answer): void {
  const needed = operation.permission
  const name = `${titleOf(operation)}: ${status} ${JSON.stringify(body)}`
  const code = credential === 'bearer' ? 'not_approved' : 'not_permitted'
  if (streams(operation)) assert.equal(status, 403, name)
  else if (onlyPeople(needed)) assert.deepEqual([status, body.code], [403, 'portal_session_required'], name)
  else assert.deepEqual([status, body.code, body.missing], [403, code, needed], name)
}

function assertServed(operation: Operation, { within }: Held, { status, body }: Answer): void {
  const name = `${titleOf(operation)}: ${status} ${JSON.stringify(body)}`
  if (ofPeopleOnly(operation)) assert.deepEqual([status, body.code], [403, 'portal_session_required'], name)
  else if (within && ofAllSpaces(operation)) assert.deepEqual([status, body.code], [403, 'not_permitted'], name)
  else if (streams(operation)) assert.equal(status, 200, name)
  else assert.ok(!denied.has(body.code), name)
}

async function tryOne(operation: Operation, given: Held): Promise<void> {
  const { credential, headers, held, within } = given
  const may = permits(held, operation.permission) || (credential === 'bearer' && everyToken(operation))
  if (!within || !kindOfPlace(operation)) {
    const answer = await askAbout(operation, headers, nobody, nobody)
    return may ? assertServed(operation, given, answer) : assertRefused(operation, given, answer)
  }
  const here = await askInside(operation, headers, may && !ofPeopleOnly(operation))
  if (!may) {
    assertRefused(operation, given, here)
    return assertRefused(operation, given, await askAbout(operation, headers, away[kindOfPlace(operation)!]!))
  }
  assertServed(operation, given, here)
  if (ofPeopleOnly(operation)) return
  assert.ok(![403, 404].includes(here.status), `${titleOf(operation)}: ${here.status} ${here.raw}`)
  await assertOutside(operation, headers)
}

/** Several at once: none of them changes what another looks at. */
async function eachOf(list: Operation[], attempt: (operation: Operation) => Promise<void>): Promise<void> {
  const left = [...list]
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) await attempt(next)
  }
  await Promise.all(Array.from({ length: 4 }, worker))
}

describe('every operation × every level × everywhere, inside or outside', () => {
  for (const [credential, headers] of [
    ['bearer', bearer!],
    ['api_key', apiKey!],
  ] as const) {
    for (const [area, steps] of Object.entries(levels)) {
      if (area === 'integrations') continue
      for (const level of steps) {
        it(`${credential} with ${area}: ${level}, and nothing else`, async () => {
          const held = { ...none, [area]: level, integrations: 'none' } as Held['held']
          for (const within of [null, [inside]]) {
            await permit(credential, { ...none, [area]: level }, within)
            const tried = new Set<string>()
            await eachOf(operations, async (operation) => {
              await tryOne(operation, { credential, headers, held, within })
              tried.add(operation.id)
            })
            assertAll(operations, tried, {})
          }
        })
      }
    }
  }

  for (const role of spaceRoles) {
    it(`${role}: inside, what the pure function permits; outside, as if it were another tenant’s`, async () => {
      const headers = await memberWith(role, inside)
      const reach = reachOfPerson('member', [{ role, space_id: inside }])
      await eachOf(placed, async (operation) => {
        await assertOutside(operation, headers)
        const may = judge(reach, operation.permission, [shared[kindOfPlace(operation)!]!, inside])
        const here = await askInside(operation, headers, may)
        assert.equal(![403, 404].includes(here.status), may, `${titleOf(operation)}: ${here.status} ${here.raw}`)
      })
    })
  }

  it('what names no place in its path, body or query is read below, or in no space, or an exception', () => {
    const tried = operations.filter(
      (operation) =>
        placed.includes(operation) ||
        naming.includes(operation) ||
        operation.method === 'GET' ||
        /^(people|integrations)|^none$/.test(operation.permission),
    )
    const exceptions = Object.keys(elsewhere)
    assert.deepEqual(
      operations
        .filter((operation) => !tried.includes(operation))
        .map(titleOf)
        .sort(),
      exceptions.map((title) => title.replace(' ', ` ${prefix}`)).sort(),
    )
  })
})

const builds = 'paths are names: a manager builds below its own space, in reach.test.ts'
const claims = 'it takes any text as a space: claims into its own spaces only, in reach.test.ts'
const views = 'for all spaces: refused above'
const elsewhere: Record<string, string> = {
  'POST /devices/claim': claims,
  'POST /devices/claim-list': claims,
  'POST /spaces/find-or-create': builds,
  'POST /spaces/import': builds,
  'POST /device-views': views,
  'PATCH /device-views/{id}': views,
  'DELETE /device-views/{id}': views,
}

/** Of a device or a space, in a body or a query. */
const outsideOf: Record<string, [outside: string, foreign: string]> = {
  space_id: [outside, foreign.ids.organization.spaces!],
  parent_id: [outside, foreign.ids.organization.parents!],
  device_id: [outsideDevice, foreign.device.id],
  device_ids: [outsideDevice, foreign.device.id],
  id: [outsideDevice, foreign.device.id],
}

/** Of which the body or the query can name a device or a space. */
const naming = operations.filter((operation) => idFieldsOf(operation).some(isPlace))

function isPlace({ name, way }: IdField): boolean {
  return name in outsideOf && !(way[0] === 'query' && way.length > 1)
}

describe('ids outside in bodies and queries are as those of another tenant', () => {
  it('with a token and a key', async () => {
    const tried = new Set<string>()
    for (const credential of ['bearer', 'api_key'] as const) {
      const headers = await credentials[credential]!()
      for (const operation of naming) {
        if (ofPeopleOnly(operation) || onlyPeople(operation.permission)) continue
        for (const field of idFieldsOf(operation).filter(isPlace)) {
          const pair = outsideOf[field.name]!
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
          tried.add(operation.id)
        }
      }
    }
    const refused = naming.filter((operation) => ofPeopleOnly(operation) || onlyPeople(operation.permission))
    assertAll(naming, tried, Object.fromEntries(refused.map(({ id }) => [id, 'of people only: refused above'])))
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
        for (const id of [outside, outsideRoom, outsideDevice, outsideTemplate])
          assert.ok(!raw.includes(id), `GET ${operation.path}: ${raw}`)
      }
    })
  }
})
