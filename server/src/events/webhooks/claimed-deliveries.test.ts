import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startHarness } from '../../../../test/support/harness.ts'
import { holdLocks } from '../../../../test/support/locks.ts'
import { rowsRead } from '../../../../test/support/rows-read.ts'
import { until } from '../../../../test/support/until.ts'
import { actor, startReceiver, webhookTests } from '../../../../test/support/webhooks.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { deliverySlots } from '../../platform/own-limits.ts'
import { queueEvent } from '../outbox.ts'
import { claimDueDeliveries, claimLockClass, findNextAttempts } from '../store/webhook-claims.ts'
import { allPartitions, deliveriesQueuedTopic, partitionCount, partitionOf } from '../webhook-partition.ts'
import { deliverDue } from './deliveries.ts'
import * as webhooks from './endpoints.ts'
import { startDeliveries } from './webhook-loop.ts'

const service = await startHarness({ LANDBRIDGE_WEBHOOK_ALLOW: '127.0.0.1' })
const { sql, context, clock } = service
const { newWebhook, claimed } = webhookTests(service)

const both = { events: ['device.claimed', 'device.removed'] }

function claimFrom(partitions: readonly number[], on: Sql = sql) {
  const now = context.now()
  const claim = { now, leaseUntil: new Date(now.getTime() + 120_000), slots: deliverySlots, failingFrom: 3 }
  return claimDueDeliveries(on, partitions, { ...claim, failuresSince: now, inProgress: [] })
}

/** Two webhooks in different partitions. */
async function twoPartitions(url: string) {
  const one = await newWebhook(url, both)
  for (;;) {
    const other = await newWebhook(url, both)
    if (partitionOf(other.id) !== partitionOf(one.id)) return [one, other] as const
  }
}

/** As a process that is claiming this partition. */
const holdPartition = (id: string) =>
  holdLocks(sql, (hold) => hold`select pg_advisory_xact_lock(${claimLockClass}::int, ${partitionOf(id)}::int)`)

async function queueMany(id: string, count: number): Promise<void> {
  await sql`
    insert into webhook_deliveries (endpoint_id, event_id, type, payload, queued_at, next_attempt_at)
    select ${id}, gen_random_uuid(), case when n % 2 = 0 then 'device.claimed' else 'device.removed' end, '{}',
      ${context.now()}, ${context.now()}
    from generate_series(1, ${count}::int) n`
}

