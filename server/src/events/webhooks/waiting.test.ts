import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startHarness } from '../../../../test/support/harness.ts'
import { until } from '../../../../test/support/until.ts'
import { actor, device, type Received, startReceiver, webhookTests } from '../../../../test/support/webhooks.ts'
import { queueEvent } from '../outbox.ts'
import { deliverDue } from './deliveries.ts'
import * as webhooks from './endpoints.ts'
import { startDeliveries } from './webhook-loop.ts'

const service = await startHarness({ LANDBRIDGE_WEBHOOK_ALLOW: '127.0.0.1' })
const { sql, context, clock } = service
const { newWebhook, addWebhooks, claimed, deliveriesOf } = webhookTests(service)

const both = { events: ['device.claimed', 'device.removed'] }
const removed = (partnerId: string) => ({ ...claimed(partnerId), type: 'device.removed' as const, data: device })
const typesOf = (got: Received[]) => got.map(({ body }) => JSON.parse(body).type as string)

/** Refuses events of this type, or never responds to them. */
async function receiverThatFails(type: string, hang = false) {
  const receiver = await startReceiver()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  receiver.ready = async () => {
    const failing = typesOf(receiver.got).at(-1) === type
    receiver.status = failing ? 500 : 200
    if (failing && hang) await released
  }
  return { receiver, release }
}

async function failOften(partnerId: string, times = 6): Promise<void> {
  await queueEvent(sql, claimed(partnerId))
  for (let n = 0; n < times; n += 1) {
    await deliverDue(context)
    clock.forward(60)
  }
  await deliverDue(context)
}

