import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { approveFor } from '../../../../test/support/applications.ts'
import { type ClaimedDevice, startCommandScene } from '../../../../test/support/command-scene.ts'
import { findBrokenRules } from '../../../../test/support/commands.ts'
import { post } from '../../../../test/support/devices.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { changeReach } from '../../authorization/consent/change-reach.ts'
import { handOut } from '../../devices/commands/hand-out.ts'
import { withdrawnCommandsJob } from '../../devices/commands/withdrawn-commands.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { newId } from '../../platform/secrets/identifiers.ts'

const { claimed, context, organization, other, service, sql } = await startCommandScene()
const { customer_id, application } = organization
const { client_id } = application
const admin = organization.call.bind(organization, 'session')
const commanding = { devices: 'command', spaces: 'read', people: 'none', audit: 'none' } as const
const managing = { ...commanding, devices: 'manage' } as const

async function send(device: ClaimedDevice, by: 'bearer' | 'session' = 'bearer', who = organization): Promise<string> {
  const { status, body } = await who.call(by, 'POST', `/devices/${device.id}/commands`, { name: 'reboot' })
  assert.equal(status, 202, JSON.stringify(body))
  return body.id
}
const poll = async ({ id }: ClaimedDevice) => (await handOut(context, [id], 'poll')).get(id)?.id
const stateOf = async (id: string) => (await sql`select state from device_commands where id = ${id}`)[0]!.state
const statesOf = (...ids: string[]) => Promise.all(ids.map(stateOf))
const newSpace = async () => (await admin('POST', '/spaces', { name: `space ${newId()}` })).body.id as string
const patchApp = (change: object) => admin('PATCH', `/connected-apps/${client_id}`, change)
const runJob = () => withdrawnCommandsJob(context).runShared()

async function newKey(within: string[] | null = null) {
  const { status, body, raw } = await admin('POST', '/api-keys', { name: 'Robot', permissions: commanding, within })
  assert.equal(status, 201, raw)
  const headers = { authorization: body.key }
  return {
    change: (change: object) => admin('PATCH', `/api-keys/${body.id}`, change),
    send: async ({ id }: ClaimedDevice): Promise<string> => {
      const sent = await post(service, `/core/v1/organization/devices/${id}/commands`, { name: 'reboot' }, headers)
      assert.equal(sent.status, 202, JSON.stringify(sent.body))
      return sent.body.id
    },
  }
}

describe('commands of an application or an API key that may no longer command', () => {
  beforeEach(async () => {
    await approveFor(service, application, { permissions: commanding })
    await approveFor(service, other.application, { permissions: commanding })
  })

  it('are canceled when the approval no longer has the permission; what the device has, and a person’s, stays', async () => {
    const [one, two] = [await claimed(), await claimed()]
    const [first, second, own] = [await send(one), await send(one), await send(one, 'session')]
    const third = await send(two)
    await poll(one)
    assert.equal((await patchApp({ permissions: managing })).status, 200)
    assert.deepEqual(await statesOf(first, second, own, third), ['sent', 'canceled', 'queued', 'canceled'])
    assert.equal(await poll(two), undefined)
    const events = await sql`
      select actor ->> 'id' as actor_id from audit_events where device_id = ${two.id} and type = 'command.canceled'`
    assert.deepEqual([...events], [{ actor_id: organization.administrator.id }])
    assert.deepEqual(await findBrokenRules(sql), [])
  })

  it('are canceled outside the spaces that are left', async () => {
    const [kept, lost] = [await newSpace(), await newSpace()]
    const below = (await admin('POST', '/spaces', { name: 'below', parent_id: kept })).body.id
    const places = [kept, below, lost, undefined]
    const devices = await Promise.all(places.map((space_id) => claimed(space_id ? { space_id } : {})))
    const sent = await Promise.all(devices.map((device) => send(device)))
    assert.equal((await patchApp({ within: [kept] })).status, 200)
    assert.deepEqual(await statesOf(...sent), ['queued', 'queued', 'canceled', 'canceled'])
    const key = await newKey([kept, lost])
    const byKey = await Promise.all(devices.slice(0, 3).map((device) => key.send(device)))
    assert.equal((await key.change({ within: [kept, below] })).status, 200)
    assert.deepEqual(await statesOf(...byKey), ['queued', 'queued', 'canceled'])
    assert.deepEqual(await findBrokenRules(sql), [])
  })

  it('stay when only something else changes, or when it may do more', async () => {
    const [space, more] = [await newSpace(), await newSpace()]
    const device = await claimed({ space_id: space })
    await approveFor(service, application, { permissions: commanding, within: [space] })
    const sent = await send(device)
    assert.equal((await patchApp({ policy: { kind: 'administrators' } })).status, 200)
    assert.equal((await patchApp({ within: [more, space] })).status, 200)
    assert.equal((await patchApp({ permissions: { ...commanding, spaces: 'none' } })).status, 200)
    assert.equal((await patchApp({ within: null })).status, 200)
    const key = await newKey()
    const byKey = await key.send(device)
    assert.equal((await key.change({ name: 'Other' })).status, 200)
    assert.deepEqual(await statesOf(sent, byKey), ['queued', 'queued'])
    assert.deepEqual([...(await sql`select from command_withdrawals`)], [])
  })

  it('are canceled when the key is given less', async () => {
    const device = await claimed()
    const key = await newKey()
    const sent = await key.send(device)
    assert.equal((await key.change({ permissions: managing })).status, 200)
    assert.equal(await stateOf(sent), 'canceled')
  })

  it('are canceled at every customer when the application is disabled', async () => {
    const devices = [await claimed(), await claimed({}, other)]
    const here = await send(devices[0]!)
    const there = await send(devices[1]!, 'bearer', other)
    const foreign = await send(devices[1]!, 'bearer', other)
    await sql`update device_commands set client_id = ${client_id} where id = ${there}`
    const disabled = await service.operator('PATCH', `/applications/${client_id}`, { enabled: false })
    assert.equal(disabled.status, 200)
    assert.deepEqual(await statesOf(here, there, foreign), ['canceled', 'canceled', 'queued'])
    await service.operator('PATCH', `/applications/${client_id}`, { enabled: true })
    await sql`update grants set revoked_at = null where client_id = ${client_id}`
    assert.deepEqual(await findBrokenRules(sql), [])
  })

  it('are not handed out from the commit on where a job cancels them: an administrator gave less at a consent', async () => {
    const [device, free] = [await claimed(), await claimed()]
    const [sent, waits] = [await send(device), await send(free)]
    const actor = { kind: 'user', id: organization.administrator.id } as const
    const before = { permissions: commanding, within: null }
    const after = { permissions: managing, within: null }
    const about = { client_id, customer_id, requested_permissions: null, actor, at: context.now() }
    await transaction(sql, (tx) => changeReach(tx, { ...about, before, after }))
    assert.equal(await stateOf(sent), 'queued')
    assert.equal(await poll(device), undefined)
    assert.deepEqual(await statesOf(sent, waits), ['canceled', 'queued'])
    await runJob()
    assert.equal(await stateOf(waits), 'canceled')
    assert.deepEqual([...(await sql`select from command_withdrawals`)], [])
    assert.deepEqual(await findBrokenRules(sql), [])
  })

  const meanwhile: [string, (tx: Sql) => Promise<unknown>, (tx: Sql) => Promise<unknown>][] = [
    [
      'the approval is narrowed',
      (tx) => tx`update approvals set within = ${[newId()]} where client_id = ${client_id}`,
      (tx) => tx`update approvals set within = null where client_id = ${client_id}`,
    ],
    [
      'the application is disabled',
      (tx) => tx`update grants set revoked_at = now() where client_id = ${client_id}`,
      (tx) => tx`update grants set revoked_at = null where client_id = ${client_id}`,
    ],
  ]
  for (const [what, change, undo] of meanwhile) {
    it(`are not created by a call during which ${what}`, async () => {
      const device = await claimed()
      const commit = await holdLocks(sql, change)
      const creating = organization.call('bearer', 'POST', `/devices/${device.id}/commands`, { name: 'reboot' })
      await untilWaiting(sql)
      await commit()
      assert.equal((await creating).status, 401)
      assert.deepEqual([...(await sql`select from device_commands where device_id = ${device.id}`)], [])
      await undo(sql)
    })
  }
})

