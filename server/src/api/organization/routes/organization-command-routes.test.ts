import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { approveFor } from '../../../../../test/support/applications.ts'
import { startCommandScene } from '../../../../../test/support/command-scene.ts'
import { findBrokenRules } from '../../../../../test/support/commands.ts'
import { newModel, post, register, send } from '../../../../../test/support/devices.ts'
import { handOut } from '../../../devices/commands/hand-out.ts'
import { newId } from '../../../platform/secrets/identifiers.ts'

const { claimed, context, model, organization, other, service, sql } = await startCommandScene()
const call = organization.call.bind(organization, 'session')
const create = (device: { id: string }, body: object, headers: Record<string, string> = {}) =>
  call('POST', `/devices/${device.id}/commands`, body, headers)
const poll = async ({ id }: { id: string }) => (await handOut(context, [id], 'poll')).get(id)
const report = ({ id: device_id }: { id: string }, id: string, status: 'in_progress' | 'done') =>
  context.reportCommand({ device_id }, { id, status })
const stateOf = async (id: string) => (await sql`select state from device_commands where id = ${id}`)[0]!.state
const commanding = { devices: 'command', spaces: 'read', people: 'none', audit: 'none' }

describe('sending a command', () => {
  it('202 with the command, which the device then gets', async () => {
    const device = await claimed({ name: 'Front door' })
    const { status, body } = await create(device, { name: 'reboot' })
    assert.equal(status, 202, JSON.stringify(body))
    const { id, created_at, expires_at, created_by, ...rest } = body
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 3_600_000)
    assert.deepEqual([created_by.kind, created_by.id], ['user', organization.administrator.id])
    assert.ok(created_by.name)
    assert.deepEqual(rest, {
      device_id: device.id,
      device_name: 'Front door',
      name: 'reboot',
      label: 'Restart',
      parameters: {},
      secret: [],
      state: 'queued',
      source: 'portal',
      batch_id: null,
      attempts: 0,
      sent_at: null,
      delivered_at: null,
      started_at: null,
      finished_at: null,
      message: null,
      result: null,
    })
    assert.equal((await poll(device))!.id, id)
    const read = (await call('GET', `/devices/${device.id}/commands/${id}`)).body
    assert.deepEqual([read.state, read.attempts, typeof read.delivered_at], ['sent', 1, 'string'])
  })

  it('the device gets a secret, nobody else; it is sealed, and erased at the end', async () => {
    const device = await claimed()
    const { body } = await create(device, { name: 'unlock', parameters: { pin: '47110815', seconds: 5 } })
    assert.deepEqual([body.parameters, body.secret], [{ pin: null, seconds: 5 }, ['pin']])
    const [stored] = await sql`select parameters, sealed from device_commands where id = ${body.id}`
    assert.deepEqual(stored!.parameters, { seconds: 5 })
    assert.ok(!stored!.sealed.toString('latin1').includes('47110815'))
    assert.deepEqual((await poll(device))!.parameters, { seconds: 5, pin: '47110815' })
    await report(device, body.id, 'done')
    const [row] = await sql`select sealed from device_commands where id = ${body.id}`
    assert.equal(row!.sealed, null)
    const [event] =
      await sql`select details from audit_events where type = 'command.created' and device_id = ${device.id}`
    assert.deepEqual(event!.details, { command_id: body.id, name: 'unlock', parameters: ['pin', 'seconds'] })
  })

  const wrong: [string, object, string[]][] = [
    ['an unknown command', { name: 'explode' }, ['name']],
    ['an unknown parameter', { name: 'reboot', parameters: { when: 1 } }, ['parameters.when']],
    ['a missing one', { name: 'unlock' }, ['parameters.pin']],
    ['a wrong type', { name: 'unlock', parameters: { pin: 4711 } }, ['parameters.pin']],
    ['null', { name: 'unlock', parameters: { pin: null } }, ['parameters.pin']],
    ['a list', { name: 'unlock', parameters: { pin: ['1'] } }, ['parameters.pin']],
    ['a long text', { name: 'unlock', parameters: { pin: '123456789' } }, ['parameters.pin']],
    ['numbers out of range', { name: 'unlock', parameters: { pin: '1', seconds: 61 } }, ['parameters.seconds']],
    ['another value', { name: 'unlock', parameters: { pin: '1', mode: 'never' } }, ['parameters.mode']],
    ['U+0000', { name: 'note', parameters: { text: 'a\u0000' } }, ['parameters.text']],
    ['17 KiB', { name: 'note', parameters: { text: 'x'.repeat(17 * 1024) } }, ['parameters']],
    ['a name of the prototype', { name: 'reboot', parameters: { constructor: 1 } }, ['parameters.constructor']],
    ['an early expiry', { name: 'reboot', expires_after: 9 }, ['expires_after']],
    ['a late one', { name: 'reboot', expires_after: 604_801 }, ['expires_after']],
  ]
  for (const [what, body, fields] of wrong) {
    it(`422 for ${what}`, async () => {
      const device = await claimed()
      const response = await create(device, body)
      assert.equal(response.status, 422, response.raw)
      assert.deepEqual(
        response.body.details.map(({ field }: { field: string }) => field),
        fields,
      )
      assert.equal(await poll(device), undefined)
    })
  }

  it('16 KiB are accepted', async () => {
    const device = await claimed()
    const text = 'x'.repeat(16 * 1024 - '{"text":""}'.length)
    assert.equal((await create(device, { name: 'note', parameters: { text } })).status, 202)
    assert.equal((await create(device, { name: 'note', parameters: { text: `${text}x` } })).status, 422)
  })

  it('a command for online devices is refused while it is offline', async () => {
    const device = await claimed()
    assert.equal((await create(device, { name: 'identify' })).body.code, 'device_offline')
    await send(service, device, { status: 'online', telemetries: {} })
    assert.equal((await create(device, { name: 'identify' })).status, 202)
  })

  it('the 21st that waits is refused, and there is room again when one has ended or expired', async () => {
    const device = await claimed()
    const ids: string[] = []
    for (let n = 0; n < 20; n += 1) ids.push((await create(device, { name: 'reboot' })).body.id)
    const refused = await create(device, { name: 'reboot' })
    assert.deepEqual([refused.status, refused.body.code], [409, 'too_many_commands'])
    await poll(device)
    await report(device, ids[0]!, 'done')
    assert.equal((await create(device, { name: 'reboot' })).status, 202)
    await sql`update device_commands set expires_at = now(), due_at = now() where id = ${ids[7]!}`
    assert.equal((await create(device, { name: 'reboot' })).status, 202)
    assert.equal((await create(device, { name: 'reboot' })).status, 409)
    assert.deepEqual(await findBrokenRules(sql), [])
  })

  it('60 per minute and device', async () => {
    const [device, second] = [await claimed(), await claimed()]
    for (let n = 0; n < 60; n += 1) assert.notEqual((await create(device, { name: 'reboot' })).status, 429)
    const limited = await create(device, { name: 'reboot' })
    assert.deepEqual([limited.status, limited.body.code], [429, 'too_many_requests'])
    assert.equal((await create(second, { name: 'reboot' })).status, 202)
  })

  it('the same Idempotency-Key creates one command', async () => {
    const device = await claimed()
    const key = { 'idempotency-key': newId() }
    const [one, two] = [await create(device, { name: 'reboot' }, key), await create(device, { name: 'reboot' }, key)]
    assert.deepEqual([two.status, two.body], [202, one.body])
    const [count] = await sql`select count(*)::int as n from device_commands where device_id = ${device.id}`
    assert.equal(count!.n, 1)
  })

  it('another organization’s device and a removed one are unknown', async () => {
    const [foreign, removed] = [await claimed({}, other), await claimed()]
    await call('DELETE', `/devices/${removed.id}`)
    for (const { id } of [foreign, removed, { id: newId() }]) {
      assert.equal((await create({ id }, { name: 'reboot' })).status, 404)
      assert.equal((await call('GET', `/devices/${id}/commands`)).status, 404)
      assert.equal((await call('GET', `/devices/${id}/declared-commands`)).status, 404)
    }
  })
})

