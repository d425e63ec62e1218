import assert from 'node:assert/strict'
import { after, afterEach, describe, it } from 'node:test'
import { startCommandScene } from '../../../../test/support/command-scene.ts'
import { ageCommand, findBrokenRules } from '../../../../test/support/commands.ts'
import { refused, send } from '../../../../test/support/devices.ts'
import { testMasterKey } from '../../../../test/support/keys.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { createContext } from '../../context.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { removeDevice } from '../registry/devices.ts'
import { cancelCommand } from './cancel-commands.ts'
import { settleDueCommands } from './command-deadlines.ts'
import { type Commander, createCommands } from './create-commands.ts'
import { confirmDelivery, handOut, handOutToFleet } from './hand-out.ts'

const { claimed, context: one, clock, model, organization, service, sql } = await startCommandScene()
const two = createContext({ ...one, keys: { master: testMasterKey, operator: 'x'.repeat(32) } })
const { customer_id } = organization
const owner = { customer_id }
const actor = { kind: 'user', id: organization.administrator.id } as const
const commander: Commander = {
  ...{ owner, actor, source: 'portal', created_by: null, client_id: null },
  hold: async () => {},
}
type Device = { id: string }
const create = async (device: Device, context = one) =>
  (await context.createCommand(commander, device.id, { name: 'reboot' })).id
const report = (
  context: typeof one,
  { id: device_id }: Device,
  id: string,
  status: 'in_progress' | 'done' | 'failed',
) => context.reportCommand({ device_id }, { id, status })
const stateOf = async (id: string) => (await sql`select state from device_commands where id = ${id}`)[0]!.state

/** Runs all of them at once: they queue for the device, which somebody else has. */
async function atOnce<Results extends unknown[]>(
  device: Device,
  ...work: { [Index in keyof Results]: () => Promise<Results[Index]> }
) {
  const release = await holdLocks(
    sql,
    (hold) => hold`select from device_states where device_id = ${device.id} for update`,
  )
  const settled = Promise.allSettled(work.map((run) => run()))
  await untilWaiting(sql, work.length)
  await release()
  return (await settled) as { [Index in keyof Results]: PromiseSettledResult<Results[Index]> }
}

