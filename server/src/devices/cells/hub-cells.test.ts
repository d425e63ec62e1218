import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newModel, online, post, register, send } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { until } from '../../../../test/support/until.ts'
import { runJob } from '../../platform/jobs.ts'
import { StartFailure } from '../../platform/process/start-failure.ts'
import { bucketOf } from '../bucket.ts'
import { hubCellsJob } from './cell-map.ts'
import { joinCell } from './join-cell.ts'

const environmentOf = (cell: string) => ({
  LANDBRIDGE_CELL: cell,
  LANDBRIDGE_HUB_URL: `https://${cell}.test`,
  LANDBRIDGE_STATIC_CERT_URL: `https://${cell}.test:8443`,
  LANDBRIDGE_MQTT_URL: `mqtts://${cell}.test:8883`,
})

const unnamed = await startHarness()
const { sql, clock } = unnamed
const model = await newModel(unnamed)
const before = await register(unnamed, model)

const start = (cell: string) => startHarness(environmentOf(cell), { beside: unnamed })
const [a, b] = await Promise.all([start('a'), start('b')])
const all = [unnamed, a, b]

const operator = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => {
  const response = await a.operator(method, `/hub-cells${path}`, body)
  // The notification of the change is on its way to all of them.
  await Promise.all(all.map(({ context }) => context.cells.read()))
  return response
}
const counts = async () => {
  const { body } = await a.operator('GET', '/hub-cells')
  return Object.fromEntries(body.items.map((cell: { name: string; buckets: number }) => [cell.name, cell.buckets]))
}
/** Says that every cell runs. */
const beat = () => Promise.all([a, b].map(({ context }) => runJob(sql, hubCellsJob(context))))
const pass = async (seconds: number) => {
  clock.forward(seconds)
  await beat()
}
/** A device of each cell, by what registration handed out. */
async function deviceOf(cell: string) {
  for (;;) {
    const device = await register(a, model)
    if (device.hub_url === `https://${cell}.test`) return device
  }
}
const storedOf = async ({ id }: { id: string }) => {
  const [row] = await sql`
    select count(*)::int as stored from history join devices on number = device_number where id = ${id}`
  return row!.stored
}
const cellOf = async ({ id }: { id: string }) => {
  const [row] = await sql`select cell from cell_buckets where bucket = ${bucketOf(id)}`
  return row!.cell
}

describe('a service without cells', () => {
  it('hands out its own addresses, and knows of no cell', async () => {
    assert.equal(before.hub_url, 'http://landbridge.test')
    assert.equal(before.hub_url_static_cert, 'https://landbridge.test:8443')
    assert.equal(before.mqtt_hub_url, 'mqtts://landbridge.test:8883')
    assert.deepEqual((await unnamed.operator('GET', '/hub-cells')).body, { items: [], next: null })
    assert.equal((await unnamed.operator('POST', '/hub-cells/rebalance')).body.code, 'no_open_cell')
  })
})

describe('decision 3.18: cells join with their addresses', () => {
  it('the first of a database gets every bucket, also of two processes that start at once; the next one none', async () => {
    await Promise.all([joinCell(a.context), joinCell(a.context)])
    await joinCell(b.context)
    assert.deepEqual(await counts(), { a: 1024, b: 0 })
    const added =
      await sql`select details ->> 'cell' as cell from audit_events where type = 'hub_cell.added' order by at, cell`
    assert.deepEqual(
      added.map(({ cell }) => cell),
      ['a', 'b'],
    )
  })

  it('every process, also one without a cell, hands out the addresses of the bucket of the device', async () => {
    await Promise.all(all.map(({ context }) => context.cells.read()))
    for (const service of all) {
      const device = await register(service, model)
      assert.deepEqual(
        [device.hub_url, device.hub_url_static_cert, device.mqtt_hub_url],
        ['https://a.test', 'https://a.test:8443', 'mqtts://a.test:8883'],
      )
    }
  })

  it('the address of another cell is refused at the start, and names its variable', async () => {
    const wrong = await startHarness(
      { ...environmentOf('c'), LANDBRIDGE_MQTT_URL: 'mqtts://a.test:8883' },
      { beside: unnamed },
    )
    await assert.rejects(joinCell(wrong.context), (error) => {
      assert.ok(error instanceof StartFailure)
      assert.match(error.message, /^LANDBRIDGE_MQTT_URL is the address of another hub cell/)
      return true
    })
    assert.deepEqual(await counts(), { a: 1024, b: 0 })
  })

  it('new addresses of a cell take effect with the start of the first process that has them', async () => {
    const renamed = await startHarness(
      { ...environmentOf('b'), LANDBRIDGE_HUB_URL: 'https://b2.test' },
      { beside: unnamed },
    )
    await joinCell(renamed.context)
    const { body } = await a.operator('GET', '/hub-cells')
    assert.equal(body.items[1].hub_url, 'https://b2.test')
    await joinCell(b.context)
    const [{ changes }] = (await sql`
      select count(*)::int as changes from audit_events where type = 'hub_cell.addresses_changed'`) as [
      { changes: number },
    ]
    assert.equal(changes, 2)
  })
})

