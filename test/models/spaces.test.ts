import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import { registerApplication, type TestApplication } from '../support/applications.ts'
import { newModel, register, registration } from '../support/devices.ts'
import { Etags } from './etags.ts'
import * as rules from './rules/spaces.ts'
import { type Match, matches } from './rules/verdict.ts'
import { assertVerdict, command, itKeepsTheModel, pick, readAll } from './run-model.ts'
import { mustSucceed, startWorld } from './world.ts'

const [maxSpaces, maxLevels] = [9, 4]
const world = await startWorld({ LANDBRIDGE_QUOTAS: `spaces=${maxSpaces},levels=${maxLevels}` })
const { service, organization, call } = world
const { customer_id } = organization
const applications: Record<rules.Application, TestApplication> = {
  bearer: organization.application,
  other_app: await registerApplication(service),
}
const deviceModel = await newModel(service)
const label = registration(deviceModel) as { mac: string; sn: string }
await register(service, deviceModel, label)
const claim = { mac: label.mac, sn: label.sn, model_id: deviceModel.id }
const device = (await mustSucceed(call('session', 'POST', '/devices/claim', claim))).body.id as string

/** Those whose tokens work, from one sequence to the next. */
const approved = new Set<rules.Application>(['bearer'])

type Model = rules.Spaces
type Real = Etags

const who = fc.constantFrom(
  ...rules.actors,
  'session' as const,
  'bearer' as const,
  'bearer' as const,
  'other_app' as const,
)
// Twice the same but for its case, also in Greek, where a word ends with another letter in lower case.
const name = fc.constantFrom('Hall', 'hall', 'HALL', 'ΟΔΟΣ', 'οδος', 'Åre', 'åre', '1 % _', 'Attic')
const names = fc.array(name, { minLength: 1, maxLength: 5 })
/** None, or one of those that were ever created. */
const place = fc.option(fc.nat(), { freq: 3 })
const hasSpaces = ({ spaces }: Model) => spaces.length > 0
const toSpace = ({ spaces }: Model, which: number | null) =>
  which === null || spaces.length === 0 ? null : pick(spaces, which)
const clientOf = (application: rules.Application | null) => application && applications[application].client_id

function assertSpace(body: Record<string, unknown>, { id, name, parent, syncedBy }: rules.Space): void {
  const { created_at: _, ...rest } = body
  const synced_by = clientOf(syncedBy)
  const expected = { id, name, parent_id: parent?.id ?? null, synced: synced_by !== null, synced_by }
  assert.deepEqual(
    { id: rest.id, name: rest.name, parent_id: rest.parent_id, synced: rest.synced, synced_by: rest.synced_by },
    expected,
  )
}

async function noteEtag(etags: Etags, id: string): Promise<void> {
  etags.note(id, await call('session', 'GET', `/spaces/${id}`))
}

interface Creation {
  who: rules.Actor
  name: string
  under: number | null
  synced: boolean
}

interface Change {
  who: rules.Actor
  which: number
  match: Match
  name?: string
  under?: number | null
  stopSyncing?: boolean
}