describe('who may command', () => {
  it('an application or a key only when it was given; its commands say who it was', async () => {
    const device = await claimed()
    const path = `/devices/${device.id}/commands`
    for (const credential of ['bearer', 'api_key'] as const) {
      const { status, body } = await organization.call(credential, 'POST', path, { name: 'reboot' })
      assert.deepEqual([status, body.missing], [403, 'devices: command'])
    }
    const { client_id } = organization.application
    await approveFor(service, organization.application, { permissions: commanding })
    const { status, body } = await organization.call('bearer', 'POST', path, { name: 'reboot' })
    assert.deepEqual(
      [status, body.source, body.created_by.kind, body.created_by.id],
      [202, 'application', 'application', client_id],
    )
  })

  it('withdrawing the approval cancels what no device has yet, and leaves the rest', async () => {
    const [one, two] = [await claimed({}, other), await claimed({}, other)]
    const admin = other.call.bind(other, 'session')
    const { client_id } = other.application
    await approveFor(service, other.application, { permissions: commanding })
    const app = other.call.bind(other, 'bearer')
    const first = (await app('POST', `/devices/${one.id}/commands`, { name: 'reboot' })).body.id
    const second = (await app('POST', `/devices/${one.id}/commands`, { name: 'reboot' })).body.id
    const own = (await admin('POST', `/devices/${one.id}/commands`, { name: 'reboot' })).body.id
    const third = (await app('POST', `/devices/${two.id}/commands`, { name: 'reboot' })).body.id
    await poll(one)
    assert.equal((await admin('DELETE', `/connected-apps/${client_id}`)).status, 200)
    const states = await Promise.all([first, second, own, third].map(stateOf))
    assert.deepEqual(states, ['sent', 'canceled', 'queued', 'canceled'])
    assert.equal(await poll(two), undefined)
    assert.deepEqual(await findBrokenRules(sql), [])
  })

  it('revoking an API key cancels what no device has yet', async () => {
    const device = await claimed()
    const made = await call('POST', '/api-keys', { name: 'Robot', permissions: commanding, within: null })
    assert.equal(made.status, 201, made.raw)
    const headers = { authorization: made.body.key }
    const url = `/core/v1/organization/devices/${device.id}/commands`
    const sent = await post(service, url, { name: 'reboot' }, headers)
    assert.deepEqual([sent.status, sent.body.source, sent.body.created_by.name], [202, 'api_key', 'Robot'])
    assert.equal((await call('DELETE', `/api-keys/${made.body.id}`)).status, 204)
    assert.equal(await stateOf(sent.body.id), 'canceled')
    assert.equal((await post(service, url, { name: 'reboot' }, headers)).status, 401)
    const events = await sql`
      select type, details ->> 'state' as state from audit_events where device_id = ${device.id} and type = 'command.canceled'`
    assert.deepEqual([...events], [{ type: 'command.canceled', state: 'canceled' }])
  })

  it('within the spaces of the caller', async () => {
    const mine = (await call('POST', '/spaces', { name: `mine ${newId()}` })).body.id
    const [inside, outside] = [await claimed({ space_id: mine }), await claimed()]
    const made = await call('POST', '/api-keys', { name: 'Room', permissions: commanding, within: [mine] })
    const headers = { authorization: made.body.key }
    const base = '/core/v1/organization'
    const ids = [inside.id, outside.id]
    const body = { device_ids: ids, name: 'reboot' }
    const bulk = await post(service, `${base}/devices/commands`, body, headers)
    assert.deepEqual(
      bulk.body.results.map(({ status }: { status: number }) => status),
      [202, 404],
    )
    const foreign = (await create(outside, { name: 'reboot' })).body.id
    const get = async (path: string) =>
      (await service.app.inject({ method: 'GET', url: `${base}${path}`, headers })).json()
    const listed = (await get('/commands?limit=100')).items
    assert.deepEqual(
      listed.map(({ device_id }: { device_id: string }) => device_id),
      [inside.id],
    )
    assert.equal((await get(`/devices/${outside.id}/commands/${foreign}`)).code, 'not_found')
    assert.equal((await get(`/commands/counts?batch_id=${bulk.body.batch_id}`)).queued, 1)
  })
})

