import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type ClaimedDevice, startCommandScene } from '../../../../test/support/command-scene.ts'
import { ageCommand } from '../../../../test/support/commands.ts'
import { startReceiver, webhookTests } from '../../../../test/support/webhooks.ts'
import { deliverDue } from '../../events/webhooks/deliveries.ts'
import { settleDueCommands } from './command-deadlines.ts'
import { handOut } from './hand-out.ts'

const { claimed, context, model, organization, service, sql } = await startCommandScene({
  LANDBRIDGE_WEBHOOK_ALLOW: '127.0.0.1',
})
const receiver = await startReceiver()
await webhookTests(service).addWebhooks(model.partner_id, receiver.url, 1, ['device.command'])
const call = organization.call.bind(organization, 'session')

type Created = { id: string; expires_at: string }
const create = async (device: ClaimedDevice, more: object = {}): Promise<Created> => {
  const { status, body } = await call('POST', `/devices/${device.id}/commands`, { name: 'reboot', ...more })
  assert.equal(status, 202, JSON.stringify(body))
  return body
}
const report = (device: ClaimedDevice, { id }: Created) =>
  context.reportCommand({ device_id: device.id }, { id, status: 'done' })

/** What the partner's cloud has been sent since it was last asked. */
async function sent() {
  await deliverDue(context)
  return receiver.got.splice(0).map(({ body }) => JSON.parse(body))
}
const dataOf = (device: ClaimedDevice, { id, expires_at }: Created) => ({
  device_id: device.id,
  command_id: id,
  expires_at,
})
const told = async () => (await sent()).map(({ data }) => data)

describe('the webhook event device.command', () => {
  let device: ClaimedDevice
  beforeEach(async () => {
    device = await claimed()
  })
  afterEach(async () => assert.deepEqual(await sent(), [], 'an event too many'))

  it('of the first command: its ids and when it expires, nothing of its content; of those behind it none', async () => {
    const first = await create(device, { name: 'unlock', parameters: { pin: '47110815' } })
    for (let behind = 0; behind < 2; behind += 1) await create(device)
    const events = await sent()
    assert.equal(events.length, 1)
    const { type, timestamp, data, ...rest } = events[0]
    assert.deepEqual([type, data, rest], ['device.command', dataOf(device, first), {}])
    assert.ok(Math.abs(Date.parse(timestamp) - context.now().getTime()) < 60_000, timestamp)
  })

  it('of the next one, when the one before is reported, is canceled, or expires', async () => {
    const [one, two, three, four] = [
      await create(device),
      await create(device),
      await create(device),
      await create(device),
    ]
    assert.deepEqual(await told(), [dataOf(device, one)])
    await report(device, one)
    assert.deepEqual(await told(), [dataOf(device, two)])
    await call('DELETE', `/devices/${device.id}/commands/${two.id}`)
    assert.deepEqual(await told(), [dataOf(device, three)])
    await ageCommand(sql, three.id, 3_601)
    await settleDueCommands(context)
    assert.deepEqual(await told(), [dataOf(device, four)])
  })

  it('not again when it is handed out, nor when one behind the first is canceled', async () => {
    const [first, behind] = [await create(device), await create(device)]
    assert.deepEqual(await told(), [dataOf(device, first)])
    for (const way of ['poll', 'subscribe'] as const) await handOut(context, [device.id], way)
    await call('DELETE', `/devices/${device.id}/commands/${behind.id}`)
  })

  it('one for each device of a call for many, but none for a device where another waits', async () => {
    const other = await claimed()
    await create(device)
    await sent()
    const json = { name: 'reboot', device_ids: [device.id, other.id] }
    const { body } = await call('POST', '/devices/commands', json)
    const { id } = body.results[1]
    const { expires_at } = (await call('GET', `/devices/${other.id}/commands/${id}`)).body
    assert.deepEqual(await told(), [dataOf(other, { id, expires_at })])
  })
})