const commands = [
  command<Model, Real, Creation>(
    'create',
    fc.record({ who, name, under: place, synced: fc.boolean() }),
    async (model, etags, { who, name, under, synced }) => {
      const parent = toSpace(model, under)
      const verdict = rules.creating(model, { who, name, parent, synced })
      const body = { name, ...(parent ? { parent_id: parent.id } : {}), ...(synced ? { synced } : {}) }
      const response = await call(who, 'POST', '/spaces', body)
      if (!assertVerdict(response, verdict)) return
      const syncedBy = synced ? (who as rules.Application) : null
      const space = { id: response.body.id, name, parent, syncedBy, deleted: false }
      model.spaces.push(space)
      assertSpace(response.body, space)
      await noteEtag(etags, space.id)
    },
    // What another organization creates for itself is not part of this model.
    {
      when: (model, { who, under, synced }) => who !== 'stranger' || synced || toSpace(model, under) !== null,
      weight: 4,
    },
  ),
  command<Model, Real, Change>(
    'change',
    fc.record(
      { who, which: fc.nat(), match: fc.constantFrom(...matches), name, under: place, stopSyncing: fc.constant(true) },
      { requiredKeys: ['who', 'which', 'match'] },
    ),
    async (model, etags, { who, which, match, name, under, stopSyncing }) => {
      const space = pick(model.spaces, which)
      const parent = under === undefined ? undefined : toSpace(model, under)
      const change = { name, parent, stopSyncing }
      const verdict = rules.changing(model, { who, space, change, match })
      const body = {
        ...(name === undefined ? {} : { name }),
        ...(parent === undefined ? {} : { parent_id: parent?.id ?? null }),
        ...(stopSyncing ? { synced: false } : {}),
      }
      const response = await call(who, 'PATCH', `/spaces/${space.id}`, body, etags.header(space.id, match))
      if (!assertVerdict(response, verdict)) return
      rules.applyChange(space, change)
      assertSpace(response.body, space)
      etags.note(space.id, response)
    },
    {
      when: (model, { name, under, stopSyncing }) =>
        hasSpaces(model) && (name !== undefined || under !== undefined || stopSyncing !== undefined),
      weight: 4,
    },
  ),
  command<Model, Real, { who: rules.Actor; which: number }>(
    'delete',
    fc.record({ who, which: fc.nat() }),
    async (model, _, { who, which }) => {
      const space = pick(model.spaces, which)
      const verdict = rules.deleting(model, who, space)
      if (assertVerdict(await call(who, 'DELETE', `/spaces/${space.id}`), verdict)) space.deleted = true
    },
    { when: hasSpaces, weight: 2 },
  ),
  command<Model, Real, { who: rules.Actor; which: number }>(
    'read',
    fc.record({ who, which: fc.nat() }),
    async (model, _, { who, which }) => {
      const space = pick(model.spaces, which)
      const response = await call(who, 'GET', `/spaces/${space.id}`)
      if (assertVerdict(response, rules.reading(model, who, space))) assertSpace(response.body, space)
    },
    { when: hasSpaces },
  ),
  command<Model, Real, { who: rules.Actor; path: string[]; synced: boolean }>(
    'find or create',
    fc.record({ who, path: names, synced: fc.boolean() }),
    async (model, etags, { who, path, synced }) => {
      const verdict = rules.finding(model, { who, path, synced })
      const response = await call(who, 'POST', '/spaces/find-or-create', { path, synced })
      if (!assertVerdict(response, verdict)) return
      const along = rules.alongPath(model, path)
      // Of what is created on the way, the response has only the last.
      const ids = [response.body.id as string]
      const { items } = (await call('session', 'GET', '/spaces?limit=100')).body
      const parentOf = new Map<string, string>(
        items.map((item: { id: string; parent_id: string }) => [item.id, item.parent_id]),
      )
      while (ids.length < path.length - along.length) ids.unshift(parentOf.get(ids[0]!)!)
      for (const name of path.slice(along.length)) {
        const last = along.length === path.length - 1
        const syncedBy = last && synced ? (who as rules.Application) : null
        const space = { id: ids.shift()!, name, parent: along.at(-1) ?? null, syncedBy, deleted: false }
        model.spaces.push(space)
        along.push(space)
        await noteEtag(etags, space.id)
      }
      assertSpace(response.body, along.at(-1)!)
    },
    { when: (_, { who }) => who !== 'stranger', weight: 2 },
  ),
  command<Model, Real, { who: rules.Actor; paths: string[][] }>(
    'import',
    fc.record({ who, paths: fc.array(names, { minLength: 1, maxLength: 4 }) }),
    async (model, etags, { who, paths }) => {
      const { verdict, after, ends } = rules.importing(model, who, paths)
      const response = await call(who, 'POST', '/spaces/import', { paths })
      if (!assertVerdict(response, verdict)) return
      const added = after.spaces.slice(model.spaces.length)
      assert.equal(response.body.created, added.length)
      const { items } = (await call('session', 'GET', '/spaces?limit=100')).body
      for (const space of added) {
        const isIt = (item: Record<string, unknown>) =>
          item.name === space.name && item.parent_id === (space.parent?.id ?? null)
        space.id = items.find(isIt)?.id ?? assert.fail(`${space.name} was not created`)
        await noteEtag(etags, space.id)
      }
      const got = response.body.results.map((result: { space_id: string }) => result.space_id)
      assert.deepEqual(
        got,
        ends.map(({ id }) => id),
      )
      model.spaces.push(...added)
    },
    { when: (_, { who }) => who !== 'stranger' },
  ),
  command<Model, Real, { under: number | null }>(
    'put the device into',
    fc.record({ under: place }),
    async (model, _, { under }) => {
      const space = toSpace(model, under)
      const response = await call('session', 'PATCH', `/devices/${device}`, { space_id: space?.id ?? null })
      const refusals = space?.deleted ? ['404 not_found'] : []
      if (assertVerdict(response, { status: 200, refusals })) model.deviceIn = space
    },
  ),
  command<Model, Real, { application: rules.Application }>(
    'withdraw the approval',
    fc.record({ application: fc.constantFrom('bearer' as const, 'other_app' as const) }),
    async (model, etags, { application }) => {
      const response = await call('session', 'DELETE', `/connected-apps/${clientOf(application)}`)
      approved.delete(application)
      const touched = rules.live(model).filter(({ syncedBy }) => syncedBy === application)
      assert.equal(response.status, 200)
      assert.equal(response.body.spaces_released, rules.withdraw(model, application))
      for (const { id } of touched) await noteEtag(etags, id)
    },
    { when: (model, { application }) => model.approved.has(application) },
  ),
]

