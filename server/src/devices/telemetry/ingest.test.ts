import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { skipOnCitus } from '../../../../test/support/citus.ts'
import { register, startScene } from '../../../../test/support/devices.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { bucketOf } from '../bucket.ts'
import { authenticateDevice, ingest, ingestAll, keyDigest } from './ingest.ts'
import { createTelemetryPipeline } from './telemetry-pipeline.ts'

const { clock, service, context, sql, model } = await startScene()

describe('devices are locked in order of id, so that no two statements wait for each other', () => {
  it('also when their keys are first used, in whichever order they arrive', { skip: skipOnCitus.lock }, async () => {
    const low = await register(service, model)
    const high = await register(service, model)
    const release = await holdLocks(
      sql,
      (hold) => hold`select from device_states where device_id = ${low.id} for update`,
    )
    const used = [high, low].map(({ id, access_key }) =>
      authenticateDevice(context, { device_id: id, key_digest: keyDigest(access_key) }),
    )
    await untilWaiting(sql)
    const free = await sql`select from device_states where device_id = ${high.id} for update skip locked`
    await release()
    assert.equal(free.length, 1)
    assert.deepEqual(await Promise.all(used), [{ status: 200 }, { status: 200 }])
  })

  it('a first message that waits for a newer one of its device, which another process is storing, is stored too', async () => {
    const { id, access_key } = await register(service, model)
    const release = await holdLocks(
      sql,
      (hold) => hold`
        update device_states set sequence = 1, status = 'online', latest_status = 'online', latest_at = ${clock.now()},
          latest_arrived_at = ${clock.now()}, latest_keys = 1, latest = '{"n":2}', seen_at = ${clock.now()}
        where device_id = ${id}`,
    )
    const timestamp = new Date(clock.now().getTime() - 1_000).toISOString()
    const body = { status: 'online', telemetries: { n: 1 }, timestamp, message_id: 'one' }
    const stored = ingest(context, { device_id: id, key_digest: keyDigest(access_key), body })
    await untilWaiting(sql)
    await release()
    assert.deepEqual(await stored, { status: 200 })
  })

  it('two processes that store several messages of the same devices at once, in opposite orders', async () => {
    const devices = await Promise.all(Array.from({ length: 20 }, () => register(service, model)))
    const telemetry = createTelemetryPipeline(
      { ...context, metrics: { ...context.metrics, gauge: () => {} } },
      context.statuses,
    )
    const elsewhere = { ...context, telemetry }
    const now = clock.now().getTime()
    // Both send the even rounds, with the same ids.
    const call = (process: number, round: number) =>
      [0, 1, 2].flatMap((n) =>
        (process === 0 ? devices : devices.toReversed()).map(({ id, access_key }) => {
          const timestamp = new Date(now - 100_000 + round * 1_000 + n).toISOString()
          const message_id = round % 2 === 0 ? `m${n}` : `m${n} of ${process}`
          const telemetries = { round, [`of${process}`]: round }
          const body = { status: round % 3 === 0 ? 'error' : 'online', telemetries, timestamp, message_id }
          return { device_id: id, key_digest: keyDigest(access_key), body }
        }),
      )
    try {
      const outcomes = await Promise.all(
        [context, elsewhere].flatMap((process, index) =>
          Array.from({ length: 10 }, (_, round) => ingestAll(process, call(index, round), new Set(), { large: false })),
        ),
      )
      assert.ok(outcomes.flat().every((outcome) => outcome?.status === 200))
    } finally {
      await telemetry.close()
    }
    for (const { id } of devices) {
      const [row] = await sql`
        select state.status, latest -> 'round' as round,
          (select count(*)::int from history where bucket = ${bucketOf(id)} and device_number = state.number) as messages,
          (
            select count(distinct sequence)::int from history
            where bucket = ${bucketOf(id)} and device_number = state.number
          ) as sequences,
          (
            select string_agg(previous || ' ' || status, ', ' order by number) from status_changes
            where bucket = ${bucketOf(id)} and device_id = ${id}
          ) as changes
        from device_states state where bucket = ${bucketOf(id)} and device_id = ${id}`
      const { changes, ...found } = row!
      assert.deepEqual(found, { status: 'error', round: 9, messages: 5 * 3 + 5 * 6, sequences: 5 * 3 + 5 * 6 })
      const statuses = changes.split(', ').map((change: string) => change.split(' '))
      assert.deepEqual(
        statuses.map(([previous]: string[]) => previous),
        ['never_seen', ...statuses.map(([, status]: string[]) => status).slice(0, -1)],
      )
      assert.equal(statuses.at(-1)[1], 'error')
    }
  })
})

