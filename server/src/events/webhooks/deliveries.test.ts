import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startHarness } from '../../../../test/support/harness.ts'
import { rowsRead } from '../../../../test/support/rows-read.ts'
import { requireWithin, until } from '../../../../test/support/until.ts'
import { actor, device, startReceiver, webhookTests } from '../../../../test/support/webhooks.ts'
import { runJob } from '../../platform/jobs.ts'
import type { Context } from '../context.ts'
import { queueEvent } from '../outbox.ts'
import { deleteOldDeliveriesJob, deliverDue } from './deliveries.ts'
import * as webhooks from './endpoints.ts'
import { startDeliveries } from './webhook-loop.ts'

const service = await startHarness({ LANDBRIDGE_WEBHOOK_ALLOW: '127.0.0.1' })
const { sql, context, clock } = service
const { newWebhook, addWebhooks, claimed, deliveriesOf } = webhookTests(service)

describe('webhook deliveries', () => {
  it('a failed delivery is retried with growing delays, under the same webhook-id', async () => {
    const receiver = await startReceiver()
    const { partnerId, id } = await newWebhook(receiver.url)
    receiver.status = 500
    await queueEvent(sql, claimed(partnerId))
    await deliverDue(context)
    assert.equal(await deliverDue(context), 0, 'not before its time')
    clock.forward(6)
    await deliverDue(context)
    clock.forward(6)
    assert.equal(await deliverDue(context), 0, 'the second delay is longer')
    receiver.status = 200
    clock.forward(12)
    await deliverDue(context)
    assert.equal(receiver.got.length, 3)
    assert.equal(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size, 1)
    const [delivery] = await deliveriesOf(partnerId, id)
    assert.deepEqual([delivery?.state, delivery?.attempts], ['delivered', 3])
    assert.equal((await webhooks.getWebhook(context, partnerId, id)).failing_since, null)
  })

  it('redirects are not followed', async () => {
    const elsewhere = await startReceiver()
    const receiver = await startReceiver()
    receiver.status = 307
    receiver.headers = { location: elsewhere.url }
    const { partnerId, id } = await newWebhook(receiver.url)
    await queueEvent(sql, claimed(partnerId))
    await deliverDue(context)
    assert.equal(elsewhere.got.length, 0)
    const [delivery] = await deliveriesOf(partnerId, id)
    assert.match(delivery!.failure!, /307: redirects are not followed/)
    await webhooks.deleteWebhook(context, actor, partnerId, id)
  })

  it('the address is checked at every attempt: one that is no longer allowed is not called', async () => {
    const receiver = await startReceiver()
    const { partnerId, id } = await newWebhook(receiver.url)
    await queueEvent(sql, claimed(partnerId))
    const closed = await startHarness()
    await deliverDue({ ...context, outgoing: closed.context.outgoing })
    assert.equal(receiver.got.length, 0)
    const [delivery] = await deliveriesOf(partnerId, id)
    assert.match(delivery!.failure!, /must not lead to a loopback, private or reserved address/)
    await webhooks.deleteWebhook(context, actor, partnerId, id)
  })

  it('many processes at once: each event is delivered exactly once', async () => {
    const receiver = await startReceiver()
    receiver.ready = () => sleep(20)
    const { partnerId } = await newWebhook(receiver.url)
    await queueEvent(sql, ...Array.from({ length: 40 }, () => claimed(partnerId)))
    const processes = Array.from({ length: 4 }, () => startDeliveries(context))
    await until(() => receiver.got.length >= 40)
    await Promise.all(processes.map((process) => process.stop()))
    assert.equal(receiver.got.length, 40)
    assert.equal(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size, 40)
  })

  it('an endpoint’s next deliveries start when a slot is free, not at the next poll', async () => {
    const receiver = await startReceiver()
    const { partnerId } = await newWebhook(receiver.url)
    await requireWithin(2_000, async (n) => {
      await queueEvent(sql, ...Array.from({ length: 40 }, () => claimed(partnerId)))
      const startedAt = performance.now()
      const running = startDeliveries(context)
      await until(() => receiver.got.length === 40 * (n + 1), 'all of them')
      await running.stop()
      return performance.now() - startedAt
    })
  })

  it('a partner whose endpoints are all slow fills its own slots, and no other partner waits', async () => {
    const [slow, quick] = [await startReceiver(), await startReceiver()]
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    slow.ready = () => released
    const { partnerId } = await newWebhook(slow.url)
    await addWebhooks(partnerId, slow.url, 7)
    const { partnerId: neighbour } = await newWebhook(quick.url)
    await queueEvent(sql, ...Array.from({ length: 4 }, () => claimed(partnerId)))
    const running = startDeliveries(context)
    await until(() => slow.got.length >= 16)
    for (let rounds = 1; rounds <= 2; rounds += 1) {
      await queueEvent(sql, claimed(neighbour))
      await until(() => quick.got.length === rounds)
    }
    assert.equal(slow.got.length, 16)
    release()
    await until(() => slow.got.length === 32)
    await running.stop()
  })

  it('a partner’s slots go to what has been due longest, one per endpoint before a second', async () => {
    const [receiver, last] = [await startReceiver(), await startReceiver()]
    const { partnerId } = await newWebhook(receiver.url)
    await addWebhooks(partnerId, receiver.url, 15)
    await addWebhooks(partnerId, last.url, 1, ['device.claimed', 'device.removed'])
    await queueEvent(sql, { ...claimed(partnerId), type: 'device.removed', data: device })
    clock.forward(1)
    await queueEvent(sql, claimed(partnerId), claimed(partnerId))
    assert.equal(
      await deliverDue(context),
      18,
      'one of each endpoint and event type, though more than it may have under way',
    )
    assert.deepEqual([receiver.got.length, last.got.length], [16, 2])
    assert.ok(last.got.some(({ body }) => JSON.parse(body).type === 'device.removed'))
    assert.equal(await deliverDue(context), 17)
  })

  it('killed during an attempt: the lease expires and the event is delivered again', async () => {
    const receiver = await startReceiver()
    const { partnerId, id } = await newWebhook(receiver.url)
    await queueEvent(sql, claimed(partnerId))
    // The attempt that never came back: claimed, and nothing settled.
    const dead = {
      ...context,
      outgoing: { ...context.outgoing, resolve: () => new Promise<never>(() => {}) },
    } as Context
    void deliverDue(dead)
    await until(async () => (await deliveriesOf(partnerId, id))[0]?.attempts === 1)
    clock.forward(30)
    assert.equal(await deliverDue(context), 0)
    clock.forward(16)
    assert.equal(await deliverDue(context), 1)
    assert.equal(receiver.got.length, 1)
  })

  it('an endpoint that accepted nothing for a day is disabled, and its partner can see why', async () => {
    const { partnerId, id } = await newWebhook('http://127.0.0.1:9/')
    let hours = 0
    for (; hours < 48 && (await webhooks.getWebhook(context, partnerId, id)).enabled; hours += 1) {
      await queueEvent(sql, claimed(partnerId))
      await deliverDue(context)
      clock.forward(3600)
    }
    assert.ok(hours > 24, `${hours} h`)
    assert.equal((await webhooks.getWebhook(context, partnerId, id)).disabled_because, 'failing')
    const states = new Set((await deliveriesOf(partnerId, id)).map(({ state }) => state))
    assert.deepEqual([...states], ['failed'])
    const audited = await sql`select 1 from audit_events where type = 'webhook.disabled' and partner_id = ${partnerId}`
    assert.equal(audited.length, 1)
    await context.integrationLog.flush()
    const [entry] = await sql`select reason from integration_failures where partner_id = ${partnerId}`
    assert.equal(entry?.reason, 'webhook_disabled')
  })

  it('an event that fails weeks after another was given up is retried', async () => {
    const receiver = await startReceiver()
    receiver.status = 500
    const { partnerId, id } = await newWebhook(receiver.url)
    await queueEvent(sql, claimed(partnerId))
    for (let hour = 0; hour < 24; hour += 1) {
      await deliverDue(context)
      clock.forward(3600)
    }
    assert.equal((await deliveriesOf(partnerId, id))[0]?.state, 'failed')
    clock.forward(21 * 86_400)
    await queueEvent(sql, claimed(partnerId))
    await deliverDue(context)
    receiver.status = 200
    clock.forward(6)
    await deliverDue(context)
    const states = (await deliveriesOf(partnerId, id)).map(({ state }) => state)
    assert.deepEqual(states, ['delivered', 'failed'])
    assert.equal((await webhooks.getWebhook(context, partnerId, id)).enabled, true)
  })

  it('an event that waited a day for a process to deliver it is still retried for a full day', async () => {
    const receiver = await startReceiver()
    receiver.status = 500
    const { partnerId, id } = await newWebhook(receiver.url)
    await queueEvent(sql, claimed(partnerId))
    clock.forward(2 * 86_400)
    await deliverDue(context)
    receiver.status = 200
    clock.forward(6)
    await deliverDue(context)
    assert.equal((await deliveriesOf(partnerId, id))[0]?.state, 'delivered')
  })

  it('410 Gone disables at once; after enabling, missed events can be redelivered', async () => {
    const receiver = await startReceiver()
    receiver.status = 410
    const { partnerId, id } = await newWebhook(receiver.url)
    await queueEvent(sql, claimed(partnerId))
    await deliverDue(context)
    assert.equal((await webhooks.getWebhook(context, partnerId, id)).disabled_because, 'gone')
    const [missed] = await deliveriesOf(partnerId, id)
    await assert.rejects(webhooks.redeliver(context, partnerId, id, missed!.event_id), { code: 'webhook_disabled' })
    await webhooks.changeWebhook(context, actor, { partnerId, id }, { enabled: true })
    receiver.status = 200
    await webhooks.redeliver(context, partnerId, id, missed!.event_id)
    await deliverDue(context)
    assert.equal((await deliveriesOf(partnerId, id))[0]?.state, 'delivered')
  })

  it('an endless response is cut off and its status still counts', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200)
      const more = () => {
        if (!response.destroyed) response.write('x'.repeat(65_536), more)
      }
      more()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    after(() => server.close())
    const { partnerId, id } = await newWebhook(`http://127.0.0.1:${(server.address() as { port: number }).port}/`)
    await queueEvent(sql, claimed(partnerId))
    await deliverDue(context)
    assert.equal((await deliveriesOf(partnerId, id))[0]?.state, 'delivered')
  })

  it('the few deliveries of a state are listed without reading the others', async () => {
    const { partnerId, id } = await newWebhook('http://127.0.0.1:9/')
    await sql`
      insert into webhook_deliveries (endpoint_id, event_id, type, payload, state, queued_at)
      select ${id}, gen_random_uuid(), 'device.claimed', '{}', case when n % 1000 = 0 then 'failed' else 'delivered' end,
        ${context.now()}
      from generate_series(1, 10000) n`
    const read = await rowsRead(context, 'webhook_deliveries', async (context) => {
      const { items } = await webhooks.listWebhookDeliveries(context, partnerId, id, { state: 'failed' })
      assert.equal(items.length, 10)
    })
    assert.ok(read < 50, `${read} rows`)
  })

  it('old deliveries are deleted, pending ones never', async () => {
    const { partnerId, id } = await newWebhook('http://127.0.0.1:9/')
    await queueEvent(sql, claimed(partnerId))
    clock.forward(15 * 86_400)
    await runJob(sql, deleteOldDeliveriesJob(context))
    assert.equal((await deliveriesOf(partnerId, id)).length, 1)
    await webhooks.changeWebhook(context, actor, { partnerId, id }, { enabled: false })
    assert.equal((await deliveriesOf(partnerId, id))[0]?.state, 'failed')
    await runJob(sql, deleteOldDeliveriesJob(context))
    assert.equal((await deliveriesOf(partnerId, id)).length, 0)
  })

  it('one run of the job deletes all old deliveries', async () => {
    const { partnerId, id } = await newWebhook('http://127.0.0.1:9/')
    await sql`
      insert into webhook_deliveries (endpoint_id, event_id, type, payload, state, queued_at)
      select ${id}, gen_random_uuid(), 'device.claimed', '{}', 'delivered', ${context.now()}
      from generate_series(1, 10001)`
    clock.forward(15 * 86_400)
    await runJob(sql, deleteOldDeliveriesJob(context))
    assert.equal((await deliveriesOf(partnerId, id)).length, 0)
  })
})
