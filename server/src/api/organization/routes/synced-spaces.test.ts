import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { connect } from '../../../../../test/support/applications.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { overlap } from '../../../../../test/support/locks.ts'
import { createOrganization, type TestOrganization } from '../../../../../test/support/organization.ts'

const service = await startHarness()

type Caller = 'its application' | 'another application' | 'api key' | 'administrator'
type Action = 'rename' | 'delete' | 'move' | 'move its parent' | 'move its grandparent' | 'delete its parent' | 'let go'

/** Decision 7.14: the customer itself may rename and delete a synced space, another application may not, and nobody may move it. */
const table: Record<Action, Record<Caller, [status: number, code?: string]>> = {
  rename: row([200], [403, 'synced_by_another'], [200], [200]),
  delete: row([204], [403, 'synced_by_another'], [204], [204]),
  move: everyone([422, 'space_move_refused']),
  'move its parent': everyone([422, 'space_move_refused']),
  'move its grandparent': everyone([422, 'space_move_refused']),
  'delete its parent': everyone([409, 'space_not_empty']),
  'let go': row([200], [403, 'synced_by_another'], [403, 'synced_by_another'], [403, 'synced_by_another']),
}

function row(...expected: [number, string?][]): Record<Caller, [number, string?]> {
  const [own, another, key, administrator] = expected
  return { 'its application': own!, 'another application': another!, 'api key': key!, administrator: administrator! }
}

function everyone(expected: [number, string?]) {
  return row(expected, expected, expected, expected)
}

describe('1.6 decision 7.14 who may do what with a synced space', () => {
  let organization: TestOrganization
  let headersOf: Record<Caller, Record<string, string>>
  before(async () => {
    organization = await createOrganization(service)
    const { application, customer_id, administrator, headers } = organization
    const second = (await createOrganization(service)).application
    const own = { customer_id, user_id: administrator.id }
    const { access_token } = await connect(service, { ...second, ...own })
    for (const { client_id } of [application, second]) {
      await service.sql`
        insert into approvals (client_id, customer_id, approved_at)
        values (${client_id}, ${customer_id}, ${service.clock.now()}) on conflict do nothing`
    }
    headersOf = {
      'its application': headers.bearer,
      'another application': { authorization: `Bearer ${access_token}` },
      'api key': headers.api_key,
      administrator: headers.session,
    }
  })
  const call = async (caller: Caller, method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
    const payload = body === undefined ? {} : { payload: body }
    const url = `/core/v1/organization/spaces${path}`
    const response = await service.app.inject({ method, url, headers: headersOf[caller], ...payload })
    return { status: response.statusCode, body: response.body === '' ? {} : response.json() }
  }
  let count = 0
  const createSpace = async (caller: Caller, body: object): Promise<string> => {
    count += 1
    const created = await call(caller, 'POST', '', { name: `Space ${count}`, ...body })
    assert.equal(created.status, 201)
    return created.body.id
  }
  const stateOf = async (id: string) =>
    (await service.sql`select parent_id, name, synced_by from spaces where id = ${id}`)[0]

  for (const [action, expectations] of Object.entries(table) as [Action, (typeof table)[Action]][]) {
    for (const [caller, [status, code]] of Object.entries(expectations) as [Caller, [number, string?]][]) {
      it(`${action} by ${caller} → ${status} ${code ?? ''}`, async () => {
        const grandparent = await createSpace('administrator', {})
        const parent = await createSpace('administrator', { parent_id: grandparent })
        const elsewhere = await createSpace('administrator', {})
        const id = await createSpace('its application', { parent_id: parent, synced: true })
        const before = await stateOf(id)
        const actions: Record<Action, () => ReturnType<typeof call>> = {
          rename: () => call(caller, 'PATCH', `/${id}`, { name: 'Renamed' }),
          delete: () => call(caller, 'DELETE', `/${id}`),
          move: () => call(caller, 'PATCH', `/${id}`, { parent_id: elsewhere }),
          'move its parent': () => call(caller, 'PATCH', `/${parent}`, { parent_id: elsewhere }),
          'move its grandparent': () => call(caller, 'PATCH', `/${grandparent}`, { parent_id: elsewhere }),
          'delete its parent': () => call(caller, 'DELETE', `/${parent}`),
          'let go': () => call(caller, 'PATCH', `/${id}`, { synced: false }),
        }
        const response = await actions[action]()
        assert.deepEqual([response.status, response.body.code], [status, code])
        if (status >= 400) assert.deepEqual(await stateOf(id), before)
      })
    }
  }

  it("an application that stops syncing its space cannot move another application's space with it", async () => {
    const elsewhere = await createSpace('administrator', {})
    const outer = await createSpace('its application', { synced: true })
    await createSpace('another application', { parent_id: outer, synced: true })
    const refused = await call('its application', 'PATCH', `/${outer}`, { synced: false, parent_id: elsewhere })
    assert.deepEqual([refused.status, refused.body.code], [422, 'space_move_refused'])
    assert.equal((await stateOf(outer))?.synced_by, organization.application.client_id)
  })

  it('a parent can be moved once its synced space is no longer synced', async () => {
    const [parent, elsewhere] = [await createSpace('administrator', {}), await createSpace('administrator', {})]
    const id = await createSpace('its application', { parent_id: parent, synced: true })
    assert.equal((await call('its application', 'PATCH', `/${id}`, { synced: false })).status, 200)
    assert.equal((await call('administrator', 'PATCH', `/${parent}`, { parent_id: elsewhere })).status, 200)
  })

  it('a space becomes synced while its parent is moved on another connection: the move waits and is refused', async () => {
    const [parent, elsewhere] = [await createSpace('administrator', {}), await createSpace('administrator', {})]
    const [created, moved] = await overlap(
      service.sql,
      () => call('its application', 'POST', '', { name: 'Cloud room', parent_id: parent, synced: true }),
      () => call('administrator', 'PATCH', `/${parent}`, { parent_id: elsewhere }),
    )
    assert.deepEqual([created.status, moved.status, moved.body.code], [201, 422, 'space_move_refused'])
  })

  it('a space created as synced after the move began lands below the moved space', async () => {
    const [parent, elsewhere] = [await createSpace('administrator', {}), await createSpace('administrator', {})]
    const [moved, created] = await overlap(
      service.sql,
      () => call('administrator', 'PATCH', `/${parent}`, { parent_id: elsewhere }),
      () => call('its application', 'POST', '', { name: 'Cloud room', parent_id: parent, synced: true }),
    )
    assert.deepEqual([moved.status, created.status], [200, 201])
    assert.equal((await stateOf(created.body.id))?.parent_id, parent)
  })
})