describe('many devices at once', () => {
  it('an outcome each, in order, each judged by its own model', async () => {
    const plain = await newModel(service, 'Plain')
    const [one, two, foreign] = [await claimed(), await claimed(), await claimed({}, other)]
    const unable = await claimed({}, organization, plain)
    const device_ids = [two.id, unable.id, one.id, foreign.id, newId(), two.id.toUpperCase()]
    const { status, body } = await call('POST', '/devices/commands', {
      device_ids,
      name: 'unlock',
      parameters: { pin: '1' },
    })
    assert.equal(status, 202)
    assert.deepEqual(
      body.results.map((result: { status: number; code?: string }) => [result.status, result.code]),
      [
        [202, undefined],
        [422, 'invalid'],
        [202, undefined],
        [404, 'not_found'],
        [404, 'not_found'],
        [202, undefined],
      ],
    )
    assert.equal(body.results[0].id, body.results[5].id)
    const listed = (await call('GET', `/commands?batch_id=${body.batch_id}`)).body.items
    assert.deepEqual(listed.map(({ id }: { id: string }) => id).sort(), [body.results[0].id, body.results[2].id].sort())
    const counts = (await call('GET', `/commands/counts?batch_id=${body.batch_id}`)).body
    assert.deepEqual([counts.queued, counts.done], [2, 0])
    assert.equal((await other.call('session', 'GET', `/commands/counts?batch_id=${body.batch_id}`)).body.queued, 0)
  })

  it('no more than a thousand, and at least one', async () => {
    for (const count of [0, 1_001]) {
      const device_ids = Array.from({ length: count }, newId)
      assert.equal((await call('POST', '/devices/commands', { device_ids, name: 'reboot' })).status, 422)
    }
  })
})

