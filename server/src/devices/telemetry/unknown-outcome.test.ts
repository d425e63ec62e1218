import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { newModel, online, post, register, registration, send } from '../../../../test/support/devices.ts'
import { type Harness, startHarness } from '../../../../test/support/harness.ts'
import { startLosingProxy } from '../../../../test/support/losing-proxy.ts'
import { startListener, WireDevice } from '../../../../test/support/mqtt.ts'
import { createOrganization } from '../../../../test/support/organization.ts'
import { until } from '../../../../test/support/until.ts'

const beside = await startHarness()
const proxy = await startLosingProxy(beside.databaseUrl)
const service = await startHarness({}, { beside: { ...beside, databaseUrl: proxy.url } })
const { sql } = beside
const model = await newModel(beside)
type Device = Awaited<ReturnType<typeof register>>

/** How often the data point `n` of the device is in its history, by its values. */
async function stored({ id }: Device): Promise<number[]> {
  const rows = await sql<{ n: number }[]>`
    select (telemetries ->> 'n')::int as n from history
    where device_number = (select number from device_states where device_id = ${id}) order by sequence`
  return rows.map(({ n }) => n)
}

const now = () => beside.clock.now().toISOString()

async function logged(harness: Harness, reason: string): Promise<{ request_id: string }[]> {
  await harness.context.integrationLog.flush()
  return await sql<{ request_id: string }[]>`select request_id from integration_failures where reason = ${reason}`
}

describe('decision 7.60: 503 overloaded is not stored, 503 unknown_outcome may be', () => {
  it('the response of Postgres is lost after the commit → unknown_outcome, in the log by its request id', async () => {
    const device = await register(service, model)
    await send(service, device, online({ n: 0 }))
    proxy.lose('lost-1')
    const response = await send(service, device, online({ n: 1, mark: 'lost-1' }))
    assert.deepEqual([response.status, response.body.code], [503, 'unknown_outcome'])
    assert.equal(response.headers['retry-after'], '2')
    assert.deepEqual(await stored(device), [0, 1])
    const entries = await logged(service, 'unknown_outcome')
    assert.deepEqual(
      entries.map(({ request_id }) => request_id),
      [response.headers['x-request-id']],
    )
  })

  it('the repeat is stored once with a message_id, and without one where its timestamp and body are the same', async () => {
    const device = await register(service, model)
    for (const [n, more] of [{ timestamp: now(), message_id: 'm' }, { timestamp: now() }].entries()) {
      const message = online({ n, mark: `lost-2-${n}` }, more)
      proxy.lose(`lost-2-${n}`)
      assert.equal((await send(service, device, message)).body.code, 'unknown_outcome')
      assert.equal((await send(service, device, message)).status, 200)
    }
    assert.deepEqual(await stored(device), [0, 1])
  })

  it('Postgres cannot be reached → overloaded, and nothing is stored', async () => {
    const device = await register(service, model)
    await send(service, device, online({ n: 0 }))
    await proxy.close()
    // A statement that is written before the loss is noticed may have arrived.
    await until(async () => {
      const { status, body } = await send(service, device, online({ n: 1 }))
      assert.equal(status, 503)
      return body.code === 'overloaded'
    }, 'the loss is noticed')
    await proxy.open()
    await until(async () => (await send(service, device, online({ n: 2 }))).status === 200, 'it is served again')
    assert.deepEqual(await stored(device), [0, 2])
  })

  it('Postgres itself ends the session, or cancels the statement → overloaded: it says that nothing is stored', async () => {
    for (const end of ['pg_terminate_backend', 'pg_cancel_backend'] as const) {
      const device = await register(service, model)
      await send(service, device, online({ n: 0 }))
      await sql.begin(async (tx) => {
        await tx`select from device_states where device_id = ${device.id} for update`
        const response = send(service, device, online({ n: 1 }))
        await until(async () => {
          const [row] = await sql.unsafe<{ count: number }[]>(`
            select count(${end}(pid))::int from pg_stat_activity
            where wait_event_type = 'Lock' and datname = current_database()`)
          return row!.count > 0
        }, end)
        assert.deepEqual([(await response).status, (await response).body.code], [503, 'overloaded'], end)
      })
      assert.deepEqual(await stored(device), [0])
    }
  })

  it('in a mass call each message has its own: the whole call only when all have the same', async () => {
    const [one, other] = [await register(service, model), await register(service, model)]
    const entry = ({ id, access_key }: Device, n: number, mark: string) => ({ id, access_key, ...online({ n, mark }) })
    const wrong = { ...entry(other, 2, 'lost-3'), access_key: 'wrong' }
    const invalid = { ...entry(other, 2, 'lost-3'), status: 'asleep' }
    proxy.lose('lost-3')
    const mixed = await post(service, '/v1/devices/telemetry', { devices: [entry(one, 1, 'lost-3'), invalid] })
    assert.deepEqual(
      mixed.body.results.map(({ code }: { code?: string }) => code),
      ['unknown_outcome', 'invalid'],
    )
    proxy.lose('lost-4')
    const all = await post(service, '/v1/devices/telemetry', { devices: [entry(one, 3, 'lost-4'), wrong] })
    assert.deepEqual([all.status, all.body.code], [503, 'unknown_outcome'])
    assert.deepEqual(await stored(one), [1, 3])
    assert.deepEqual(await stored(other), [])
  })

  it('a firmware version that could not be stored → unknown_outcome, for the message is', async () => {
    const device = await register(service, model)
    await send(service, device, online({ n: 0 }))
    proxy.lose('9.9.9-lost')
    const response = await send(service, device, online({ n: 1 }, { firmware_version: '9.9.9-lost' }))
    assert.deepEqual([response.status, response.body.code], [503, 'unknown_outcome'])
    assert.deepEqual(await stored(device), [0, 1])
  })

  for (const version of [4, 5] as const) {
    it(`MQTT ${version === 4 ? '3.1.1' : '5'}: the connection ends without an acknowledgement${version === 5 ? ', with 0x80' : ''}`, async () => {
      const listener = await startListener(service.context)
      after(() => listener.close())
      const device = await register(service, model)
      const wire = new WireDevice(listener.port, version)
      await wire.connect(device)
      const mark = `lost-mqtt-${version}`
      proxy.lose(mark)
      wire.publish(device, online({ n: 1, mark }), { qos: 1 })
      if (version === 5) {
        const packet = await wire.next()
        assert.ok(
          packet !== 'closed' && packet.cmd === 'disconnect' && packet.reasonCode === 0x80,
          JSON.stringify(packet),
        )
      }
      assert.equal(await wire.next(), 'closed')
      assert.deepEqual(await stored(device), [1])
    })
  }
})

