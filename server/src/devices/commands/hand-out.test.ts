import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { ageCommand, findBrokenRules, queueCommand } from '../../../../test/support/commands.ts'
import { refused, startScene } from '../../../../test/support/devices.ts'
import { bucketOf } from '../bucket.ts'
import { settleDueCommands } from './command-deadlines.ts'
import { confirmDelivery, handOut, handOutToFleet } from './hand-out.ts'

const { claimed, context, customer, partner, sql } = await startScene()

type Device = { id: string }
const queue = (device: Device, more: object = {}) =>
  queueCommand(sql, { device_id: device.id, ...partner, ...customer, ...more })
const poll = async (device: Device) => (await handOut(context, [device.id], 'poll')).get(device.id)
const report = (
  device: Device,
  id: string,
  status: 'in_progress' | 'done' | 'failed' | 'rejected',
  more: object = {},
) => context.reportCommand({ device_id: device.id }, { id, status, ...more })

async function find(id: string) {
  const [row] = await sql`select * from device_commands where id = ${id}`
  return row!
}
const stateOf = async (id: string) => (await find(id)).state

describe('commands of a device', () => {
  afterEach(async () => assert.deepEqual(await findBrokenRules(sql), []))

  describe('handing out a command', () => {
    it('the first of a device, one at a time and in order', async () => {
      const device = await claimed()
      assert.equal(await poll(device), undefined)
      const [one, two] = [await queue(device, { parameters: { level: 3 } }), await queue(device)]
      assert.equal(bucketOf(one), bucketOf(device.id))
      const first = (await poll(device))!
      const { created_at, expires_at } = await find(one)
      assert.deepEqual(first, {
        id: one,
        device_id: device.id,
        name: 'reboot',
        parameters: { level: 3 },
        state: 'sent',
        created_at: created_at.toISOString(),
        expires_at: expires_at.toISOString(),
        attempt: 1,
      })
      assert.deepEqual({ ...first, attempt: 2 }, await poll(device))
      assert.equal(await stateOf(two), 'queued')
      assert.deepEqual(await report(device, one, 'done'), { next: true })
      assert.equal((await poll(device))!.id, two)
      assert.deepEqual(await report(device, two, 'failed', { message: 'no' }), { next: false })
      assert.equal(await poll(device), undefined)
    })

    // Found by `npm run check:histories -- --scenario command,fleet --first 4 --histories 80 --cells 2 --processes 3 --seed
    // 3115` (docs/performance.md, 4.19).
    it('the first expires while those before it are settled → the next one, not nothing', async () => {
      const device = await claimed()
      const ids = [
        await queue(device, { expires_after: 10 }),
        await queue(device, { expires_after: 10 }),
        await queue(device),
      ]
      await ageCommand(sql, ids[0]!, 11)
      await ageCommand(sql, ids[1]!, 9)
      await sql`
        create function expire_slowly() returns trigger language plpgsql as
        $$ begin perform pg_sleep(1.5); return new; end $$`
      await sql`
        create trigger expire_slowly before update on device_commands for each row
        when (new.state = 'expired' and new.id = '${sql.unsafe(ids[0]!)}') execute function expire_slowly()`
      assert.equal((await poll(device))!.id, ids[2])
      await sql`drop function expire_slowly cascade`
      assert.deepEqual(await Promise.all(ids.map(stateOf)), ['expired', 'expired', 'sent'])
    })

    it('a poll is its delivery; a message by MQTT is delivered when it is acknowledged', async () => {
      const [polled, pushed] = [await claimed(), await claimed()]
      const [one, two] = [await queue(polled), await queue(pushed)]
      await poll(polled)
      assert.ok((await find(one)).delivered_at)
      await confirmDelivery(context, [{ id: two, device_id: pushed.id }])
      assert.equal((await find(two)).delivered_at, null)
      await handOut(context, [pushed.id], 'subscribe')
      assert.equal((await find(two)).delivered_at, null)
      await confirmDelivery(context, [{ id: two, device_id: pushed.id }])
      assert.ok((await find(two)).delivered_at)
    })

    it('a notification too many costs no attempt', async () => {
      const device = await claimed()
      const id = await queue(device)
      assert.equal((await handOut(context, [device.id], 'notice')).size, 1)
      assert.equal((await handOut(context, [device.id], 'notice')).size, 0)
      assert.equal((await find(id)).attempts, 1)
      assert.equal((await handOut(context, [device.id], 'subscribe')).size, 1)
    })

    it('what is in progress is handed out again, and stays in progress', async () => {
      const device = await claimed()
      const id = await queue(device)
      await poll(device)
      await report(device, id, 'in_progress')
      const due = (await find(id)).due_at
      for (let attempt = 2; attempt < 9; attempt += 1) {
        assert.deepEqual([(await poll(device))!.state, (await find(id)).attempts], ['in_progress', attempt])
      }
      assert.deepEqual((await find(id)).due_at, due)
    })

    it('after five times without a report nobody knows what became of it, and the next one follows', async () => {
      const device = await claimed()
      const [one, two] = [await queue(device), await queue(device)]
      for (let attempt = 1; attempt <= 5; attempt += 1) assert.equal((await poll(device))!.id, one)
      assert.equal((await poll(device))!.id, two)
      assert.equal(await stateOf(one), 'unknown')
      await report(device, one, 'done', { result: [1] })
      assert.deepEqual([await stateOf(one), (await find(one)).result], ['done', [1]])
    })

    it('never after it has expired, by the clock of the database and whatever the state', async () => {
      const device = await claimed()
      const [one, two] = [await queue(device, { expires_after: 10 }), await queue(device)]
      await ageCommand(sql, one, 10)
      assert.equal((await poll(device))!.id, two)
      assert.equal(await stateOf(one), 'expired')
      await report(device, two, 'in_progress')
      await sql`update device_commands set expires_at = clock_timestamp() where id = ${two}`
      assert.equal(await poll(device), undefined)
      assert.equal(await stateOf(two), 'in_progress')
    })

    it('many devices in one call, and nothing for one that was removed', async () => {
      const devices = [await claimed(), await claimed(), await claimed()]
      for (const device of devices) await queue(device)
      await sql`update device_states set removed_at = now() where device_id = ${devices[2]!.id}`
      const ids = devices.map(({ id }) => id)
      assert.deepEqual([...(await handOut(context, ids, 'subscribe')).keys()].sort(), ids.slice(0, 2).sort())
      await sql`update device_states set removed_at = null where device_id = ${devices[2]!.id}`
    })
  })

  describe('the poll over a fleet', () => {
    it('gets what nobody was handed, and again what it did not acknowledge for a minute', async () => {
      const [one, two] = [await claimed(), await claimed()]
      for (const { id } of await handOutToFleet(context, partner.partner_id, 100)) assert.ok(id)
      const [first, behind, second] = [await queue(one), await queue(one), await queue(two)]
      await handOut(context, [two.id], 'subscribe')
      const fleet = async () => (await handOutToFleet(context, partner.partner_id, 100)).map(({ id }) => id)
      assert.deepEqual(await fleet(), [first])
      assert.deepEqual(await fleet(), [])
      await ageCommand(sql, first, 61)
      await ageCommand(sql, second, 61)
      assert.deepEqual(await fleet(), [first])
      await ageCommand(sql, first, 61)
      await confirmDelivery(context, [{ id: first, device_id: one.id }])
      assert.deepEqual(await fleet(), [])
      await context.reportCommand(partner, { id: first, status: 'rejected' })
      assert.deepEqual(await fleet(), [behind])
    })
  })

  describe('a report', () => {
    it('the first final one counts, the same again is accepted, another refused with the state', async () => {
      const device = await claimed()
      const id = await queue(device)
      await poll(device)
      await report(device, id, 'done', { message: 'ok', result: { level: 1 } })
      await report(device, id, 'done', { message: 'ok', result: { level: 1 } })
      const { status, code, message } = await refused(report(device, id, 'failed'))
      assert.deepEqual([status, code], [409, 'command_finished'])
      assert.match(message, /is done.*"done" is final/)
      assert.equal(await stateOf(id), 'done')
    })

    it('of another device, another partner or an unknown id is a 404', async () => {
      const [device, other] = [await claimed(), await claimed()]
      const id = await queue(device)
      const foreign = { partner_id: other.id }
      assert.equal((await refused(report(other, id, 'done'))).status, 404)
      assert.equal((await refused(context.reportCommand(foreign, { id, status: 'done' }))).status, 404)
      assert.equal((await refused(report(device, other.id, 'done'))).status, 404)
      assert.equal((await refused(report(device, 'no id', 'done'))).status, 404)
      assert.equal(await stateOf(id), 'queued')
    })

    it('is bounded, and may have no character that cannot be stored', async () => {
      const device = await claimed()
      const id = await queue(device)
      const wrong: object[] = [
        { message: 'ä'.repeat(513) },
        { result: 'x'.repeat(16 * 1024 - 1) },
        { message: 'a\u0000b' },
        { result: { a: ['\u0000'] } },
      ]
      for (const more of wrong) assert.equal((await refused(report(device, id, 'done', more))).status, 422)
      await report(device, id, 'done', { message: 'ä'.repeat(512), result: 'x'.repeat(16 * 1024 - 2) })
    })

    it('progress restarts the timeout, and keeps the first instant and the last message', async () => {
      const device = await claimed()
      const id = await queue(device, { timeout: 60 })
      await poll(device)
      await report(device, id, 'in_progress', { message: '10 %' })
      await ageCommand(sql, id, 50)
      const { started_at } = await find(id)
      await report(device, id, 'in_progress', { message: '90 %' })
      const row = await find(id)
      assert.deepEqual([row.state, row.message, row.started_at], ['in_progress', '90 %', started_at])
      assert.ok(row.due_at.getTime() - row.started_at.getTime() > 105_000)
      await report(device, id, 'done')
      assert.equal((await find(id)).message, null)
    })

    it('after the end is refused, although nobody has settled it yet', async () => {
      const device = await claimed()
      const [one, two] = [await queue(device, { expires_after: 10 }), await queue(device)]
      await poll(device)
      await ageCommand(sql, one, 10)
      const { status, message } = await refused(report(device, one, 'done'))
      assert.equal(status, 409)
      assert.match(message, /expired/)
      assert.deepEqual([await stateOf(one), await stateOf(two)], ['expired', 'queued'])
    })
  })

  describe('deadlines', () => {
    it('of each state that waits', async () => {
      const [a, b, c, d] = [await claimed(), await claimed(), await claimed(), await claimed()]
      const ids = [
        await queue(a!, { expires_after: 100 }),
        await queue(b!, { timeout: 50 }),
        await queue(c!, { timeout: 50 }),
        await queue(d!, { timeout: 500, expires_after: 100 }),
      ]
      for (const device of [b, c, d]) await poll(device!)
      await report(c!, ids[2]!, 'in_progress')
      const states = async () => {
        await settleDueCommands(context)
        return await Promise.all(ids.map(stateOf))
      }
      for (const id of ids) await ageCommand(sql, id, 49)
      assert.deepEqual(await states(), ['queued', 'sent', 'in_progress', 'sent'])
      for (const id of ids) await ageCommand(sql, id, 2)
      assert.deepEqual(await states(), ['queued', 'queued', 'unknown', 'sent'])
      for (const id of ids) await ageCommand(sql, id, 50)
      assert.deepEqual(await states(), ['expired', 'queued', 'unknown', 'expired'])
    })

    it('every final state is in the audit log, with the name and without parameters', async () => {
      const device = await claimed()
      const [one, two] = [await queue(device, { parameters: { pin: '1234' } }), await queue(device)]
      await ageCommand(sql, one, 3_600)
      await settleDueCommands(context)
      await report(device, two, 'rejected')
      const events = await sql`
      select type, details - 'command_id' as details from audit_events where device_id = ${device.id} and type like 'command%'
      order by id`
      assert.deepEqual(
        [...events],
        [
          { type: 'command.finished', details: { name: 'reboot', state: 'expired' } },
          { type: 'command.finished', details: { name: 'reboot', state: 'rejected' } },
        ],
      )
    })
  })
})
