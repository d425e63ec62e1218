// Narrowing, moving and group changes between reads: what each caller sees is what the pure function says (decision 6.48).
import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import {
  judge,
  levels,
  type Reach,
  reachOfCredential,
  reachOfPerson,
  type SpaceRole,
  spaceRoles,
} from '../../server/src/directory/permissions.ts'
import { newModel, register, registration } from '../support/devices.ts'
import { command, itKeepsTheModel, pick } from './run-model.ts'
import { mustSucceed, startWorld } from './world.ts'

const world = await startWorld()
const { service, organization, call } = world
const { customer_id } = organization
const [spaceCount, deviceCount] = [6, 5]

const robin = await world.addPerson('member')
world.headers.robin = robin.headers
const group = (await mustSucceed(call('session', 'POST', '/groups', { name: 'Technicians' }))).body.id as string
const deviceModel = await newModel(service)
const spaces: string[] = []
const devices: string[] = []
for (let index = 0; index < spaceCount; index += 1)
  spaces.push((await mustSucceed(call('session', 'POST', '/spaces', { name: `Space ${index}` }))).body.id)
for (let index = 0; index < deviceCount; index += 1) {
  const { mac, sn } = registration(deviceModel) as { mac: string; sn: string }
  await register(service, deviceModel, { mac, sn })
  const claim = { mac, sn, model_id: deviceModel.id, name: `Device ${index}` }
  devices.push((await mustSucceed(call('session', 'POST', '/devices/claim', claim))).body.id)
}

type Credential = 'api_key' | 'bearer'
interface Narrowed {
  permissions: Record<string, string> | null
  within: number[] | null
}
interface Role {
  role: SpaceRole
  space: number | null
}
interface Model {
  /** By number; null is the top of the tree, or no space. */
  parents: (number | null)[]
  placeOf: (number | null)[]
  own: Role[]
  ofGroup: Role[]
  inGroup: boolean
  credentials: Record<Credential, Narrowed>
}

const callers = ['robin', 'api_key', 'bearer'] as const
type Caller = (typeof callers)[number]
const idOf = (space: number | null) => (space === null ? null : spaces[space]!)

function aboveOf({ parents }: Model, space: number | null): number[] {
  return space === null ? [] : [space, ...aboveOf({ parents } as Model, parents[space]!)]
}

function reachOf(model: Model, caller: Caller): Reach {
  if (caller === 'robin') {
    const roles = [...model.own, ...(model.inGroup ? model.ofGroup : [])]
    return reachOfPerson(
      'member',
      roles.map(({ role, space }) => ({ role, space_id: idOf(space) })),
    )
  }
  const { permissions, within } = model.credentials[caller]
  return reachOfCredential(permissions, within?.map((space) => spaces[space]!) ?? null)
}

const placeIds = (model: Model, space: number | null) => aboveOf(model, space).map((one) => spaces[one]!)

const which = (count: number) => fc.nat({ max: count - 1 })
const place = fc.option(which(spaceCount), { freq: 4 })
const role = fc.record({ role: fc.constantFrom(...spaceRoles), space: place })
const roles = fc.uniqueArray(role, { maxLength: 3, selector: ({ space }) => space })
const caller = fc.constantFrom(...callers)
const { integrations: _, ...areas } = levels
const permissions = fc.record(
  Object.fromEntries(Object.entries(areas).map(([area, steps]) => [area, fc.constantFrom<string>(...steps)])),
)

