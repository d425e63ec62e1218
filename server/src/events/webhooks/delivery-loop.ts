import { createSleepers } from '../../platform/sleepers.ts'
import type { Context } from '../context.ts'
import { type ClaimedDelivery, findNextAttempts } from '../store/webhook-claims.ts'
import { allPartitions, deliveriesQueuedTopic, partitionOf } from '../webhook-partition.ts'
import { claim, claimAgainMs, deliver } from './deliveries.ts'
import { isLimited } from './slots.ts'

export interface RunningDeliveries {
  /** Resolves once the attempts in progress have finished. */
  stop(): Promise<void>
}

/** The longest pause between two looks at the queue, for deliveries of a process that has stopped. */
const lookMs = 10_000
/** A retry is found late by this much at most. */
const pauseMs = 500
/** Deliveries that are overdue by this much are left behind by the process that knows of them, so others help. */
const overdueMs = 5_000

/**
 * Delivers until stopped. The process that queued a delivery is woken by its own commit, for the partition it queued into,
 * makes the attempts and knows the time of the next one; others look now and then. A slow receiver holds up its own few
 * slots and no others.
 */
export function startDeliveries(context: Context, { everyMs = lookMs } = {}): RunningDeliveries {
  const inProgress = new Map<ClaimedDelivery, Promise<void>>()
  const sleepers = createSleepers()
  /** Partitions to claim now. */
  const wanted = new Set(allPartitions)
  /** Those that another process was claiming, and those whose claim failed: tried again after a pause. */
  const again = new Set<number>()
  /** Those whose next attempt is this process's: it claimed there last. */
  const mine = new Set<number>()
  /** Those that may have more due, but no free slot for it. */
  const limited = new Set<number>()
  let endPause = () => {}
  const wake = (partitions: Iterable<number>) => {
    for (const partition of partitions) wanted.add(partition)
    if (wanted.size > 0) endPause()
  }

  async function deliverAndWake(delivery: ClaimedDelivery): Promise<void> {
    const partition = partitionOf(delivery.endpoint_id)
    let simple = false
    try {
      simple = (await deliver(context, delivery)) === 'delivered' && delivery.type_failures === 0
    } catch (error) {
      context.log.error({ err: error }, 'webhook delivery not settled')
    }
    inProgress.delete(delivery)
    // After a failure, its retry and the others of its type have other times; and there is a free slot now.
    if (!simple) mine.add(partition)
    wake(simple ? limited : [partition, ...limited])
  }

  /** Returns the partitions of which something was claimed. */
  async function claimWanted(): Promise<Set<number>> {
    const partitions = [...wanted]
    wanted.clear()
    for (const partition of partitions) again.add(partition)
    const before = [...inProgress.keys()]
    const { claimed, others } = await claim(context, before, partitions)
    for (const partition of partitions) if (!others.includes(partition)) again.delete(partition)
    for (const delivery of claimed) inProgress.set(delivery, deliverAndWake(delivery))
    const finished = before.some((delivery) => !inProgress.has(delivery))
    for (const partition of partitions) {
      const isFull = isLimited([...before, ...claimed], partition)
      if (isFull) limited.add(partition)
      else limited.delete(partition)
      // The slot was not free yet when the claim began.
      if (isFull && finished) wanted.add(partition)
    }
    return new Set(claimed.map(({ endpoint_id }) => partitionOf(endpoint_id)))
  }

  /** Returns the pause until the next one. */
  async function round(): Promise<number> {
    for (const partition of again) wanted.add(partition)
    again.clear()
    const due: number[] = []
    if (wanted.size === 0) {
      const next = await findNextAttempts(context.sql)
      for (const [partition, at] of next) if (waitFor(partition, at) <= 0) due.push(partition)
      wake(due)
      if (wanted.size === 0) return pauseUntil(next)
    }
    const claimed = await claimWanted()
    for (const partition of claimed) mine.add(partition)
    // Another process has claimed it at its time.
    for (const partition of due) if (!claimed.has(partition) && !limited.has(partition)) mine.delete(partition)
    if (wanted.size > 0) return 0
    if (again.size > 0) return claimAgainMs * (0.5 + Math.random())
    return pauseUntil(await findNextAttempts(context.sql))
  }

  function pauseUntil(next: Map<number, Date>): number {
    const waits = [...next].map(([partition, at]) => waitFor(partition, at))
    return Math.min(longest(), Math.max(pauseMs, Math.min(...waits)))
  }

  function waitFor(partition: number, at: Date): number {
    return at.getTime() - context.now().getTime() + (mine.has(partition) ? 0 : overdueMs)
  }

  const longest = () => everyMs * (0.8 + Math.random() / 5)

  async function loop(): Promise<void> {
    while (!sleepers.stopped) {
      let pause = longest()
      try {
        pause = await round()
      } catch (error) {
        context.log.warn({ err: error }, 'webhook round failed')
      }
      if (wanted.size > 0) continue
      const sleeping = sleepers.sleep(pause)
      endPause = sleeping.wake
      await sleeping.over
    }
    await Promise.all(inProgress.values())
  }

  const subscriptions = allPartitions.map((partition) =>
    context.notifications.subscribeHere(deliveriesQueuedTopic(partition), () => wake([partition])),
  )
  const running = loop()
  return {
    async stop() {
      for (const unsubscribe of subscriptions) unsubscribe()
      sleepers.stop()
      await running
    },
  }
}