describe('decision 3.18: an operator moves buckets', () => {
  it('some first, then even shares: two operators at once move each bucket once', async () => {
    const { status, body } = await operator('POST', '/b/move', { buckets: 1, redirect_over_seconds: 0 })
    assert.deepEqual([status, body.moved], [200, 1])
    const release = await holdLocks(sql, (hold) => hold`lock table hub_cells in share row exclusive mode`)
    const both = [a, b].map((service) => service.operator('POST', '/hub-cells/rebalance', { redirect_over_seconds: 0 }))
    await untilWaiting(sql, 2)
    await release()
    const moved = (await Promise.all(both)).map((response) => response.body.moved)
    assert.deepEqual(moved.toSorted(), [0, 511])
    assert.deepEqual(await counts(), { a: 512, b: 512 })
    const events = await sql`
      select details ->> 'from' as "from", details ->> 'to' as "to", (details ->> 'buckets')::int as buckets
      from audit_events where type = 'hub_cell.buckets_moved' order by at, buckets`
    assert.deepEqual(
      events.map((event) => ({ ...event })),
      [
        { from: 'a', to: 'b', buckets: 1 },
        { from: 'a', to: 'b', buckets: 511 },
      ],
    )
  })

  it('every process learns of it by a notification', async () => {
    const device = await deviceOf('b')
    await a.operator('POST', '/hub-cells/b/drain', { redirect_over_seconds: 0 })
    await until(() => unnamed.context.cells.addressesOf(device.id)?.hub_url === 'https://a.test', 'the new map')
    await a.operator('POST', '/hub-cells/b/open')
    await operator('POST', '/rebalance', { redirect_over_seconds: 0 })
    assert.deepEqual(await counts(), { a: 512, b: 512 })
  })

  it('what cannot be done is refused and changes nothing', async () => {
    const refusedWith = async (path: string, body: object) => {
      const response = await operator('POST', path, body)
      return [response.status, response.body.code]
    }
    assert.deepEqual(await refusedWith('/x/move', { buckets: 1 }), [404, 'not_found'])
    assert.deepEqual(await refusedWith('/a/move', { buckets: 1, from_cell: 'x' }), [404, 'not_found'])
    assert.deepEqual(await refusedWith('/a/move', { buckets: 513, from_cell: 'b' }), [422, 'invalid'])
    assert.deepEqual(await refusedWith('/a/move', { buckets: 0 }), [422, 'invalid'])
    assert.deepEqual(await refusedWith('/a/move', { buckets: 1, redirect_over_seconds: -1 }), [422, 'invalid'])
    assert.equal((await operator('DELETE', '/a')).body.code, 'cell_in_use')
    await operator('POST', '/a/move', { buckets: 512, redirect_over_seconds: 0 })
    assert.equal((await operator('DELETE', '/b')).body.code, 'cell_in_use')
    await operator('POST', '/b/move', { buckets: 512, redirect_over_seconds: 0 })
    clock.forward(61)
    await runJob(sql, hubCellsJob(a.context))
    assert.deepEqual(await refusedWith('/rebalance', {}), [409, 'cell_not_running'])
    assert.deepEqual(await refusedWith('/b/move', { buckets: 1 }), [409, 'cell_not_running'])
    assert.deepEqual(await refusedWith('/a/drain', {}), [409, 'no_open_cell'])
    await beat()
    assert.deepEqual(await counts(), { a: 512, b: 512 })
  })

  it('an operator that is interrupted in the middle has moved nothing', async () => {
    await sql`
      create function fail() returns trigger language plpgsql as $$ begin raise exception 'interrupted'; end $$`
    await sql`create trigger fail before insert on audit_events for each row execute function fail()`
    const { status } = await operator('POST', '/b/drain', { redirect_over_seconds: 0 })
    await sql`drop trigger fail on audit_events`
    assert.equal(status, 500)
    const { body } = await a.operator('GET', '/hub-cells')
    assert.deepEqual(
      body.items.map((cell: { state: string; buckets: number }) => [cell.state, cell.buckets]),
      [
        ['open', 512],
        ['open', 512],
      ],
    )
  })
})