describe('a statement that failed for a moment', () => {
  it('is tried five times in all, and then the message is refused with 503', {
    skip: skipOnCitus.trigger,
  }, async () => {
    const device = await register(service, model)
    await sql.unsafe(`
      create sequence tries;
      create function deadlock() returns trigger language plpgsql as $$ begin
        if nextval('tries') % 6 <> 5 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
        return new;
      end $$;
      create trigger deadlock before insert on history for each row execute function deadlock()`)
    const send = (telemetries: object) =>
      ingest(context, {
        device_id: device.id,
        key_digest: keyDigest(device.access_key),
        body: { status: 'online', telemetries },
      })
    assert.equal((await send({ n: 1 })).status, 200)
    assert.equal((await send({ n: 2 })).status, 503)
    await sql`drop trigger deadlock on history`
    assert.equal((await send({ n: 3 })).status, 200)
  })
})

describe('decision 7.61: a message with a timestamp and no id', () => {
  const bodyAt = (timestamp: Date, n: number) => ({
    status: 'online',
    telemetries: { n },
    timestamp: timestamp.toISOString(),
  })
  const storedOf = async (id: string) => {
    const rows = await sql<{ n: number }[]>`
      select (telemetries ->> 'n')::int as n from history join devices on number = device_number
      where devices.id = ${id} order by timestamp, sequence`
    const [state] = await sql`select latest ->> 'n' as n from device_states where device_id = ${id}`
    return { history: rows.map(({ n }) => n), latest: Number(state!.n) }
  }

  it('is stored once whether it is new, repeated at once, or ahead of its arrival and repeated when it no longer is', async () => {
    const device = await register(service, model)
    const send = async (body: object) => {
      const { status } = await ingest(context, { device_id: device.id, key_digest: keyDigest(device.access_key), body })
      assert.equal(status, 200)
    }
    const first = clock.now()
    for (let n = 0; n < 2; n += 1) await send(bodyAt(first, 1))
    await send(bodyAt(first, 2))
    const ahead = bodyAt(new Date(first.getTime() + 5_000), 3)
    await send(ahead)
    clock.forward(2)
    await send(bodyAt(clock.now(), 4))
    clock.forward(10)
    await send(ahead)
    assert.deepEqual(await storedOf(device.id), { history: [1, 2, 4, 3], latest: 4 })
    await send(bodyAt(clock.now(), 5))
    assert.deepEqual(await storedOf(device.id), { history: [1, 2, 4, 3, 5], latest: 5 })
  })

  it('such a repeat costs the others of its statement nothing', async () => {
    const devices = [await register(service, model), await register(service, model), await register(service, model)]
    const incoming = (at: Date, n: number) =>
      devices.map(({ id, access_key }) => ({ device_id: id, key_digest: keyDigest(access_key), body: bodyAt(at, n) }))
    const ahead = new Date(clock.now().getTime() + 5_000)
    await ingest(context, incoming(ahead, 1)[1]!)
    clock.forward(10)
    const [one, , three] = incoming(clock.now(), 2)
    const outcomes = await ingestAll(context, [one!, incoming(ahead, 1)[1]!, three!], new Set(), { large: false })
    assert.deepEqual(
      outcomes!.map(({ status }) => status),
      [200, 200, 200],
    )
    const stored = await Promise.all(devices.map(({ id }) => storedOf(id)))
    assert.deepEqual(
      stored.map(({ history }) => history),
      [[2], [1], [2]],
    )
  })
})