describe('decision 7.92: very many commands are canceled batch by batch', () => {
  const many = 1_300
  const bulk = newId()

  /** Devices of which only the state and one command each exist. */
  async function fill(): Promise<{ id: string; device_id: string }[]> {
    await sql`
      with created as (
        select n, gen_random_uuid() as device_id, gen_random_uuid() as id from generate_series(1, ${many}::int) n
      ), states as (
        insert into device_states (bucket, device_id, number, customer_id, key_digest, has_command, command_number)
        select device_bucket(device_id), device_id, 1000000 + n, ${customer_id}, '', true, 1 from created
      )
      insert into device_commands (bucket, device_id, number, id, partner_id, customer_id, name, state, head, source,
        client_id, batch_id, created_at, expires_at, timeout_seconds, due_at)
      select device_bucket(device_id), device_id, 1, id, ${application.partner_id}, ${customer_id}, 'reboot', 'queued',
        true, 'application', ${client_id}, ${bulk}, now(), now() + interval '1 hour', 300, now() + interval '1 hour'
      from created`
    return await sql`select id, device_id from device_commands where batch_id = ${bulk} order by device_id`
  }
  const countQueued = async () =>
    (await sql`select count(*)::int as n from device_commands where batch_id = ${bulk} and state = 'queued'`)[0]!.n

  it('none is handed out meanwhile, a crash changes nothing, and what a new approval sends stays', async () => {
    await approveFor(service, application, { permissions: commanding })
    const commands = await fill()
    const last = commands.at(-1)!
    const { status } = await admin('DELETE', `/connected-apps/${client_id}`)
    assert.equal(status, 200)
    const left = await countQueued()
    assert.ok(left > 0 && left < many, `${left} left`)
    assert.equal((await handOut(context, [last.device_id], 'poll')).size, 0)
    assert.equal(await stateOf(last.id), 'canceled')

    await approveFor(service, application, { permissions: commanding })
    await sql`update grants set revoked_at = null where client_id = ${client_id}`
    const device = await claimed()
    const fresh = await send(device)
    // A process that ends in the middle of a batch leaves it to the next one.
    const cut = { ...context, now: () => assert.fail('ended') }
    await assert.rejects(async () => await withdrawnCommandsJob(cut as never).runShared())
    await Promise.all([runJob(), runJob()])
    await runJob()
    assert.deepEqual([await countQueued(), await stateOf(fresh)], [0, 'queued'])
    assert.deepEqual([...(await sql`select from command_withdrawals`)], [])
    const [events] = await sql`
      select count(*)::int as n from audit_events
      where type = 'command.canceled' and details ->> 'command_id' = any(${commands.map(({ id }) => id)})`
    assert.equal(events!.n, many)
    assert.equal(await poll(device), fresh)
  })
})