describe('decision 3.19: a message to the wrong cell', () => {
  it('is refused with 421 and the address of the right one, which takes it', async () => {
    const device = await deviceOf('b')
    const { status, body } = await send(a, device, online({ n: 1 }))
    assert.equal(status, 421)
    assert.deepEqual(body, {
      code: 'device_moved',
      error: 'The device has moved to another hub. Send the message, and all that follow, to https://b.test.',
      hub_url: 'https://b.test',
    })
    assert.equal(await storedOf(device), 0)
    assert.equal((await send(b, device, online({ n: 1 }))).status, 200)
    assert.equal(await storedOf(device), 1)
  })

  it('only for the device itself: a wrong key, an unknown id and no id get the 401 of every hub', async () => {
    const device = await deviceOf('b')
    const wrong = await send(a, { ...device, access_key: 'lbd_wrong' }, online({}))
    const unknown = await send(
      a,
      { ...device, id: `${crypto.randomUUID().slice(0, -3)}${device.id.slice(-3)}` },
      online({}),
    )
    const noId = await send(a, { ...device, id: device.id.slice(-12) }, online({}))
    const usual = await send(b, { ...device, access_key: 'lbd_wrong' }, online({}))
    assert.equal(usual.status, 401)
    for (const { status, body } of [wrong, unknown, noId]) assert.deepEqual([status, body], [401, usual.body])
  })

  it('in a mass call each entry has its own result, in order, and the others are stored', async () => {
    const [own, foreign] = [await deviceOf('a'), await deviceOf('b')]
    const entry = ({ id, access_key }: { id: string; access_key: string }) => ({ id, access_key, ...online({ n: 1 }) })
    const devices = [entry(foreign), entry(own), entry({ ...foreign, access_key: 'x' }), { id: 5 }, entry(foreign)]
    const { status, body } = await post(a, '/v1/devices/telemetry', { devices })
    assert.equal(status, 200)
    assert.deepEqual(
      body.results.map((result: { status: number; hub_url?: string }) => [result.status, result.hub_url]),
      [
        [421, 'https://b.test'],
        [200, undefined],
        [401, undefined],
        [422, undefined],
        [421, 'https://b.test'],
      ],
    )
    assert.deepEqual([await storedOf(own), await storedOf(foreign)], [1, 0])
  })

  it('a process without a cell stores every message', async () => {
    const device = await deviceOf('b')
    assert.equal((await send(unnamed, device, online({ n: 1 }))).status, 200)
  })

  it('the partner finds it in the integration log, and the operator in the metrics', async () => {
    await a.context.integrationLog.flush()
    const [row] = await sql`
      select status, reason from integration_failures where error = 'device_moved' and endpoint = 'telemetry'`
    assert.deepEqual({ ...row }, { status: 421, reason: 'device_moved' })
    const metrics = await a.context.metrics.registry.metrics()
    assert.match(metrics, /landbridge_messages_refused_total\{protocol="http",reason="device_moved"\} 1/)
  })

  it('redirects begin one bucket after the other; until then the old cell stores', async () => {
    const device = await deviceOf('b')
    await operator('POST', '/b/drain', { redirect_over_seconds: 3_600 })
    assert.equal(await cellOf(device), 'a')
    assert.equal((await register(b, model)).hub_url, 'https://a.test')
    const [row] = await sql`select redirect_at from cell_buckets where bucket = ${bucketOf(device.id)}`
    const { body } = await a.operator('GET', '/hub-cells')
    assert.ok(new Date(body.items[0].redirected_at).getTime() > clock.now().getTime() + 3_500_000)
    const seconds = (row!.redirect_at.getTime() - clock.now().getTime()) / 1_000
    await pass(seconds - 1)
    assert.equal((await send(b, device, online({ n: 1 }))).status, 200)
    await pass(1)
    assert.equal((await send(b, device, online({ n: 2 }))).status, 421)
    assert.equal((await send(a, device, online({ n: 2 }))).status, 200)
    assert.equal(await storedOf(device), 2)
    await pass(3_600)
    await operator('POST', '/b/open')
    await operator('POST', '/rebalance', { redirect_over_seconds: 0 })
  })

  it('without a redirect the old cell serves them until they register again', async () => {
    const device = await deviceOf('b')
    const { body } = await operator('POST', '/b/drain', { redirect_over_seconds: null })
    assert.equal(body.items[0].buckets_without_redirect, 512)
    await pass(86_400)
    assert.equal((await send(b, device, online({ n: 1 }))).status, 200)
    assert.equal((await send(a, device, online({ n: 2 }))).status, 200)
    await operator('POST', '/b/open')
    await operator('POST', '/rebalance', { redirect_over_seconds: 0 })
  })

  it('a process with an old map sends nobody away before it has read the new one', async () => {
    const device = await deviceOf('b')
    // As if the notification had not arrived yet.
    await sql`update cell_buckets set cell = 'a', redirect_at = ${clock.now()} where bucket = ${bucketOf(device.id)}`
    clock.forward(2)
    assert.equal((await send(a, device, online({ n: 1 }))).status, 200)
    await sql`update cell_buckets set cell = 'b' where bucket = ${bucketOf(device.id)}`
    // The map of b is older still, and b is its cell there too.
    assert.equal((await send(b, device, online({ n: 2 }))).status, 200)
    await operator('GET', '')
  })

  it('nobody is sent to a cell that does not run', async () => {
    const device = await deviceOf('b')
    clock.forward(61)
    await runJob(sql, hubCellsJob(a.context))
    assert.equal((await send(a, device, online({ n: 1 }))).status, 200)
    await beat()
    await a.context.cells.read()
    assert.equal((await send(a, device, online({ n: 2 }))).status, 421)
  })
})