describe('decision 3.24: deliveries are claimed by one process at a time per partition', () => {
  it('the partition of a row is the one of its endpoint', async () => {
    const { partnerId, id } = await newWebhook('http://127.0.0.1:9/')
    await queueEvent(sql, claimed(partnerId))
    const [row] = await sql`select partition from webhook_deliveries where endpoint_id = ${id}`
    assert.equal(row!.partition, partitionOf(id))
    const [least, most] = ['0', 'f'].map((last) => partitionOf(id.slice(0, -1) + last))
    assert.deepEqual([least, most], [0, partitionCount - 1])
    await webhooks.deleteWebhook(context, actor, partnerId, id)
  })

  it('a process is woken for the partitions that it queued into, and no others', async () => {
    const [one, other] = await twoPartitions('http://127.0.0.1:9/')
    const woken: number[] = []
    const subscriptions = allPartitions.map((partition) =>
      context.notifications.subscribeHere(deliveriesQueuedTopic(partition), () => woken.push(partition)),
    )
    await queueEvent(sql, claimed(one.partnerId), claimed(one.partnerId))
    assert.deepEqual(woken, [partitionOf(one.id)])
    await webhooks.sendTestEvent(context, other.partnerId, other.id)
    assert.deepEqual(woken, [partitionOf(one.id), partitionOf(other.id)])
    for (const unsubscribe of subscriptions) unsubscribe()
    for (const { partnerId, id } of [one, other]) await webhooks.deleteWebhook(context, actor, partnerId, id)
  })

  it('while one is being claimed, another is claimed too, and the first is not lost', async () => {
    const receiver = await startReceiver()
    const [one, other] = await twoPartitions(receiver.url)
    await queueEvent(sql, claimed(one.partnerId), claimed(other.partnerId))
    const release = await holdPartition(one.id)
    const { claimed: got, others } = await claimFrom(allPartitions)
    assert.deepEqual(
      got.map(({ endpoint_id }) => endpoint_id),
      [other.id],
    )
    assert.deepEqual(others, [partitionOf(one.id)])
    const delivered = deliverDue(context)
    await release()
    assert.equal(await delivered, 1)
    assert.equal(receiver.got.length, 1)
    for (const { partnerId, id } of [one, other]) await webhooks.deleteWebhook(context, actor, partnerId, id)
  })

  it('the loop delivers one partition while another is held, and that one as soon as it is free', async () => {
    const receivers = [await startReceiver(), await startReceiver()]
    const [one, other] = await twoPartitions(receivers[0]!.url)
    await webhooks.changeWebhook(
      context,
      actor,
      { partnerId: other.partnerId, id: other.id },
      { url: receivers[1]!.url },
    )
    const release = await holdPartition(one.id)
    const running = startDeliveries(context, { everyMs: 3_600_000 })
    after(() => running.stop())
    await queueEvent(sql, claimed(one.partnerId), claimed(other.partnerId))
    await until(() => receivers[1]!.got.length === 1, 'the other partition')
    assert.equal(receivers[0]!.got.length, 0)
    await release()
    await until(() => receivers[0]!.got.length === 1, 'the partition that was held')
    await running.stop()
    for (const { partnerId, id } of [one, other]) await webhooks.deleteWebhook(context, actor, partnerId, id)
  })

  it('many that claim at once never claim a delivery twice, and leave none behind', async () => {
    const [one, other] = await twoPartitions('http://127.0.0.1:9/')
    await queueMany(one.id, 40)
    await queueMany(other.id, 40)
    const got: string[] = []
    await until(async () => {
      const rounds = await Promise.all(Array.from({ length: 8 }, () => claimFrom(allPartitions)))
      got.push(...rounds.flatMap((round) => round.claimed.map(({ event_id }) => event_id)))
      return got.length >= 80
    }, 'all are claimed')
    assert.deepEqual([got.length, new Set(got).size], [80, 80])
    assert.equal((await sql`select from webhook_deliveries where attempts <> 1`).length, 0)
    for (const { partnerId, id } of [one, other]) await webhooks.deleteWebhook(context, actor, partnerId, id)
  })

  it('a long queue is delivered as fast as its slots become free, without waiting for the next look', async () => {
    const receiver = await startReceiver()
    const { partnerId, id } = await newWebhook(receiver.url)
    const running = startDeliveries(context, { everyMs: 3_600_000 })
    after(() => running.stop())
    await queueEvent(sql, ...Array.from({ length: 120 }, () => claimed(partnerId)))
    // With a look every half second it would be 15.
    await until(() => receiver.got.length === 120, 'all deliveries', 13)
    await running.stop()
    await webhooks.deleteWebhook(context, actor, partnerId, id)
  })

  it('an endpoint with a long queue keeps no other partition waiting, and a claim reads few of its rows', async () => {
    const [long, other] = await twoPartitions('http://127.0.0.1:9/')
    await queueMany(long.id, 5_000)
    await queueEvent(sql, claimed(other.partnerId))
    const release = await holdPartition(long.id)
    const read = await rowsRead(context, 'webhook_deliveries', async (counted) => {
      const { claimed: got } = await claimFrom([partitionOf(other.id)], counted.sql)
      assert.deepEqual(
        got.map(({ endpoint_id }) => endpoint_id),
        [other.id],
      )
    })
    await release()
    assert.ok(read < 10, `${read} rows of the other partition`)
    const readOfLong = await rowsRead(context, 'webhook_deliveries', async (counted) => {
      assert.equal((await claimFrom(allPartitions, counted.sql)).claimed.length, deliverySlots.perEndpoint)
      await findNextAttempts(counted.sql)
    })
    assert.ok(readOfLong < 100, `${readOfLong} rows`)
    for (const { partnerId, id } of [long, other]) await webhooks.deleteWebhook(context, actor, partnerId, id)
  })

  it('the time of the next attempt is known: a retry, the end of a pause, and what a person asked for', async () => {
    const { partnerId, id } = await newWebhook('http://127.0.0.1:9/', both)
    const seconds = async () => {
      const at = (await findNextAttempts(sql)).get(partitionOf(id))
      return at && Math.round((at.getTime() - clock.now().getTime()) / 1000)
    }
    await sql`delete from webhook_deliveries`
    assert.equal(await seconds(), undefined)
    await queueEvent(sql, claimed(partnerId))
    assert.equal(await seconds(), 0)
    await deliverDue(context)
    const [retry] = await sql`select next_attempt_at from webhook_deliveries where endpoint_id = ${id}`
    assert.equal(await seconds(), Math.round((retry!.next_attempt_at - clock.now().getTime()) / 1000))
    await sql`update webhook_failing_types set paused_until = ${new Date(clock.now().getTime() + 900_000)}`
    assert.equal(await seconds(), 900)
    await webhooks.sendTestEvent(context, partnerId, id)
    assert.equal(await seconds(), 0)
    await webhooks.deleteWebhook(context, actor, partnerId, id)
  })
})