describe('commands of one device on two processes', () => {
  afterEach(async () => assert.deepEqual(await findBrokenRules(sql), []))
  after(() => two.notifications.close())

  it('two polls at once get the same command, each as an attempt', async () => {
    const device = await claimed()
    const [first] = [await create(device), await create(device)]
    const results = await atOnce(
      device,
      () => handOut(one, [device.id], 'poll'),
      () => handOut(two, [device.id], 'poll'),
    )
    const taken = results.map((result) => (result.status === 'fulfilled' ? result.value.get(device.id) : undefined))
    assert.deepEqual(
      taken.map((command) => command?.id),
      [first, first],
    )
    assert.deepEqual(taken.map((command) => command?.attempt).toSorted(), [1, 2])
  })

  it('two notices at once: one of them gets it', async () => {
    const device = await claimed()
    await create(device)
    const results = await atOnce(
      device,
      () => handOut(one, [device.id], 'notice'),
      () => handOut(two, [device.id], 'notice'),
    )
    const sizes = results.map((result) => (result.status === 'fulfilled' ? result.value.size : -1))
    assert.deepEqual(sizes.toSorted(), [0, 1])
  })

  it('of two different final reports one counts, and the other is refused', async () => {
    const device = await claimed()
    const id = await create(device)
    await handOut(one, [device.id], 'poll')
    const results = await atOnce(
      device,
      () => report(one, device, id, 'done'),
      () => report(two, device, id, 'failed'),
    )
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    assert.equal(await stateOf(id), results[0].status === 'fulfilled' ? 'done' : 'failed')
    const [count] = await sql`
      select count(*)::int as n from audit_events where type = 'command.finished' and device_id = ${device.id}`
    assert.equal(count!.n, 1)
  })

  it('cancel against hand-out: canceled and nobody has it, or under way and the device has it', async () => {
    const device = await claimed()
    const id = await create(device)
    const [canceled, taken] = await atOnce(
      device,
      () => cancelCommand(one, actor, owner, device.id, id),
      () => handOut(two, [device.id], 'poll'),
    )
    assert.equal(taken.status, 'fulfilled')
    const given = taken.status === 'fulfilled' && taken.value.size === 1
    assert.equal(canceled.status, given ? 'rejected' : 'fulfilled')
    assert.equal(await stateOf(id), given ? 'sent' : 'canceled')
  })

  it('create against finish: what waits is said exactly', async () => {
    const device = await claimed()
    const id = await create(device)
    await handOut(one, [device.id], 'poll')
    const [created] = await atOnce(
      device,
      () => create(device, two),
      () => report(one, device, id, 'done'),
    )
    const [state] = await sql`select has_command from device_states where device_id = ${device.id}`
    assert.equal(state!.has_command, true)
    const next = (await handOut(two, [device.id], 'poll')).get(device.id)
    assert.equal(created.status === 'fulfilled' && created.value, next!.id)
  })

  it('report against expiry: the database’s clock decides, whoever comes first', async () => {
    const device = await claimed()
    const id = await create(device)
    await handOut(one, [device.id], 'poll')
    await ageCommand(sql, id, 3_600)
    const [reported] = await atOnce(device, () => report(one, device, id, 'done'))
    await settleDueCommands(two)
    assert.equal(reported.status, 'rejected')
    assert.equal(await stateOf(id), 'expired')
  })

  it('removal against creation: nothing is left for a removed device', async () => {
    const device = await claimed()
    await create(device)
    const [, created] = await atOnce(
      device,
      () => removeDevice(one, actor, owner, device.id),
      () => create(device, two),
    )
    const waiting = await sql`
      select from device_commands where device_id = ${device.id} and state in ('queued', 'sent', 'in_progress')`
    assert.equal(waiting.length, 0)
    assert.equal((await handOut(one, [device.id], 'poll')).size, 0)
    if (created.status === 'rejected') assert.equal(created.reason.status, 404)
  })

  it('a credential that ends meanwhile leaves nothing behind', async () => {
    const device = await claimed()
    const made = await organization.call('session', 'POST', '/api-keys', {
      name: 'Robot',
      permissions: { devices: 'command', spaces: 'none', people: 'none', audit: 'none' },
      within: null,
    })
    const url = `/core/v1/organization/devices/${device.id}/commands`
    const headers = { authorization: made.body.key }
    const calls = Array.from({ length: 8 }, () =>
      service.app.inject({ method: 'POST', url, headers, payload: { name: 'reboot' } }),
    )
    const revoked = organization.call('session', 'DELETE', `/api-keys/${made.body.id}`)
    const statuses = (await Promise.all(calls)).map(({ statusCode }) => statusCode)
    assert.equal((await revoked).status, 204)
    assert.ok(
      statuses.every((status) => status === 202 || status === 401),
      statuses.join(),
    )
    const queued = await sql`select from device_commands where device_id = ${device.id} and state = 'queued'`
    assert.equal(queued.length, 0)
  })

  it('of forty at once to one device, twenty wait', async () => {
    const device = await claimed()
    const results = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => create(device, n % 2 ? one : two)))
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 20)
  })

  it('batches over the same devices in any order, with hand-outs, reports and deadlines, do not deadlock', async () => {
    const devices = await Promise.all(Array.from({ length: 12 }, () => claimed()))
    const ids = devices.map(({ id }) => id)
    const work = Array.from({ length: 12 }, async (_, n) => {
      const context = n % 2 ? one : two
      const order = n % 3 ? ids : ids.toReversed()
      await createCommands(context, commander, order, { name: 'reboot' })
      const taken = [...(await handOut(context, order, 'subscribe')).values()]
      await confirmDelivery(context, taken)
      for (const { id, device_id } of taken.slice(0, 4)) {
        await context.reportCommand({ device_id }, { id, status: 'done' }).catch(() => {})
      }
      await handOutToFleet(context, model.partner_id, 100)
      await settleDueCommands(context)
    })
    await Promise.all(work)
  })

  it('the clock of a process counts for nothing', async () => {
    const device = await claimed()
    await send(service, device, { status: 'online', telemetries: {} })
    const id = await create(device)
    clock.forward(86_400)
    assert.equal((await handOut(one, [device.id], 'poll')).get(device.id)?.id, id)
    await settleDueCommands(two)
    assert.equal(await stateOf(id), 'sent')
    await ageCommand(sql, id, 3_600)
    assert.equal((await handOut(one, [device.id], 'poll')).size, 0)
    assert.equal(await stateOf(id), 'expired')
    assert.equal((await refused(cancelCommand(two, actor, owner, device.id, newId()))).status, 404)
  })
})