describe('a cell that is given up', () => {
  it('is drained and removed; if it starts again, it has no devices and sends all of them away', async () => {
    const device = await deviceOf('b')
    await operator('POST', '/b/drain', { redirect_over_seconds: 0 })
    assert.equal((await operator('POST', '/b/move', { buckets: 1 })).body.code, 'cell_draining')
    // Its process runs on, and sends away whoever comes.
    assert.equal((await operator('DELETE', '/b')).body.code, 'cell_in_use')
    assert.equal((await send(b, device, online({ n: 1 }))).status, 421)
    clock.forward(61)
    await runJob(sql, hubCellsJob(a.context))
    assert.equal((await operator('DELETE', '/b')).status, 204)
    assert.deepEqual(await counts(), { a: 1024 })
    await joinCell(b.context)
    assert.deepEqual(await counts(), { a: 1024, b: 0 })
    assert.equal((await send(b, device, online({ n: 1 }))).status, 421)
  })
})

describe('the certificate that never changes', () => {
  it('a device that sends there is sent to the address of the same kind', async () => {
    const { redirectDevice } = await import('./redirect.ts')
    const { keyDigest } = await import('../telemetry/ingest.ts')
    const device = await deviceOf('a')
    const credential = { device_id: device.id, key_digest: keyDigest(device.access_key) }
    const moved = await redirectDevice(b.context, credential, 'hub_url_static_cert')
    assert.equal(moved?.status === 421 && moved.hub_url, 'https://a.test:8443')
  })
})
