import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { giveCommand } from '../../../../test/support/announce-command.ts'
import { ageCommand, findBrokenRules, queueCommand } from '../../../../test/support/commands.ts'
import { online, post, register, send, startScene } from '../../../../test/support/devices.ts'
import { until } from '../../../../test/support/until.ts'
import { pollLimits } from '../../platform/own-limits.ts'
import { openReplaceWindow, removeDevice } from '../registry/devices.ts'

const { service, app, claimed, context, customer, model, partner, sql } = await startScene()

interface Device {
  id: string
  access_key: string
}

const give = (device: Device, more: object = {}) =>
  giveCommand(context, { device_id: device.id, ...partner, ...customer, ...more })

async function poll({ id, access_key: authorization }: Device, wait = 0, headers: object = {}) {
  const query = wait > 0 ? { wait: `${wait}` } : {}
  const url = `/v1/devices/${id}/command`
  const response = await app.inject({ method: 'GET', url, query, headers: { authorization, ...headers } })
  return { status: response.statusCode, body: response.body === '' ? null : response.json() }
}

const report = (device: Device, body: object | string, headers: Record<string, string> = {}) =>
  post(service, `/v1/devices/${device.id}/command`, body, { authorization: device.access_key, ...headers })

const stateOf = async (id: string) => (await sql`select state from device_commands where id = ${id}`)[0]!.state

const waits = (count = 1) => until(async () => context.commandPolls.size === count, `${count} polls wait`)