const commands = [
  command<Model, object, { device: number; to: number | null }>(
    'move a device',
    fc.record({ device: which(deviceCount), to: place }),
    async (model, _, { device, to }) => {
      await mustSucceed(call('session', 'PATCH', `/devices/${devices[device]}`, { space_id: idOf(to) }))
      model.placeOf[device] = to
    },
    { weight: 2 },
  ),
  command<Model, object, { space: number; to: number | null }>(
    'move a space',
    fc.record({ space: which(spaceCount), to: place }),
    async (model, _, { space, to }) => {
      await mustSucceed(call('session', 'PATCH', `/spaces/${spaces[space]}`, { parent_id: idOf(to) }))
      model.parents[space] = to
    },
    { when: (model, { space, to }) => !aboveOf(model, to).includes(space), weight: 3 },
  ),
  command<Model, object, Role[]>('give roles', roles, async (model, _, given) => {
    await mustSucceed(call('session', 'PUT', `/users/${robin.id}/roles`, { roles: given.map(toRole) }))
    model.own = given
  }),
  command<Model, object, Role[]>('give roles to the group', roles, async (model, _, given) => {
    await mustSucceed(call('session', 'PUT', `/groups/${group}/roles`, { roles: given.map(toRole) }))
    model.ofGroup = given
  }),
  command<Model, object, boolean>('join or leave the group', fc.boolean(), async (model, _, inGroup) => {
    await mustSucceed(call('session', 'PATCH', `/users/${robin.id}`, { groups: inGroup ? [group] : [] }))
    model.inGroup = inGroup
  }),
  command<Model, object, { credential: Credential; narrowed: Narrowed }>(
    'narrow or widen a credential',
    fc.record({
      credential: fc.constantFrom('api_key' as const, 'bearer' as const),
      narrowed: fc.record({
        permissions: fc.option(permissions),
        within: fc.option(fc.uniqueArray(which(spaceCount), { maxLength: 3 })),
      }),
    }),
    async (model, _, { credential, narrowed }) => {
      await narrow(credential, narrowed)
      model.credentials[credential] = narrowed
    },
    { weight: 2 },
  ),
  command<Model, object, { who: Caller; device: number }>(
    'read a device',
    fc.record({ who: caller, device: which(deviceCount) }),
    async (model, _, { who, device }) => {
      const reach = reachOf(model, who)
      const { status } = await call(who, 'GET', `/devices/${devices[device]}`)
      const may = judge(reach, 'devices: read', placeIds(model, model.placeOf[device]!))
      assert.equal(status, may ? 200 : judge(reach, 'devices: read') ? 404 : 403)
    },
    { weight: 3 },
  ),
  command<Model, object, { who: Caller; device: number }>(
    'rename a device',
    fc.record({ who: caller, device: which(deviceCount) }),
    async (model, _, { who, device }) => {
      const above = placeIds(model, model.placeOf[device]!)
      const reach = reachOf(model, who)
      const { status } = await call(who, 'PATCH', `/devices/${devices[device]}`, { name: `Device ${device}` })
      const seen = judge(reach, 'devices: read', above)
      const refused = !judge(reach, 'devices: manage') || seen ? 403 : 404
      assert.equal(status, judge(reach, 'devices: manage', above) ? 200 : refused)
    },
    { weight: 2 },
  ),
  command<Model, object, Caller>('list devices and spaces', caller, lists, { weight: 3 }),
]

function toRole({ role, space }: Role) {
  return { role, space_id: idOf(space) }
}

async function narrow(credential: Credential, { permissions, within }: Narrowed): Promise<void> {
  const body = { permissions, within: within?.map((space) => spaces[space]!) ?? null }
  const path =
    credential === 'bearer' ? `/connected-apps/${organization.application.client_id}` : `/api-keys/${await keyId()}`
  await mustSucceed(call('session', 'PATCH', path, body))
}

async function keyId(): Promise<string> {
  const { body } = await call('session', 'GET', '/api-keys')
  return pick(body.items as { id: string }[], 0).id
}

async function lists(model: Model, _: object, who: Caller): Promise<void> {
  const reach = reachOf(model, who)
  for (const [path, needed, ids, placeOf] of [
    ['/devices?limit=100', 'devices: read', devices, (index: number) => model.placeOf[index]!],
    ['/spaces?limit=100', 'spaces: read', spaces, (index: number) => index],
  ] as const) {
    const { status, body } = await call(who, 'GET', path)
    if (!judge(reach, needed)) {
      // No place at all: a member with no role, or a credential that lacks the permission or has an empty list.
      assert.equal(status, 403, path)
      continue
    }
    assert.equal(status, 200, JSON.stringify(body))
    const expected = ids.filter((_, index) => judge(reach, needed, placeIds(model, placeOf(index))))
    assert.deepEqual(
      body.items.map(({ id }: { id: string }) => id).toSorted(),
      [...expected].toSorted(),
      `${who} ${path}`,
    )
  }
}

describe('permissions', () => {
  itKeepsTheModel<Model, object>('permissions', {
    commands,
    async look(model, real) {
      for (const who of callers) await lists(model, real, who)
    },
    async begin() {
      const { sql, clock } = service
      clock.forward(60)
      await world.refresh()
      await sql`update devices set space_id = null where customer_id = ${customer_id}`
      await sql`update spaces set parent_id = null where customer_id = ${customer_id}`
      const model: Model = {
        parents: spaces.map(() => null),
        placeOf: devices.map(() => null),
        own: [],
        ofGroup: [],
        inGroup: false,
        credentials: { api_key: { permissions: null, within: null }, bearer: { permissions: null, within: null } },
      }
      await mustSucceed(call('session', 'PUT', `/users/${robin.id}/roles`, { roles: [] }))
      await mustSucceed(call('session', 'PUT', `/groups/${group}/roles`, { roles: [] }))
      await mustSucceed(call('session', 'PATCH', `/users/${robin.id}`, { groups: [] }))
      for (const credential of ['api_key', 'bearer'] as const) await narrow(credential, model.credentials[credential])
      return { model, real: {} }
    },
  })
})
