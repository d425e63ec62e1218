import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newMac, newModel, register, send } from '../../../../../test/support/devices.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { createOrganization } from '../../../../../test/support/organization.ts'
import { newId } from '../../../platform/secrets/identifiers.ts'

const service = await startHarness()
const model = await newModel(service, 'Room sensor')
const organization = await createOrganization(service)
const other = await createOrganization(service)
type Owner = typeof organization
const call = organization.call.bind(organization, 'session')

async function claimed(name: string | null, change: object = {}, owner: Owner = organization) {
  const identity = { mac: newMac(), sn: `SN-${newMac()}` }
  const device = await register(service, model, identity)
  const claim = { ...identity, model_id: model.id, name, ...change }
  const { status, body } = await owner.call('session', 'POST', '/devices/claim', claim)
  assert.equal(status, 201, JSON.stringify(body))
  return { ...device, ...identity }
}
const namesOf = async (query: string) =>
  (await call('GET', `/devices?${query}`)).body.items.map(({ name }: { name: string }) => name)
const outcomesOf = ({ body }: Awaited<ReturnType<typeof call>>) =>
  body.results.map(({ outcome }: { outcome: string }) => outcome)

describe('device lists of an organization', () => {
  it('sorts by every field, both ways and page by page; a cursor is of one order', async () => {
    const [attic, barn] = [
      (await call('POST', '/spaces', { name: 'Attic' })).body.id,
      (await call('POST', '/spaces', { name: 'barn' })).body.id,
    ]
    const c = await claimed('sort c', { space_id: barn })
    service.clock.forward(1)
    await claimed('Sort B', { space_id: attic })
    const a = await claimed('sort a')
    await send(service, a, { status: 'online', telemetries: {} })
    service.clock.forward(1)
    await send(service, c, { status: 'error', telemetries: {} })
    const names = ['sort c', 'Sort B', 'sort a']
    const expected: Record<string, string[]> = {
      registered_at: names,
      name: ['sort a', 'Sort B', 'sort c'],
      status: ['sort c', 'Sort B', 'sort a'],
      last_seen_at: ['Sort B', 'sort a', 'sort c'],
      space: ['Sort B', 'sort c', 'sort a'],
    }
    for (const [sort, order] of Object.entries(expected)) {
      assert.deepEqual(await namesOf(`sort=${sort}`), order, sort)
      assert.deepEqual(await namesOf(`search=sort&sort=${sort}`), order, `${sort} of a search`)
      const paged: string[] = []
      for (let after = ''; ; ) {
        const { body } = await call('GET', `/devices?limit=1&sort=-${sort}${after && `&after=${after}`}`)
        paged.push(...body.items.map(({ name }: { name: string }) => name))
        if (body.next === null) break
        after = body.next
      }
      assert.deepEqual(paged, order.toReversed(), `-${sort}, page by page`)
    }
    for (const sort of ['mac', 'sn', 'model', '-mac', '-sn', '-model'])
      assert.equal((await namesOf(`sort=${sort}`)).length, 3)
    const { next } = (await call('GET', '/devices?limit=1&sort=name')).body
    assert.equal((await call('GET', `/devices?sort=status&after=${next}`)).status, 422)
    assert.equal((await call('GET', '/devices?sort=color')).status, 422)
    assert.deepEqual(await namesOf('no_space=true'), ['sort a'])
    assert.deepEqual((await call('GET', '/devices/total?no_space=true')).body, { total: 1, more: false })
    assert.deepEqual((await call('GET', '/devices/total?search=sort')).body, { total: 3, more: false })
    assert.equal((await call('GET', `/devices?search=${'x'.repeat(129)}`)).status, 422)
    assert.deepEqual(await namesOf('search=%00%01'), names)
  })

  it('filters by several statuses, with commas or repeated, in list, total and export; sorts by since', async () => {
    const mine = await claimed('many online')
    await send(service, mine, { status: 'online', telemetries: {} })
    const failing = await claimed('many error')
    service.clock.forward(1)
    await send(service, failing, { status: 'error', telemetries: {} })
    await claimed('many never')
    const find = (status: string, more = '') => namesOf(`search=many&${status}${more}`)
    assert.deepEqual(await find('status=error,never_seen'), ['many error', 'many never'])
    assert.deepEqual(await find('status=error&status=never_seen'), ['many error', 'many never'])
    assert.deepEqual(await find('status=error&status=online,never_seen'), ['many online', 'many error', 'many never'])
    assert.deepEqual(await find('status=never_seen,error,error', '&sort=status'), ['many error', 'many never'])
    assert.deepEqual(await find('status=online,error', '&sort=-status_at'), ['many error', 'many online'])
    assert.deepEqual((await call('GET', '/devices/total?search=many&status=online,error')).body.total, 2)
    for (const wrong of ['broken', 'online,', ',online', 'online,broken', '', 'online,'.repeat(20)]) {
      assert.equal((await call('GET', `/devices?status=${wrong}`)).status, 422, wrong)
    }
    const csv = (await call('GET', '/devices.csv?search=many&status=online,error')).body as string
    const [header, ...lines] = csv.trim().split('\r\n')
    assert.match(header!, /name,status,since,reason,alarm,last_seen_at,model,space,/)
    assert.deepEqual(
      lines.map((line) => line.split(',').slice(0, 4)),
      await Promise.all(
        [mine, failing].map(async ({ id }) => {
          const { name, status, status_at, reason } = (await call('GET', `/devices/${id}`)).body
          return [name, status, status_at, reason ?? '']
        }),
      ),
    )
    const query = { status: 'error,offline', columns: ['since', 'reason'] }
    const view = await call('POST', '/device-views', { name: 'Broken', query })
    assert.deepEqual([view.status, view.body.query], [201, query])
    await call('DELETE', `/device-views/${view.body.id}`)
  })

  it('decision 7.41: renames and moves with an outcome each, audited each; a repeated list changes nothing', async () => {
    const [one, two] = [await claimed('bulk 1'), await claimed('bulk 2')]
    const foreign = await claimed('theirs', {}, other)
    const space = (await call('POST', '/spaces', { name: 'Bulk' })).body.id
    const theirs = (await other.call('session', 'POST', '/spaces', { name: 'Theirs' })).body.id
    const lines = [
      { id: one.id, name: 'Bulk A', space_id: space },
      { id: two.id, space_id: theirs },
      { id: foreign.id, name: 'mine' },
      { id: newId(), name: 'nobody' },
      { id: two.id, name: '' },
      { id: 'x', name: 'x' },
      'text',
    ]
    const changed = await call('POST', '/devices/change-list', { devices: lines })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
    const failures = ['unknown_space', 'not_found', 'not_found', 'invalid', 'invalid', 'invalid']
    assert.deepEqual(outcomesOf(changed), ['changed', ...failures])
    assert.deepEqual(changed.body.results[4].details[0].field, 'name')
    assert.deepEqual(outcomesOf(await call('POST', '/devices/change-list', { devices: lines })), [
      'unchanged',
      ...failures,
    ])
    const { name, space_id } = (await call('GET', `/devices/${one.id}`)).body
    assert.deepEqual([name, space_id], ['Bulk A', space])
    const audit = (await call('GET', `/audit-events?type=device.changed&device_id=${one.id}`)).body.items
    assert.deepEqual(
      audit.map(({ details }: { details: { fields: string[] } }) => details.fields),
      [['name', 'space_id']],
    )
    for (const body of [{}, { devices: [] }, { devices: Array(1_001).fill(lines[0]) }]) {
      assert.equal((await call('POST', '/devices/change-list', body)).status, 422)
    }
    // Two lists with the same devices, in opposite orders, at once: both end, and one name wins everywhere.
    const both = [one.id, two.id]
    const rename = (ids: string[], name: string) =>
      call('POST', '/devices/change-list', { devices: ids.map((id) => ({ id, name })) })
    await Promise.all(Array.from({ length: 6 }, (_, n) => rename(n % 2 ? both : both.toReversed(), `turn ${n}`)))
    const [first, second] = await Promise.all(both.map(async (id) => (await call('GET', `/devices/${id}`)).body.name))
    assert.equal(first, second)
  })

  it('removes with an outcome each; two at once remove each device once', async () => {
    const gone = [await claimed('gone 1'), await claimed('gone 2')]
    const foreign = await claimed('stays', {}, other)
    const device_ids = [...gone.map(({ id }) => id), foreign.id]
    await call('PATCH', `/devices/${gone[0]!.id}`, { tags: ['old'], note: 'old' })
    const results = await Promise.all([1, 2].map(() => call('POST', '/devices/remove-list', { device_ids })))
    assert.deepEqual(results.map(outcomesOf).toSorted(), [
      ['already_removed', 'already_removed', 'not_found'],
      ['removed', 'removed', 'not_found'],
    ])
    const audit = (await call('GET', '/audit-events?type=device.removed&limit=100')).body.items
    assert.equal(audit.length, 2, 'one event per device')
    assert.equal((await send(service, gone[0]!, { status: 'online', telemetries: {} })).status, 410)
    assert.equal((await other.call('session', 'GET', `/devices/${foreign.id}`)).status, 200)
    const [left] = await service.sql`
      select (select count(*)::int from device_tags where device_id = ${gone[0]!.id})
        + (select count(*)::int from device_notes where device_id = ${gone[0]!.id}) as count`
    assert.equal(left!.count, 0, 'tags and notes end with the device')
  })

  it('decision 7.43: tags and a note are the customer’s own, bounded, and filter the list', async () => {
    const { id } = await claimed('tagged')
    const path = `/devices/${id}`
    const before = await call('GET', path)
    const patched = await call('PATCH', path, { tags: ['Roof', ' roof ', 'Ünit'], note: '  Mind the\nladder ' })
    assert.deepEqual([patched.body.tags, patched.body.note], [['roof', 'ünit'], 'Mind the\nladder'])
    assert.deepEqual(await namesOf('tag=ROOF'), ['tagged'])
    assert.deepEqual(await namesOf('tag=roof&search=tag&status=never_seen&sort=-name'), ['tagged'])
    assert.deepEqual((await call('GET', '/devices/total?tag=roof')).body, { total: 1, more: false })
    assert.deepEqual((await call('GET', '/device-tags?limit=1')).body, { items: [{ tag: 'roof' }], next: 'roof' })
    assert.deepEqual((await call('GET', '/device-tags?after=roof')).body, { items: [{ tag: 'ünit' }], next: null })
    const old = { 'if-match': before.headers.etag as string }
    assert.equal((await organization.call('session', 'PATCH', path, { note: null }, old)).status, 412)
    for (const change of [
      { tags: Array.from({ length: 21 }, (_, n) => `t${n}`) },
      { tags: ['x'.repeat(41)] },
      { tags: ['a,b'] },
      { tags: ['\u0000'] },
      { tags: [' '] },
      { note: 'x'.repeat(2_001) },
      { note: '\u0000' },
    ]) {
      assert.equal((await call('PATCH', path, change)).status, 422, JSON.stringify(change).slice(0, 80))
    }
    assert.deepEqual((await other.call('session', 'GET', '/device-tags')).body.items, [])
    assert.deepEqual((await other.call('session', 'GET', '/devices?tag=roof')).body.items, [])
    assert.deepEqual((await call('PATCH', path, { tags: [], note: null })).body.tags, [])
    assert.deepEqual((await call('GET', '/device-tags')).body.items, [])
  })

  it('exports what matches, or what was chosen, and no cell is a formula', async () => {
    const space = (await call('POST', '/spaces', { name: 'Hall', parent_id: null })).body.id
    const room = (await call('POST', '/spaces', { name: 'Room, 1', parent_id: space })).body.id
    const one = await claimed('=HYPERLINK("http://x")', { space_id: room })
    const two = await claimed('export 2')
    await call('PATCH', `/devices/${one.id}`, { tags: ['@sum'], note: '+1' })
    const { registered_at } = (await call('GET', `/devices/${one.id}`)).body
    const csv = await call('GET', '/devices.csv?search=hyperlink')
    assert.match(String(csv.headers['content-disposition']), /; filename\*=UTF-8''[\w%-]+_devices_2026-03-01\.csv$/)
    const log = (await call('GET', '/audit-events?type=data.exported')).body.items
    assert.deepEqual(log[0].details, { what: 'devices', format: 'csv', search: 'hyperlink' })
    assert.match(String(csv.headers['content-type']), /^text\/csv/)
    const [header, line, end] = (csv.body as string).split('\r\n')
    assert.equal(header!.split(',')[0], '\ufeffname')
    assert.ok(
      line!.startsWith(
        `"'=HYPERLINK(""http://x"")",never_seen,${registered_at},never_seen,,,Room sensor,"Hall / Room, 1",${one.mac},`,
      ),
      line,
    )
    assert.ok(line!.includes(",'@sum,'+1,"), line)
    assert.equal(end, '')
    const foreign = await claimed('export theirs', {}, other)
    const chosen = await call('POST', '/devices.csv', { device_ids: [two.id, one.id, foreign.id, two.id] })
    const ids = (chosen.body as string)
      .trim()
      .split('\r\n')
      .slice(1)
      .map((text) => text.split(',').at(-1))
    assert.deepEqual(ids, [two.id, one.id])
    assert.equal((await call('POST', '/devices.csv', { device_ids: Array(1_001).fill(two.id) })).status, 422)
    // The portal sends a key with every POST: what it exports must not stay in the database.
    for (let time = 0; time < 2; time += 1) {
      const keyed = await call(
        'POST',
        '/devices.csv',
        { device_ids: [two.id, one.id] },
        { 'idempotency-key': 'export' },
      )
      assert.equal(keyed.raw, chosen.raw)
    }
    assert.equal((await service.sql`select from idempotency_keys`).length, 0)
  })

  it('decision 7.42: views are saved under a name, for the organization, up to 50', async () => {
    const query = { status: 'offline', no_space: true, sort: '-name', columns: ['status', 'tags'] }
    const saved = await call('POST', '/device-views', { name: 'Roof', query })
    assert.deepEqual([saved.status, saved.body.query], [201, query])
    const path = `/device-views/${saved.body.id}`
    assert.equal((await call('POST', '/device-views', { name: 'ROOF', query: {} })).body.code, 'name_taken')
    const read = await call('GET', path)
    const ifMatch = { 'if-match': read.headers.etag as string }
    const renamed = await organization.call('session', 'PATCH', path, { name: 'Top' }, ifMatch)
    assert.deepEqual([renamed.status, renamed.body.name], [200, 'Top'])
    assert.equal((await organization.call('session', 'PATCH', path, { name: 'Late' }, ifMatch)).status, 412)
    for (const method of ['GET', 'DELETE'] as const)
      assert.equal((await other.call('session', method, path)).status, 404)
    assert.equal((await other.call('session', 'PATCH', path, { name: 'x' })).status, 404)
    assert.deepEqual((await other.call('session', 'GET', '/device-views')).body.items, [])
    for (const wrong of [{ color: 1 }, { sort: 'color' }, { columns: ['x'] }, { columns: ['sn', 'sn'] }]) {
      assert.equal((await call('POST', '/device-views', { name: 'wrong', query: wrong })).status, 422)
    }
    // As many at once as there is room for, and three more.
    const many = await Promise.all(
      Array.from({ length: 52 }, (_, n) => call('POST', '/device-views', { name: `View ${n}`, query: {} })),
    )
    assert.equal(many.filter(({ status }) => status === 201).length, 49)
    assert.ok(many.every(({ status, body }) => status === 201 || body.code === 'too_many_views'))
    assert.equal((await call('DELETE', path)).status, 204)
    assert.equal((await call('POST', '/device-views', { name: 'Room again', query: {} })).status, 201)
  })
})