describe('decision 8.6: a failing webhook delays no other', () => {
  it('after failures, a test event and a redelivery are sent at once', async () => {
    const { receiver } = await receiverThatFails('device.claimed')
    const { partnerId, id } = await newWebhook(receiver.url, both)
    await failOften(partnerId)
    const before = receiver.got.length
    const test = await webhooks.sendTestEvent(context, partnerId, id)
    assert.deepEqual([test.next_attempt_at, test.next_attempt_reason], [context.now(), 'queued'])
    await deliverDue(context)
    assert.equal(typesOf(receiver.got).at(-1), 'webhook.test')
    const failing = (await deliveriesOf(partnerId, id)).find(({ type }) => type === 'device.claimed')!
    await webhooks.redeliver(context, partnerId, id, failing.event_id)
    await deliverDue(context)
    assert.equal(receiver.got.length, before + 2)
    assert.equal(receiver.got.at(-1)!.headers['webhook-id'], failing.event_id)
    await webhooks.deleteWebhook(context, actor, partnerId, id)
  })

  it('one failing event type does not delay the others of its endpoint', async () => {
    const { receiver } = await receiverThatFails('device.claimed')
    const { partnerId, id } = await newWebhook(receiver.url, both)
    await failOften(partnerId)
    await queueEvent(sql, ...Array.from({ length: 20 }, () => claimed(partnerId)), removed(partnerId))
    await deliverDue(context)
    assert.equal(typesOf(receiver.got).filter((type) => type === 'device.removed').length, 1)
    await webhooks.deleteWebhook(context, actor, partnerId, id)
  })

  it('the delivery log says when the next attempt is, and why not earlier', async () => {
    const { receiver } = await receiverThatFails('device.claimed')
    const { partnerId, id } = await newWebhook(receiver.url, both)
    await failOften(partnerId)
    await queueEvent(sql, claimed(partnerId))
    const [fresh, failing] = await deliveriesOf(partnerId, id)
    assert.equal(fresh!.next_attempt_reason, 'event_type_failing')
    const waits = fresh!.next_attempt_at!.getTime() - context.now().getTime()
    assert.ok(waits > 0 && waits <= 30_000, `${waits} ms`)
    assert.equal(failing!.next_attempt_reason, 'retry_delay')
    assert.equal(await deliverDue(context), 0)
    clock.forward(waits / 1000)
    assert.equal(await deliverDue(context), 1, 'at the announced instant')
    await webhooks.deleteWebhook(context, actor, partnerId, id)
  })

  it('a dead address is not called once for each of its deliveries', async () => {
    const receiver = await startReceiver()
    receiver.status = 500
    const { partnerId, id } = await newWebhook(receiver.url)
    await queueEvent(sql, ...Array.from({ length: 200 }, () => claimed(partnerId)))
    for (let second = 0; second < 60; second += 1) {
      await deliverDue(context)
      await deliverDue(context)
      clock.forward(1)
    }
    assert.ok(receiver.got.length < 20, `${receiver.got.length} calls within a minute`)
    receiver.status = 200
    clock.forward(60)
    for (let round = 0; round < 60; round += 1) await deliverDue(context)
    const pending =
      await sql`select from webhook_deliveries where endpoint_id = ${id} and state = 'pending' and attempts = 0`
    assert.equal(pending.length, 0, 'all at full speed after the first success')
    await webhooks.deleteWebhook(context, actor, partnerId, id)
  })

  it('a new address, like enabling again, ends the wait', async () => {
    const { receiver } = await receiverThatFails('device.claimed')
    const { partnerId, id } = await newWebhook(receiver.url, both)
    await failOften(partnerId)
    await queueEvent(sql, claimed(partnerId))
    assert.equal(await deliverDue(context), 0)
    const better = await startReceiver()
    await webhooks.changeWebhook(context, actor, { partnerId, id }, { url: better.url })
    assert.equal(await deliverDue(context), 1)
    assert.equal(better.got.length, 1)
    await webhooks.deleteWebhook(context, actor, partnerId, id)
  })

  it('a receiver that hangs takes no slot from a test event, another event type, endpoint or partner', async () => {
    const { receiver, release } = await receiverThatFails('device.claimed', true)
    const quick = await startReceiver()
    const { partnerId, id } = await newWebhook(receiver.url, both)
    await addWebhooks(partnerId, receiver.url, 10)
    const { partnerId: neighbour } = await newWebhook(quick.url)
    await queueEvent(sql, ...Array.from({ length: 20 }, () => claimed(partnerId)))
    const running = startDeliveries(context)
    after(() => running.stop())
    await until(() => receiver.got.length >= 16)
    await addWebhooks(partnerId, quick.url, 1)
    await queueEvent(sql, removed(partnerId), claimed(partnerId), claimed(neighbour))
    await webhooks.sendTestEvent(context, partnerId, id)
    await until(() => {
      const types = typesOf(receiver.got)
      return types.includes('device.removed') && types.includes('webhook.test') && quick.got.length === 2
    })
    const underWay = (await deliveriesOf(partnerId, id)).filter(
      ({ next_attempt_reason }) => next_attempt_reason === 'under_way',
    )
    assert.ok(underWay.length > 0)
    assert.ok(underWay.every(({ next_attempt_at }) => next_attempt_at === null))
    release()
    await running.stop()
  })

  it('many partners that hang do not lock a quiet one out', async () => {
    const { receiver, release } = await receiverThatFails('device.claimed', true)
    const quick = await startReceiver()
    for (let n = 0; n < 9; n += 1) {
      const { partnerId } = await newWebhook(receiver.url)
      await addWebhooks(partnerId, receiver.url, 4)
      await queueEvent(sql, ...Array.from({ length: 6 }, () => claimed(partnerId)))
    }
    const running = startDeliveries(context)
    after(() => running.stop())
    await until(() => receiver.got.length >= 128)
    const { partnerId } = await newWebhook(quick.url)
    await queueEvent(sql, claimed(partnerId))
    await until(() => quick.got.length === 1)
    release()
    await running.stop()
  })

  it('of many redeliveries at once, ten go first and the others queue', async () => {
    const receiver = await startReceiver()
    const { partnerId, id } = await newWebhook(receiver.url)
    await queueEvent(sql, ...Array.from({ length: 30 }, () => claimed(partnerId)))
    for (let round = 0; round < 10; round += 1) await deliverDue(context)
    for (const { event_id } of await deliveriesOf(partnerId, id))
      await webhooks.redeliver(context, partnerId, id, event_id)
    const [first] = await sql`select count(*)::int from webhook_deliveries where endpoint_id = ${id} and by_person`
    assert.equal(first!.count, 10)
    for (let round = 0; round < 10; round += 1) await deliverDue(context)
    assert.equal(receiver.got.length, 60)
  })
})