async function look(model: Model): Promise<void> {
  for (const who of rules.actors) {
    const first = await call(who, 'GET', '/spaces?limit=3')
    const { refusals } = rules.listing(model, who)
    if (!assertVerdict(first, { status: 200, refusals })) continue
    const items = await readAll((page) => call(who, 'GET', `/spaces?${page}`))
    const byId = new Map(items.map((item) => [item.id, item]))
    const expected = who === 'stranger' ? [] : rules.live(model)
    assert.equal(byId.size, items.length)
    assert.equal(byId.size, expected.length)
    for (const space of expected) assertSpace(byId.get(space.id)!, space)
  }
  const tops = await readAll((page) => call('viewer', 'GET', `/spaces?parent_id=root&${page}`), 2)
  const expected = rules.live(model).filter(({ parent }) => parent === null)
  assert.deepEqual(tops.map(({ id }) => id).toSorted(), expected.map(({ id }) => id).toSorted())
  const { body } = await call('viewer', 'GET', `/devices/${device}`)
  assert.equal(body.space_id, model.deviceIn?.id ?? null)
  assert.deepEqual(body.space_path, rules.pathOf(model.deviceIn))
}

describe('spaces', () => {
  itKeepsTheModel<Model, Real>('spaces', {
    commands,
    look,
    async begin() {
      const { sql, clock } = service
      // The limits of sign-ins count by the minute.
      clock.forward(60)
      if (await world.refresh()) approved.clear()
      await sql`update devices set space_id = null where id = ${device}`
      await sql`delete from spaces where customer_id = ${customer_id}`
      for (const name of ['bearer', 'other_app'] as const) {
        if (!approved.has(name)) await world.approve(name, applications[name])
        approved.add(name)
      }
      const model: Model = { spaces: [], deviceIn: null, approved: new Set(approved), maxSpaces, maxLevels }
      return { model, real: new Etags() }
    },
  })
})