describe('GET /v1/devices/{id}/command', () => {
  it('the first command that waits, the same again until it is reported, or 204', async () => {
    const device = await claimed()
    assert.deepEqual(await poll(device), { status: 204, body: null })
    const [one, two] = [await give(device, { name: 'blink', parameters: { times: 2 } }), await give(device)]
    const { status, body } = await poll(device)
    const { created_at, expires_at, ...rest } = body
    assert.equal(status, 200)
    assert.ok(created_at < expires_at)
    const given = { id: one, device_id: device.id, name: 'blink', parameters: { times: 2 } }
    assert.deepEqual(rest, { ...given, state: 'sent', attempt: 1 })
    assert.equal((await poll(device)).body.attempt, 2)
    assert.deepEqual((await report(device, { id: one, status: 'in_progress' })).body, { success: true })
    assert.deepEqual((await poll(device)).body.state, 'in_progress')
    const done = await report(device, { id: one, status: 'done', message: 'Blinked.', result: [1, { a: null }] })
    assert.deepEqual([done.status, done.body], [200, { success: true, command: true }])
    assert.equal((await poll(device)).body.id, two)
    assert.deepEqual((await report(device, { id: two, status: 'rejected' })).body, { success: true })
    assert.equal((await poll(device)).status, 204)
    assert.deepEqual(await findBrokenRules(sql), [])
  })

  it('with wait: as soon as there is one, and 204 when there is none', async () => {
    const device = await claimed()
    const began = performance.now()
    assert.equal((await poll(device, 1)).status, 204)
    assert.ok(performance.now() - began > 990)
    const waiting = poll(device, 20)
    await waits()
    const id = await give(device)
    const { status, body } = await waiting
    assert.deepEqual([status, body.id, body.attempt], [200, id, 1])
    assert.equal(context.commandPolls.size, 0)
  })

  it('a second poll ends the first with 204; one with a wrong key does not', async () => {
    const device = await claimed()
    const first = poll(device, 20)
    await waits()
    assert.equal((await poll({ ...device, access_key: 'lbd_wrong' }, 20)).status, 401)
    assert.equal(context.commandPolls.size, 1)
    const second = poll(device, 20)
    assert.equal((await first).status, 204)
    const id = await give(device)
    assert.equal((await second).body.id, id)
  })

  it('a notification without a command, and one for a command that another poll got, end no poll', async () => {
    const device = await claimed()
    const id = await give(device)
    assert.equal((await poll(device)).body.id, id)
    const other = await claimed()
    const waiting = poll(other, 20)
    await waits()
    for (let round = 0; round < 3; round += 1) {
      await context.notifications.publish(sql, 'devices.command', [other.id])
      await sleep(30)
    }
    assert.equal(context.commandPolls.size, 1)
    const next = await give(other)
    assert.deepEqual([(await waiting).body.id, (await poll(other)).body.attempt], [next, 2])
  })

  it('a caller that leaves takes nothing with it', async () => {
    const device = await claimed()
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    const leaving = new AbortController()
    const headers = { authorization: device.access_key }
    const url = `${address}/v1/devices/${device.id}/command?wait=20`
    const left = fetch(url, { headers, signal: leaving.signal }).catch(() => 'left')
    await waits()
    leaving.abort()
    assert.equal(await left, 'left')
    await waits(0)
    const id = await give(device)
    assert.equal(await stateOf(id), 'queued')
    assert.equal((await poll(device)).body.attempt, 1)
  })

  it('what was created while no notification came is returned once they come again', async () => {
    const device = await claimed()
    const waiting = poll(device, 25)
    await waits()
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'landbridge live' and datname = current_database()`
    const id = await queueCommand(sql, { device_id: device.id, ...partner, ...customer })
    assert.equal((await waiting).body.id, id)
  })

  it('never after it has expired', async () => {
    const device = await claimed()
    const id = await give(device, { expires_after: 30 })
    await ageCommand(sql, id, 30)
    assert.equal((await poll(device)).status, 204)
    assert.equal(await stateOf(id), 'expired')
  })

  it('401, 410, 422 and 429 as the document says; a device that polls too often does not end that of others', async () => {
    const device = await claimed()
    for (const access_key of ['', 'lbd_wrong']) assert.equal((await poll({ ...device, access_key })).status, 401)
    assert.equal((await poll({ ...device, id: 'x' })).status, 401)
    assert.equal((await poll({ ...device, id: device.id.toUpperCase() })).status, 204)
    const url = `/v1/devices/${device.id}/command`
    for (const wait of ['26', '-1', 'x', '1.5']) {
      const headers = { authorization: device.access_key }
      assert.equal((await app.inject({ method: 'GET', url, query: { wait }, headers })).statusCode, 422, wait)
    }
    await context.commandCalls.takeMany(device.id, pollLimits.callsPerDevice, pollLimits.callsPerDevice)
    assert.deepEqual((await poll(device)).body.code, 'too_many_requests')
    assert.equal((await report(device, { id: device.id, status: 'done' })).status, 429)
    const removed = await claimed()
    const waiting = poll(removed, 20)
    await waits()
    const id = await give(removed)
    assert.equal((await waiting).body.id, id)
    await removeDevice(context, { kind: 'operator' }, partner, removed.id)
    assert.equal((await poll(removed)).status, 410)
    assert.equal((await report(removed, { id, status: 'done' })).status, 410)
  })
})

describe('a device that waits for a command, and may no longer', () => {
  it('learns at once that it was removed', async () => {
    const device = await claimed()
    const waiting = poll(device, 25)
    await waits()
    const began = performance.now()
    await removeDevice(context, { kind: 'operator' }, partner, device.id)
    const { status, body } = await waiting
    assert.deepEqual([status, body.code, context.commandPolls.size], [410, 'device_removed', 0])
    assert.ok(performance.now() - began < 15_000)
  })

  it('learns at once that it registered again: its old key is 401, and the new one waits on', async () => {
    const device = await claimed()
    const waiting = poll(device, 25)
    await waits()
    await openReplaceWindow(context, { kind: 'operator' }, partner, device.id)
    const again = await register(service, model, { mac: device.mac, sn: device.sn })
    assert.notEqual(again.access_key, device.access_key)
    const { status, body } = await waiting
    assert.deepEqual([status, body.code], [401, 'invalid_access_key'])
    const next = poll({ ...device, ...again }, 25)
    await waits()
    await context.notifications.publish(sql, 'device.rekeyed', [device.id])
    await sleep(200)
    assert.equal(context.commandPolls.size, 1)
    const id = await give(device)
    assert.equal((await next).body.id, id)
  })
})

describe('POST /v1/devices/{id}/command', () => {
  it('the first final report counts: the same again is 200, another 409', async () => {
    const device = await claimed()
    const id = await give(device)
    assert.equal((await report(device, { id, status: 'failed', message: 'no' })).status, 200)
    assert.equal((await report(device, { id: id.toUpperCase(), status: 'failed', message: 'no' })).status, 200)
    const other = await report(device, { id, status: 'done' })
    assert.deepEqual([other.status, other.body.code], [409, 'command_finished'])
    assert.match(other.body.error, /failed/)
  })

  it('another device’s command, and one that does not exist: the same 404', async () => {
    const [device, other] = [await claimed(), await claimed()]
    const id = await give(other)
    const [ofOther, unknown] = [
      await report(device, { id, status: 'done' }),
      await report(device, { id: device.id, status: 'done' }),
    ]
    assert.deepEqual([ofOther.status, ofOther.body], [404, unknown.body])
    assert.equal(await stateOf(id), 'queued')
  })

  it('what is wrong with a report is for those with the key, and for the partner', async () => {
    const device = await claimed()
    const id = await give(device)
    const cases: [object | string, number, string][] = [
      ['{', 400, 'malformed_json'],
      [[], 422, 'invalid'],
      [{ id }, 422, 'invalid'],
      [{ id, status: 'sent' }, 422, 'invalid'],
      [{ id: 'x', status: 'done' }, 422, 'invalid'],
      [{ status: 'done' }, 422, 'invalid'],
      [{ id, status: 'done', extra: 1 }, 422, 'invalid'],
      [{ id, status: 'done', message: 'ü'.repeat(513) }, 422, 'invalid'],
      [{ id, status: 'done', result: 'x'.repeat(16 * 1024) }, 422, 'invalid'],
      [{ id, status: 'done', result: 'a\0' }, 422, 'invalid'],
      [{ id, status: 'done', message: '\ud800' }, 422, 'invalid'],
      [{ id, status: 'done', result: { a: [{ '\ud800': 1 }] } }, 422, 'invalid'],
      [{ id, status: 'done', result: 'x'.repeat(70_000) }, 413, 'too_large'],
    ]
    for (const [body, status, code] of cases) {
      const response = await report(device, body)
      assert.deepEqual([response.status, response.body.code], [status, code], JSON.stringify(body).slice(0, 80))
    }
    assert.equal((await report({ ...device, access_key: 'x' }, { id })).status, 401)
    assert.equal(await stateOf(id), 'queued')
    await context.integrationLog.flush()
    const logged = await sql<{ reason: string }[]>`
      select distinct reason from integration_failures where device_id = ${device.id} and endpoint = 'command'`
    assert.deepEqual(logged.map(({ reason }) => reason).toSorted(), [
      'access_key_wrong',
      'body_not_json',
      'message_too_large',
      'report_invalid',
    ])
    assert.equal((await report(device, { id, status: 'done', message: null, result: null })).status, 200)
  })
})

describe('the response to telemetry', () => {
  it('says that a command waits, and which settings: for one device and for each of many', async () => {
    const [plain, commanded, both] = [await claimed(), await claimed(), await claimed()]
    for (const device of [commanded, both]) await give(device)
    await sql`update device_states set config_version = 7 where device_id = ${both.id}`
    const single = await Promise.all([plain, commanded, both].map((device) => send(service, device, online({ a: 1 }))))
    const waiting = [{}, { command: true }, { command: true, config_version: 7 }]
    assert.deepEqual(
      single.map(({ body }) => body),
      waiting.map((more) => ({ success: true, ...more })),
    )
    const entries = [both, plain, commanded, both, { ...plain, access_key: 'x' }]
    const devices = entries.map(({ id, access_key }) => ({ id, access_key, ...online({ a: 2 }) }))
    const { body } = await post(service, '/v1/devices/telemetry', { devices })
    const expected = [waiting[2], waiting[0], waiting[1], waiting[2]].map((more, index) => {
      return { id: entries[index]!.id, status: 200, ...more }
    })
    assert.deepEqual(body.results.slice(0, 4), expected)
    assert.equal(body.results[4].status, 401)
    const timestamp = new Date(service.clock.now().getTime() - 20 * 60_000).toISOString()
    const late = await send(service, both, online({ a: 3 }, { timestamp, message_id: 'm', firmware_version: '1.5.0' }))
    assert.deepEqual(late.body, { success: true, ...waiting[2] })
    const { id } = (await poll(commanded)).body
    assert.deepEqual((await send(service, commanded, online({ a: 1 }))).body, { success: true, command: true })
    await report(commanded, { id, status: 'done' })
    assert.deepEqual((await send(service, commanded, online({ a: 1 }))).body, { success: true })
  })
})
