import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { newMac, online, refused, register, send } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { testMasterKey } from '../../../../test/support/keys.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { createOrganization, type TestOrganization } from '../../../../test/support/organization.ts'
import { newPartner } from '../../../../test/support/partners.ts'
import { until } from '../../../../test/support/until.ts'
import { createContext } from '../../context.ts'
import { readSeries } from '../../devices/telemetry/history.ts'
import { writeHistoryCsv } from '../../devices/telemetry/history-csv.ts'
import { openDatabase } from '../../platform/database/database.ts'

const service = await startHarness()
const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
/** Connections of the tests' own, to look on while the service's are busy. */
const watching = openDatabase({ url: service.databaseUrl, max: 3, statementSeconds: 60 })
after(() => watching.end({ timeout: 1 }))
const partner = await newPartner(service)
const { body: model } = await partner.call('POST', '/models', {
  name: 'Sensor',
  authentication_method: 'MAC & Serial Number',
})
const [busy, calm] = [await createOrganization(service), await createOrganization(service)]
const devices = new Map<TestOrganization, string>()
for (const organization of [busy, calm]) {
  const mac = newMac()
  const device = await register(service, model, { mac, sn: mac })
  await organization.call('session', 'POST', '/devices/claim', { mac, sn: mac, model_id: model.id })
  await send(service, device, online({ a: 1 }))
  devices.set(organization, device.id)
}

/** Every read of the history waits until the lock is released. */
const holdHistory = () => holdLocks(watching, (hold) => hold`lock table history in access exclusive mode`)

function read(organization: TestOrganization, view: string, signal?: AbortSignal): Promise<Response> {
  const address = `${url}/core/v1/organization/devices/${devices.get(organization)}/${view}`
  return fetch(address, { headers: organization.headers.api_key, ...(signal ? { signal } : {}) })
}

const reading = async () =>
  (
    await watching`
      select from pg_stat_activity
      where datname = current_database() and state = 'active' and wait_event_type = 'Lock' and query like '%from history%'`
  ).length

const views = ['series?keys=a', 'history', 'history.csv']

describe('decision 9.4 heavy reads have separate connections, a time limit, and end with their caller', () => {
  for (const view of views) {
    it(`${view}: the statement ends in Postgres when the caller has left`, async () => {
      const release = await holdHistory()
      const leaving = new AbortController()
      const response = read(busy, view, leaving.signal)
      await untilWaiting(watching)
      assert.equal(await reading(), 1)
      leaving.abort()
      await assert.rejects(response, { name: 'AbortError' })
      await until(async () => (await reading()) === 0, 'the end of the statement', 10)
      await release()
      assert.equal((await read(busy, view)).status, 200)
    })
  }

  it('calls that are sent and dropped in a loop never have more than two statements in Postgres', async () => {
    const release = await holdHistory()
    let max = 0
    for (let n = 0; n < 15; n += 1) {
      const leaving = new AbortController()
      const dropped = read(busy, 'series?keys=a', leaving.signal)
      await Promise.race([until(async () => (await reading()) > 0), dropped])
      leaving.abort()
      await assert.rejects(dropped)
      max = Math.max(max, await reading())
    }
    await release()
    assert.ok(max <= 2, `${max} statements`)
  })

  it('a CSV whose reader leaves half-way is not read on', async () => {
    const leaving = new AbortController()
    const owner = { customer_id: busy.customer_id }
    const from = new Date(0)
    const [{ number }] = await service.sql<[{ number: number }]>`
      select number from devices where id = ${devices.get(busy)!}`
    await service.sql`
      insert into history (device_number, sequence, timestamp, received_at, bucket, status, telemetries)
      select ${number}::int, 10 + n, now(), now(), device_bucket(${devices.get(busy)!}), 'online', '{"a":1}' from generate_series(1, 2000) n`
    const range = { from, to: new Date('9000-01-01') }
    let parts = 0
    await assert.rejects(
      async () => {
        const lines = await writeHistoryCsv(service.context, owner, devices.get(busy)!, range, leaving.signal)
        for await (const _part of lines) {
          parts += 1
          if (parts === 2) leaving.abort()
        }
      },
      { code: 'caller_left' },
    )
    assert.equal(parts, 2)
  })

  it('ten heavy calls of one tenant delay neither another tenant’s users nor its history', async () => {
    const release = await holdHistory()
    const calls = Array.from({ length: 10 }, (_, n) => read(busy, views[n % views.length]!))
    await untilWaiting(watching, 2)
    // Two run; the others wait for them, and take no connection.
    const began = performance.now()
    const users = await fetch(`${url}/core/v1/organization/users`, { headers: calm.headers.api_key! })
    assert.equal(users.status, 200)
    assert.ok(performance.now() - began < 2_000, `${performance.now() - began} ms`)
    const other = read(calm, 'series?keys=a')
    await untilWaiting(watching, 3)
    await release()
    assert.equal((await other).status, 200)
    assert.deepEqual(
      (await Promise.all(calls)).map(({ status }) => status),
      calls.map(() => 200),
    )
  })

  it('beyond 2 that run and 200 that wait → 429 too_many_reads', async () => {
    const release = await holdHistory()
    const codes: string[] = []
    const calls = Array.from({ length: 210 }, async () => {
      const response = await read(busy, 'series?keys=a')
      if (response.status === 429) codes.push(((await response.json()) as { code: string }).code)
      return response.status
    })
    await until(() => codes.length === 8)
    await release()
    assert.deepEqual(
      codes,
      codes.map(() => 'too_many_reads'),
    )
    assert.equal((await Promise.all(calls)).filter((status) => status === 200).length, 202)
  })

  it('a read that takes too long → 422 that says what to ask for instead', async () => {
    const reads = service.sql.alongside({ max: 1, depth: 1, statementSeconds: 0.3 })
    const keys = { master: testMasterKey, operator: 'x'.repeat(32) }
    const shortTimeout = createContext({ ...service.context, reads, keys })
    const release = await holdHistory()
    try {
      const work = readSeries(shortTimeout, { customer_id: busy.customer_id }, devices.get(busy)!, { keys: ['a'] })
      const { status, code, message } = await refused(work)
      assert.deepEqual([status, code], [422, 'read_too_large'])
      assert.match(message, /shorter range/)
    } finally {
      await release()
      await reads.end({ timeout: 1 })
    }
  })
})

describe('every list of names has a bound', () => {
  const names = (count: number) => Array.from({ length: count }, (_, n) => `k${n}`).join(',')
  for (const [view, max] of [
    ['series', 20],
    ['history', 100],
    ['history.csv', 100],
  ] as const) {
    it(`${view}?keys= takes ${max} names and refuses more with 422 that names the bound`, async () => {
      const at = await busy.call('api_key', 'GET', `/devices/${devices.get(busy)}/${view}?keys=${names(max)}`)
      assert.equal(at.status, 200)
      const beyond = await busy.call('api_key', 'GET', `/devices/${devices.get(busy)}/${view}?keys=${names(max + 1)}`)
      assert.deepEqual([beyond.status, beyond.body.details[0].field], [422, 'keys'])
      assert.match(beyond.body.details[0].message, new RegExp(`at most ${max} names`))
      const repeated = names(max + 1).replaceAll(',', '&keys=')
      const many = await busy.call('api_key', 'GET', `/devices/${devices.get(busy)}/${view}?keys=${repeated}`)
      assert.deepEqual([many.status, many.body.details[0].field], [422, 'keys'])
      assert.match(many.body.details[0].message, new RegExp(`${max} items or fewer`))
    })
  }
})
