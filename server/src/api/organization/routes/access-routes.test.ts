import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { password } from '../../../../../test/support/applications.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { createOrganization, sessionHeaders, type TestOrganization } from '../../../../../test/support/organization.ts'

const service = await startHarness()

interface Held {
  within: { id: string; path: string[] | null }[] | null
  by: { kind: string; role: string | null; group: { id: string; name: string } | null }
}
interface Access {
  kind: string
  id: string
  name: string
  active: boolean
  permissions: Record<string, string>
  held: Held[]
  more: boolean
}

describe('decision 6.54: who may do what, and why', () => {
  let organization: TestOrganization
  let oslo: string
  let floor: string
  let bergen: string
  let group: string
  const members: Record<string, { id: string; email: string }> = {}

  const send = async (method: 'POST' | 'PUT' | 'PATCH', path: string, body?: object) => {
    const response = await organization.call('session', method, path, body)
    assert.ok(response.status < 300, `${method} ${path}: ${response.raw}`)
    return response.body
  }
  const read = async (query: string): Promise<Access[]> => {
    const { status, body, raw } = await organization.call('session', 'GET', `/access?${query}`)
    assert.equal(status, 200, raw)
    return body.items
  }
  /** `manager of Oslo by Technicians` */
  const reasonsOf = ({ held }: Access) =>
    held.map(({ within, by }) => {
      const where = within?.map(({ path }) => path?.join(' / ') ?? 'a deleted space').join(', ') ?? 'everything'
      return `${by.role ?? by.kind} of ${where}${by.group ? ` by ${by.group.name}` : ''}`
    })
  const reasons = async (query: string) =>
    Object.fromEntries((await read(query)).map((access) => [access.name, reasonsOf(access).toSorted()]))

  before(async () => {
    organization = await createOrganization(service)
    oslo = (await send('POST', '/spaces', { name: 'Oslo' })).id
    floor = (await send('POST', '/spaces', { name: 'Ground floor', parent_id: oslo })).id
    bergen = (await send('POST', '/spaces', { name: 'Bergen' })).id
    group = (await send('POST', '/groups', { name: 'Technicians' })).id
    for (const name of ['Ann', 'Ben', 'Cy', 'Dora', 'Emil']) {
      const email = `${crypto.randomUUID()}@example.com`
      const person = { name, email, password, role: 'member' }
      const { body } = await service.operator('POST', `/customers/${organization.customer_id}/users`, person)
      members[name] = { id: body.id, email }
    }
    const give = (name: string, ...roles: object[]) => send('PUT', `/users/${members[name]!.id}/roles`, { roles })
    await give('Ann', { role: 'viewer', space_id: null })
    await give('Ben', { role: 'operator', space_id: floor }, { role: 'viewer', space_id: bergen })
    await give('Cy', { role: 'manager', space_id: oslo })
    await send('PUT', `/groups/${group}/roles`, { roles: [{ role: 'manager', space_id: oslo }] })
    for (const name of ['Ben', 'Dora']) await send('PUT', `/groups/${group}/members/${members[name]!.id}`)
    await send('PATCH', `/users/${members.Cy!.id}`, { active: false })
  })

  it('of a space: by a role there, above it or everywhere, directly and by groups, and administrators', async () => {
    const administrator = (await read(`user_id=${organization.administrator.id}`))[0]!.name
    assert.deepEqual(await reasons(`space_id=${floor}`), {
      [administrator]: ['administrator of everything'],
      Ann: ['viewer of everything'],
      Ben: ['manager of Oslo by Technicians', 'operator of Oslo / Ground floor'],
      Dora: ['manager of Oslo by Technicians'],
    })
    assert.deepEqual(await reasons(`space_id=${bergen}`), {
      [administrator]: ['administrator of everything'],
      Ann: ['viewer of everything'],
      Ben: ['viewer of Bergen'],
    })
    const [strongest] = reasonsOf((await read(`user_id=${members.Ben!.id}`))[0]!)
    assert.equal(strongest, 'manager of Oslo by Technicians', 'the strongest comes first')
    const [ben] = await read(`space_id=${bergen}&user_id=${members.Ben!.id}`)
    assert.deepEqual([ben!.permissions.devices, ben!.permissions.spaces], ['read', 'read'])
    const [dora] = await read(`space_id=${bergen}&user_id=${members.Dora!.id}`)
    assert.deepEqual([dora!.held, dora!.permissions.devices], [[], 'none'])
  })

  it('of all: whoever was given something, each page continues, and who is deactivated may do nothing', async () => {
    const all = await read('')
    assert.deepEqual(
      all.map(({ name }) => name).filter((name) => name in members),
      ['Ann', 'Ben', 'Cy', 'Dora'],
    )
    const cy = all.find(({ name }) => name === 'Cy')!
    assert.deepEqual([cy.active, cy.permissions.devices, reasonsOf(cy)], [false, 'none', ['manager of Oslo']])
    const pages: string[] = []
    for (let after = ''; ; ) {
      const { body } = await organization.call('session', 'GET', `/access?limit=2${after && `&after=${after}`}`)
      pages.push(...body.items.map(({ id }: Access) => id))
      if (!body.next) break
      after = body.next
    }
    assert.deepEqual(
      pages,
      all.map(({ id }) => id),
    )
  })

  it('of a user: the same roles by which requests are judged', async () => {
    for (const { id } of Object.values(members)) {
      const [access] = await read(`user_id=${id}`)
      const [row] = await service.sql<{ reach: { role: string; space_id: string | null }[] }[]>`
        select reach_of_member(${organization.customer_id}, ${id}) as reach`
      const shown = access!.held.map(({ within, by }) => `${by.role} ${within?.[0]?.id ?? null}`)
      assert.deepEqual(
        [...new Set(shown)].toSorted(),
        row!.reach.map(({ role, space_id }) => `${role} ${space_id}`).toSorted(),
      )
    }
  })

  it('of an application and an API key: what was approved or given, and a deleted space covers nothing', async () => {
    const { client_id } = organization.application
    const { customer_id } = organization
    const gone: string = (await send('POST', '/spaces', { name: 'Gone' })).id
    const permissions = { devices: 'read', spaces: 'none', people: 'read', audit: 'none' }
    await service.sql`
      insert into approvals (client_id, customer_id, approved_at) values (${client_id}, ${customer_id}, ${service.clock.now()})`
    const [full] = await read(`client_id=${client_id}`)
    assert.deepEqual([reasonsOf(full!), full!.permissions.people], [['approval of everything'], 'manage'])
    await service.sql`
      update approvals set permissions = ${service.sql.json(permissions)}, within = ${[oslo, gone]}
      where client_id = ${client_id} and customer_id = ${customer_id}`
    await organization.call('session', 'DELETE', `/spaces/${gone}`)
    const [narrowed] = await read(`client_id=${client_id}`)
    assert.deepEqual(reasonsOf(narrowed!), ['approval of Oslo, a deleted space'])
    assert.deepEqual([narrowed!.permissions.devices, narrowed!.permissions.spaces], ['read', 'none'])
    assert.deepEqual(Object.values(await reasons(`kind=application&space_id=${floor}`)), [['approval of Oslo']])
    assert.deepEqual(await read(`kind=application&space_id=${bergen}`), [])
    const { body } = await organization.call('session', 'GET', '/api-keys')
    const { id } = body.items[0]
    assert.deepEqual((await read(`api_key_id=${id}`)).map(reasonsOf), [['api_key of everything']])
    await service.sql`update api_keys set expires_at = ${service.clock.now()} where id = ${id}`
    const [expired] = await read(`api_key_id=${id}`)
    assert.deepEqual([expired!.active, expired!.permissions.devices], [false, 'none'])
    assert.deepEqual(await read(`kind=api_key&space_id=${floor}`), [])
    await service.sql`update api_keys set expires_at = null where id = ${id}`
    await service.sql`update approvals set permissions = null where customer_id = ${customer_id}`
  })

  it('only for administrators in the portal; unknown ids are a 404, and two at once a 422', async () => {
    for (const kind of ['bearer', 'api_key'] as const) {
      const { status, body } = await organization.call(kind, 'GET', '/access')
      assert.deepEqual([status, body.code], [403, 'portal_session_required'])
    }
    const headers = await sessionHeaders(service, { email: members.Dora!.email, password })
    const refused = await service.app.inject({ url: `/core/v1/organization/access?space_id=${oslo}`, headers })
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'administrators_only'])
    for (const name of ['space_id', 'user_id', 'client_id', 'api_key_id']) {
      const { status } = await organization.call('session', 'GET', `/access?${name}=${crypto.randomUUID()}`)
      assert.equal(status, 404, name)
    }
    const two = `/access?user_id=${members.Ann!.id}&client_id=${organization.application.client_id}`
    assert.equal((await organization.call('session', 'GET', two)).status, 422)
  })

  it('names a hundred reasons of one person at most, and judges by all of them', async () => {
    const { id } = members.Emil!
    await service.sql`
      with made as (
        insert into spaces (id, customer_id, name, created_at)
        select gen_random_uuid(), ${organization.customer_id}, 'Room ' || n, now() from generate_series(1, 120) n returning id)
      insert into space_roles (id, customer_id, user_id, space_id, role, created_at)
      select gen_random_uuid(), ${organization.customer_id}, ${id}, id, 'viewer', now() from made`
    const [emil] = await read(`user_id=${id}`)
    assert.deepEqual([emil!.held.length, emil!.more, emil!.permissions.devices], [100, true, 'read'])
  })
})