describe('reading commands', () => {
  it('of a device and of the organization, newest first, page by page, by state', async () => {
    const device = await claimed()
    const ids: string[] = []
    for (let n = 0; n < 3; n += 1) ids.push((await create(device, { name: 'reboot' })).body.id)
    await poll(device)
    const read = async (path: string) => {
      const found: string[] = []
      for (let after = ''; ; ) {
        const { body } = await call('GET', `${path}limit=1${after && `&after=${after}`}`)
        found.push(
          ...body.items
            .filter((one: { device_id: string }) => one.device_id === device.id)
            .map(({ id }: { id: string }) => id),
        )
        if (body.next === null) return found
        after = body.next
      }
    }
    assert.deepEqual(await read(`/devices/${device.id}/commands?`), ids.toReversed())
    assert.deepEqual(await read('/commands?'), ids.toReversed())
    assert.deepEqual(await read('/commands?state=queued&'), [ids[2], ids[1]])
    assert.deepEqual(await read('/commands?state=sent,queued&'), ids.toReversed())
    assert.deepEqual(await read('/commands?state=done&'), [])
    assert.equal((await call('GET', '/commands?state=lost')).status, 422)
    assert.equal(
      (await other.call('session', 'GET', '/commands?limit=100')).body.items.some(({ id }: { id: string }) =>
        ids.includes(id),
      ),
      false,
    )
  })

  it('waits for the next change, without a connection to Postgres', async () => {
    const device = await claimed()
    const { id } = (await create(device, { name: 'reboot' })).body
    const path = `/devices/${device.id}/commands/${id}`
    const waiting = call('GET', `${path}?wait=20`)
    const began = performance.now()
    while (
      (
        await sql`
          select 1 from pg_stat_activity where datname = current_database() and state = 'active'
            and query like '%device_commands%' and pid <> pg_backend_pid()`
      ).length > 0
    );
    await new Promise((resolve) => setTimeout(resolve, 300))
    await poll(device)
    assert.equal((await waiting).body.state, 'sent')
    assert.ok(performance.now() - began < 10_000)
    assert.equal((await call('GET', `${path}?wait=1`)).body.state, 'sent')
    const next = call('GET', `${path}?wait=20`)
    await new Promise((resolve) => setTimeout(resolve, 300))
    await report(device, id, 'done')
    assert.equal((await next).body.state, 'done')
    assert.equal((await call('GET', `${path}?wait=25`)).body.state, 'done')
    assert.equal((await call('GET', `${path}?wait=26`)).status, 422)
  })

  it('a wait ends with its credential', async () => {
    const device = await claimed()
    const { id } = (await create(device, { name: 'reboot' })).body
    const made = await call('POST', '/api-keys', { name: 'Short', permissions: commanding, within: null })
    const url = `/core/v1/organization/devices/${device.id}/commands/${id}?wait=25`
    const waiting = service.app.inject({ method: 'GET', url, headers: { authorization: made.body.key } })
    await new Promise((resolve) => setTimeout(resolve, 300))
    const began = performance.now()
    await call('DELETE', `/api-keys/${made.body.id}`)
    assert.equal((await waiting).statusCode, 401)
    assert.ok(performance.now() - began < 5_000)
  })

  it('what a device can be asked to do', async () => {
    const device = await claimed()
    const { commands, settable } = (await call('GET', `/devices/${device.id}/declared-commands`)).body
    assert.deepEqual(
      [commands.map(({ name }: { name: string }) => name), settable],
      [['reboot', 'unlock', 'identify', 'note'], []],
    )
  })
})

