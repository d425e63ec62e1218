import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { online, send, startScene } from '../../../../test/support/devices.ts'
import { runJob } from '../../platform/jobs.ts'
import { ingestAll, keyDigest } from '../telemetry/ingest.ts'
import { setAlarming } from '../telemetry-store/telemetry-store.ts'
import { getDevice } from './devices.ts'
import { replaceDictionary } from './dictionary.ts'
import { alarmingPairs, modelAlarmsJob } from './model-alarms.ts'

const scene = await startScene()
const { context, sql, clock, customer, model } = scene
const job = modelAlarmsJob(context)
type Device = Awaited<ReturnType<typeof scene.claimed>>

const meanings = [
  { key: 'leak', type: 'boolean' as const, values: [{ value: true, alarm: true }, { value: false }] },
  {
    key: 'code',
    type: 'number' as const,
    values: [
      { value: 17, alarm: true },
      { value: 18, alarm: true },
    ],
  },
]

async function describeModel(data_points: typeof meanings): Promise<void> {
  await replaceDictionary(context, { kind: 'operator' }, model.partner_id, model.id, { data_points })
}

/** The data point that is an alarm, and the seconds since it began. */
async function alarmOf({ id }: Device): Promise<[string, number | null] | null> {
  const { alarm } = await getDevice(context, customer, id)
  return alarm && [alarm.key, alarm.since && Math.round((clock.now().getTime() - alarm.since.getTime()) / 1_000)]
}

/** In one statement: `storeTogether`, unless there is one message. */
async function sendTogether(device: Device, bodies: object[]): Promise<void> {
  const messages = bodies.map((body) => ({ device_id: device.id, key_digest: keyDigest(device.access_key), body }))
  const outcomes = await ingestAll(context, messages, new Set(), { large: false })
  assert.ok(outcomes!.every(({ status }) => status === 200))
}

const before = (seconds: number) => ({ timestamp: new Date(clock.now().getTime() - seconds * 1_000).toISOString() })

describe('decision 7.81: since when a value is an alarm', () => {
  it('a device that registers after the dictionary has it; the first message counts, until another value comes', async () => {
    await describeModel(meanings)
    const device = await scene.claimed()
    await send(scene, device, online({ leak: true, temperature: 20 }))
    clock.forward(60)
    await send(scene, device, online({ leak: true, temperature: 21 }))
    clock.forward(60)
    await send(scene, device, online({ temperature: 22 }))
    assert.deepEqual(await alarmOf(device), ['leak', 120], 'also through a message without it')
    await send(scene, device, online({ leak: false }, before(600)))
    assert.deepEqual(await alarmOf(device), ['leak', 120], 'a late message changes nothing')
    await send(scene, device, online({ leak: false }))
    assert.equal(await alarmOf(device), null)
    clock.forward(60)
    await send(scene, device, online({ leak: true }, { ...before(5), message_id: 'one' }))
    assert.deepEqual(await alarmOf(device), ['leak', 5], 'by the time of the message')
    await send(scene, device, online({ leak: true }, { ...before(5), message_id: 'one' }))
    assert.deepEqual(await alarmOf(device), ['leak', 5], 'a repeat changes nothing')
  })

  it('each data point has its own, and one alarm may follow another without an end', async () => {
    const device = await scene.claimed()
    await send(scene, device, online({ code: 17 }))
    clock.forward(10)
    await send(scene, device, online({ leak: true }))
    clock.forward(10)
    await send(scene, device, online({ code: 18 }))
    assert.deepEqual(await alarmOf(device), ['code', 20])
    await send(scene, device, online({ code: 0 }))
    assert.deepEqual(await alarmOf(device), ['leak', 10])
  })

  it('many messages of a device in one call have the result of one after the other', async () => {
    const device = await scene.claimed()
    await sendTogether(device, [
      online({ leak: true, n: 1 }, before(90)),
      online({ leak: false, n: 2 }, before(80)),
      online({ leak: true, n: 3 }, before(70)),
      online({ leak: true, n: 4 }, before(60)),
      online({ other: 1 }, before(50)),
    ])
    assert.deepEqual(await alarmOf(device), ['leak', 70])
    await sendTogether(device, [online({ other: 2 }, before(40)), online({ other: 3 }, before(30))])
    assert.deepEqual(await alarmOf(device), ['leak', 70])
    await sendTogether(device, [online({ leak: true }, before(20)), online({ leak: false }, before(10))])
    assert.equal(await alarmOf(device), null)
  })

  it('a changed dictionary reaches the devices that were registered before, and one that registered meanwhile', async () => {
    await describeModel([])
    await runJob(sql, job)
    clock.forward(61)
    await runJob(sql, job)
    const device = await scene.claimed()
    await send(scene, device, online({ leak: true }))
    await describeModel(meanings)
    assert.deepEqual(await alarmOf(device), ['leak', null], 'nothing was recorded when it came')
    await runJob(sql, job)
    clock.forward(10)
    await send(scene, device, online({ leak: true }))
    assert.deepEqual(await alarmOf(device), ['leak', 0])
    // Read the dictionary before the change, and committed after the first pass.
    await setAlarming(sql, [device.id], null)
    clock.forward(61)
    await runJob(sql, job)
    await send(scene, device, online({ leak: true }))
    assert.deepEqual(await alarmOf(device), ['leak', 61], 'the second pass found it')
    assert.equal(await job.nextDue!(), null, 'nothing is left to do')
    await describeModel([])
    await runJob(sql, job)
    await send(scene, device, online({ leak: true }))
    const [state] = await sql`select alarming, alarms from device_states where device_id = ${device.id}`
    assert.deepEqual(state, { alarming: null, alarms: null })
  })

  it('more devices than a batch has are all reached; too many values are not copied into each state', async () => {
    const { model_id, partner_id } = { model_id: model.id, partner_id: model.partner_id }
    await sql`
      with created as (
        insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, status, status_at)
        select gen_random_uuid(), ${partner_id}, ${model_id}, gen_random_uuid(), gen_random_uuid(), '1.0.0', now(),
          case when n % 3 = 0 then 'offline' else 'online' end, now()
        from generate_series(1, 2100) n returning id, number)
      insert into device_states (bucket, device_id, number, key_digest) select device_bucket(id), id, number, '' from created`
    await describeModel(meanings)
    await runJob(sql, job)
    const [left] = await sql<{ count: number }[]>`
      select count(*)::int as count from device_states where alarming is null and removed_at is null`
    assert.equal(left!.count, 0)
    const values = Array.from({ length: 50 }, (_, n) => ({ value: `${'x'.repeat(100)}${n}`, alarm: true }))
    assert.equal(alarmingPairs({ mode: values.map(({ value }) => value) }), null)
  })
})
