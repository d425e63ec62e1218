import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { startScene } from '../../../../test/support/devices.ts'
import { bucketOf } from '../bucket.ts'
import { settleAllDeadlines } from '../live/offline-deadlines.ts'
import { removeDevice } from '../registry/devices.ts'
import { findState } from '../telemetry-store/telemetry-store.ts'
import { type IncomingMessage, ingest, ingestAll, keyDigest, type Outcome } from './ingest.ts'
import { mergeState } from './state.ts'

const { clock, context, partner, registered, sql } = await startScene()

interface Sent {
  device: number
  /** Seconds from its timestamp to its arrival; undefined for a message without a timestamp. */
  age: number | undefined
  id: string | undefined
  status: 'online' | 'offline' | 'error'
  keys: string[]
  /** Those of the keys that it removes, as bits. */
  removed: number
  override: boolean
  wrongKey: boolean
}

const status = fc.constantFrom('online', 'online', 'offline', 'error')
const sent: fc.Arbitrary<Sent> = fc.record({
  device: fc.constantFrom(0, 0, 0, 0, 1, 2, 3, 4, 4),
  age: fc.option(fc.constantFrom(-60, 0, 0, 1, 30), { nil: undefined, freq: 3 }),
  id: fc.option(fc.constantFrom('m1', 'm2'), { nil: undefined }),
  status: status as fc.Arbitrary<Sent['status']>,
  keys: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__'), { maxLength: 4 }),
  removed: fc.oneof(fc.constant(0), fc.nat(15)),
  override: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  wrongKey: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
})

/** Calls one after the other, each with the seconds until the next; 150 make devices offline. */
const calls = fc.array(
  fc.record({
    messages: fc.array(sent, { minLength: 1, maxLength: 30, size: 'max' }),
    pause: fc.constantFrom(0, 1, 30, 150),
  }),
  { minLength: 1, maxLength: 2 },
)

/** An ordinary device, one that is removed, and one with room for two more data points. */
async function startFleet() {
  const devices = await Promise.all(Array.from({ length: 5 }, registered))
  await removeDevice(context, { kind: 'operator' }, partner, devices[3]!.id)
  await sql`
    update device_states set latest = '{"a": 0}', latest_keys = 1, latest_status = 'online', status = 'online',
      latest_at = ${clock.now()}, latest_arrived_at = ${clock.now()},
      rest = (select jsonb_object_agg('k' || n, jsonb_build_array(0, 0, 0)) from generate_series(1, 1997) n)
    where device_id = ${devices[4]!.id}`
  await sql`update devices set status = 'online' where id = ${devices[4]!.id}`
  return devices
}

type Fleet = Awaited<ReturnType<typeof startFleet>>

function toMessages(fleet: Fleet, messages: Sent[], round: number): IncomingMessage[] {
  return messages.map(({ device, age, id, status, keys, removed, override, wrongKey }, index) => {
    const { id: device_id, access_key } = fleet[device]!
    const telemetries = Object.fromEntries(
      keys.map((key, bit) => [key, removed & (1 << bit) ? null : round * 100 + index]),
    )
    const timestamp = age === undefined ? {} : { timestamp: new Date(clock.now().getTime() - age * 1000).toISOString() }
    const message_id = age !== undefined && id !== undefined ? { message_id: id } : {}
    const body = { status, telemetries, ...(override ? { override } : {}), ...timestamp, ...message_id }
    return { device_id, key_digest: keyDigest(wrongKey ? 'wrong' : access_key), body }
  })
}

/** Each device's messages one after the other. */
async function sendApart(messages: IncomingMessage[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const ofDevice = Map.groupBy(messages.entries(), ([, { device_id }]) => device_id)
  const sending = [...ofDevice.values()].map(async (entries) => {
    for (const [index, message] of entries) outcomes[index] = await ingest(context, message)
  })
  await Promise.all(sending)
  return outcomes
}

/** Everything that can be seen of a device afterwards; only the sequence may have other gaps. */
async function readAll({ id }: { id: string }) {
  const [row] = await sql`
    select number, seen_at, authenticated_at, state.status, latest_status, latest_at, latest_arrived_at, latest, latest_keys,
      state.status_at, state.status_number, device.status as device_status, device.status_at as device_status_at,
      device.status_number as device_status_number, due_at
    from device_states state join devices device using (number)
    left join offline_deadlines using (bucket, device_id) where bucket = ${bucketOf(id)} and device_id = ${id}`
  const { number, ...state } = row!
  const inOrder = (order: 'stored' | 'read') => sql`
    select timestamp, received_at, message_id, status, telemetries::text from history where device_number = ${number}
    order by ${order === 'read' ? sql`timestamp, sequence` : sql`sequence`}`
  const changes = await sql`select previous, status, at from status_changes where device_id = ${id} order by number`
  const points = mergeState((await findState(sql, id))!)
  return { state, points, changes, stored: await inOrder('stored'), read: await inOrder('read') }
}

describe('decision 7.28: messages that are stored together have the result of storing one after the other', () => {
  it('random calls to a few devices, as one call each and message by message', async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (calls) => {
        const [apart, together] = [await startFleet(), await startFleet()]
        for (const [round, { messages, pause }] of calls.entries()) {
          const expected = await sendApart(toMessages(apart, messages, round))
          const found = await ingestAll(context, toMessages(together, messages, round), new Set(), { large: false })
          assert.deepEqual(found, expected)
          clock.forward(pause)
          await settleAllDeadlines(context)
        }
        for (const index of apart.keys()) {
          assert.deepEqual(await readAll(together[index]!), await readAll(apart[index]!), `device ${index}`)
        }
      }),
      { numRuns: 10, endOnFailure: true },
    )
  })
})