describe('canceling', () => {
  it('while it is queued; afterwards the device has it', async () => {
    const device = await claimed()
    const [one, two] = [
      (await create(device, { name: 'reboot' })).body.id,
      (await create(device, { name: 'reboot' })).body.id,
    ]
    const cancel = (id: string) => call('DELETE', `/devices/${device.id}/commands/${id}`)
    await poll(device)
    assert.equal((await cancel(one)).body.code, 'command_under_way')
    const { status, body } = await cancel(two)
    assert.deepEqual([status, body.state], [200, 'canceled'])
    assert.ok(body.finished_at)
    assert.deepEqual([(await cancel(two)).status, (await cancel(newId())).status], [200, 404])
    await report(device, one, 'done')
    assert.equal((await cancel(one)).body.code, 'command_finished')
    assert.equal((await other.call('session', 'DELETE', `/devices/${device.id}/commands/${one}`)).status, 404)
    assert.deepEqual(await findBrokenRules(sql), [])
  })

  it('with the removal of the device: the next owner sees nothing of it', async () => {
    const device = await claimed()
    const [one, two] = [
      (await create(device, { name: 'reboot' })).body.id,
      (await create(device, { name: 'reboot' })).body.id,
    ]
    await poll(device)
    await report(device, one, 'in_progress')
    assert.equal((await call('DELETE', `/devices/${device.id}`)).status, 204)
    assert.deepEqual([await stateOf(one), await stateOf(two)], ['canceled', 'canceled'])
    const again = await register(service, model, { mac: device.mac, sn: device.sn })
    await other.call('session', 'POST', '/devices/claim', { mac: device.mac, sn: device.sn, model_id: model.id })
    assert.deepEqual((await other.call('session', 'GET', `/devices/${again.id}/commands`)).body.items, [])
    assert.equal(await poll(again), undefined)
    const { body } = await call('GET', '/commands?state=canceled&limit=2')
    assert.deepEqual(
      body.items.map(({ id, device_name }: { id: string; device_name: string | null }) => [id, device_name]),
      [
        [two, null],
        [one, null],
      ],
    )
    assert.deepEqual(await findBrokenRules(sql), [])
  })

  it('with the replacement of the hardware, and not before a device has used its first key', async () => {
    const device = await claimed()
    const early = (await create(device, { name: 'reboot' })).body.id
    const key = await register(service, model, { mac: device.mac, sn: device.sn })
    assert.equal(await stateOf(early), 'queued')
    await send(service, { ...device, access_key: key.access_key }, { status: 'online', telemetries: {} })
    await call('POST', `/devices/${device.id}/replace`)
    assert.equal(await stateOf(early), 'queued')
    await register(service, model, { mac: device.mac, sn: device.sn })
    assert.equal(await stateOf(early), 'canceled')
    assert.deepEqual(await findBrokenRules(sql), [])
  })
})
