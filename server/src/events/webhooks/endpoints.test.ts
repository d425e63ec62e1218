import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Webhook as Receiver } from 'standardwebhooks'
import { startHarness } from '../../../../test/support/harness.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { actor, device, type Received, startReceiver, webhookTests } from '../../../../test/support/webhooks.ts'
import { transaction } from '../../platform/database/database.ts'
import { queueEvent } from '../outbox.ts'
import { deliverDue } from './deliveries.ts'
import * as webhooks from './endpoints.ts'

const service = await startHarness({ LANDBRIDGE_WEBHOOK_ALLOW: '127.0.0.1' })
const { sql, context, clock } = service
const { newPartner, newWebhook, addWebhooks, claimed, deliveriesOf } = webhookTests(service)

/** The library checks the timestamp against the machine's clock; ours does not move. */
function verify(secret: string, { body, headers }: Received) {
  const { 'webhook-timestamp': timestamp } = headers
  const skew = Date.now() / 1000 - Number(timestamp)
  const realNow = Date.now
  Date.now = () => realNow() - skew * 1000
  try {
    return new Receiver(secret).verify(body, headers as Record<string, string>)
  } finally {
    Date.now = realNow
  }
}

describe('webhooks', () => {
  it('a partner has at most twenty webhooks, also when many are added at once', async () => {
    const partnerId = await newPartner()
    const add = (count: number) => addWebhooks(partnerId, 'http://127.0.0.1/', count)
    await add(18)
    const added = await Promise.allSettled(Array.from({ length: 6 }, () => add(1)))
    assert.equal(added.filter(({ status }) => status === 'fulfilled').length, 2)
  })

  it('an event is delivered once, and a Standard Webhooks receiver accepts its signature', async () => {
    const receiver = await startReceiver()
    const { partnerId, webhook, id } = await newWebhook(receiver.url)
    await transaction(sql, (tx) => queueEvent(tx, claimed(partnerId)))
    assert.equal(await deliverDue(context), 1)
    assert.equal(await deliverDue(context), 0)
    assert.equal(receiver.got.length, 1)
    const timestamp = context.now().toISOString()
    assert.deepEqual(verify(webhook.secret, receiver.got[0]!), { type: 'device.claimed', timestamp, data: device })
    assert.throws(() => verify(webhook.secret, { ...receiver.got[0]!, body: `${receiver.got[0]!.body} ` }))
    const [delivery] = await deliveriesOf(partnerId, id)
    assert.equal(delivery?.state, 'delivered')
    assert.equal(delivery?.response_status, 200)
    assert.equal(receiver.got[0]!.headers['webhook-id'], delivery?.event_id)
  })

  it('a rolled back event is never sent; other types, partners and disabled endpoints get nothing', async () => {
    const receiver = await startReceiver()
    const { partnerId, id } = await newWebhook(receiver.url)
    await assert.rejects(
      transaction(sql, async (tx) => {
        await queueEvent(tx, claimed(partnerId))
        throw new Error('undone')
      }),
    )
    await queueEvent(sql, claimed(await newPartner()), { ...claimed(partnerId), type: 'device.removed', data: device })
    await webhooks.changeWebhook(context, actor, { partnerId, id }, { enabled: false })
    await queueEvent(sql, claimed(partnerId))
    assert.equal(await deliverDue(context), 0)
    assert.deepEqual(await deliveriesOf(partnerId, id), [])
  })

  it('an endpoint that is being deleted gets nothing, and the change itself goes on', async () => {
    const receiver = await startReceiver()
    const { partnerId, id } = await newWebhook(receiver.url)
    const release = await holdLocks(sql, (hold) => hold`delete from webhook_endpoints where id = ${id}`)
    const changing = transaction(sql, async (tx) => {
      await queueEvent(tx, claimed(partnerId))
      return 'committed'
    })
    await untilWaiting(sql)
    await release()
    assert.equal(await changing, 'committed')
    assert.equal(await deliverDue(context), 0)
    assert.deepEqual(receiver.got, [])
  })

  it('a rotated secret overlaps: both sign until the previous one expires, then only the new one', async () => {
    const receiver = await startReceiver()
    const { partnerId, webhook, id } = await newWebhook(receiver.url)
    const { secret } = await webhooks.rotateWebhookSecret(context, actor, partnerId, id, 3600)
    await queueEvent(sql, claimed(partnerId))
    await deliverDue(context)
    verify(webhook.secret, receiver.got[0]!)
    verify(secret, receiver.got[0]!)
    clock.forward(3601)
    await queueEvent(sql, claimed(partnerId))
    await deliverDue(context)
    verify(secret, receiver.got[1]!)
    assert.throws(() => verify(webhook.secret, receiver.got[1]!))
  })

  it('a test event is delivered like every other event', async () => {
    const receiver = await startReceiver()
    const { partnerId, webhook, id } = await newWebhook(receiver.url)
    await webhooks.sendTestEvent(context, partnerId, id)
    await deliverDue(context)
    assert.equal((verify(webhook.secret, receiver.got[0]!) as { type: string }).type, 'webhook.test')
  })
})