describe('decision 7.60: other changes', () => {
  it('an organization API call with an Idempotency-Key → the repeat is told that the first one was executed', async () => {
    const organization = await createOrganization(service)
    const create = (name: string) =>
      organization.call('api_key', 'POST', '/groups', { name }, { 'idempotency-key': name })
    proxy.lose('Lost group')
    const lost = await create('Lost group')
    assert.deepEqual([lost.status, lost.body.code], [503, 'unknown_outcome'])
    const repeated = await create('Lost group')
    assert.deepEqual([repeated.status, repeated.body.code], [409, 'idempotent_answer_lost'])
    assert.equal((await sql`select from groups where name = 'Lost group'`).count, 1)
  })

  it('a registration whose commit was not confirmed → 503 unknown_outcome; the repeat returns the same device', async () => {
    const body = registration(model, { sn: 'SN-lost' })
    proxy.lose('SN-lost')
    const lost = await post(service, '/v1/devices', body)
    assert.deepEqual([lost.status, lost.body.code], [503, 'unknown_outcome'])
    await service.context.integrationLog.flush()
    const reasons = await sql<{ reason: string }[]>`
      select reason from integration_failures where request_id = ${String(lost.headers['x-request-id'])}`
    assert.deepEqual(
      reasons.map(({ reason }) => reason),
      ['unknown_outcome'],
    )
    const [row] = await sql<{ id: string }[]>`select id from devices where sn = 'SN-lost'`
    const repeated = await post(service, '/v1/devices', body)
    assert.deepEqual([repeated.status, repeated.body.id], [201, row!.id])
  })

  it('a lost statement before the commit is known: 503 unavailable, and nothing is changed', async () => {
    const body = registration(model, { sn: 'SN-before' })
    await sql.begin(async (tx) => {
      // The registration waits for this one, inside its transaction.
      await tx`select from hardware_keys where model_id = ${model.id} for update`
      const response = post(service, '/v1/devices', body)
      await until(async () => {
        const [row] = await sql<{ count: number }[]>`
          select count(*)::int from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
        return row!.count > 0
      }, 'it waits')
      await proxy.close()
      assert.deepEqual([(await response).status, (await response).body.code], [503, 'unavailable'])
    })
    await proxy.open()
    assert.deepEqual([...(await sql`select id from devices where sn = 'SN-before'`)], [])
  })
})
