import type { BaseContext } from '../platform/context.ts'
import { createSleepers } from '../platform/sleepers.ts'

/** What is delivered: webhooks or mails, in one or more partitions that are claimed separately. */
export interface DeliveryQueue<Item> {
  /** For the log. */
  name: string
  partitions: readonly number[]
  /** On which this process is woken by its own commits. */
  topicOf(partition: number): string
  partitionOf(item: Item): number
  /** `others`: the partitions that another process is claiming at this moment. */
  claim(inProgress: Item[], partitions: readonly number[]): Promise<{ claimed: Item[]; others: number[] }>
  /** Whether a claim of the partition may have left due deliveries behind, because the slots for them are in use. */
  isLimited(inProgress: readonly Item[], partition: number): boolean
  /** Attempts and settles. Returns whether it changed nothing about when others are due. */
  deliver(item: Item): Promise<boolean>
  /** When something is due next in each partition; of an attempt under way, the end of its lease. */
  findNextAttempts(): Promise<Map<number, Date>>
}

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
/** Until a partition that another process was claiming is tried again: that one may have begun too early. */
export const claimAgainMs = 40

/**
 * Delivers until stopped. The process that queued a delivery is woken by its own commit, for the partition it queued into,
 * makes the attempts and knows the time of the next one; others look now and then. A slow receiver holds up its own few
 * slots and no others.
 */
export function startDeliveryLoop<Item>(
  context: Pick<BaseContext, 'now' | 'log' | 'notifications'>,
  queue: DeliveryQueue<Item>,
  { everyMs = lookMs } = {},
): RunningDeliveries {
  const inProgress = new Map<Item, Promise<void>>()
  const sleepers = createSleepers()
  /** Partitions to claim now. */
  const wanted = new Set(queue.partitions)
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

  async function deliverAndWake(item: Item): Promise<void> {
    const partition = queue.partitionOf(item)
    let simple = false
    try {
      simple = await queue.deliver(item)
    } catch (error) {
      context.log.error({ err: error }, `${queue.name} delivery not settled`)
    }
    inProgress.delete(item)
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
    const { claimed, others } = await queue.claim(before, partitions)
    for (const partition of partitions) if (!others.includes(partition)) again.delete(partition)
    for (const item of claimed) inProgress.set(item, deliverAndWake(item))
    const finished = before.some((item) => !inProgress.has(item))
    for (const partition of partitions) {
      const isFull = queue.isLimited([...before, ...claimed], partition)
      if (isFull) limited.add(partition)
      else limited.delete(partition)
      // The slot was not free yet when the claim began.
      if (isFull && finished) wanted.add(partition)
    }
    return new Set(claimed.map((item) => queue.partitionOf(item)))
  }

  /** Returns the pause until the next one. */
  async function round(): Promise<number> {
    for (const partition of again) wanted.add(partition)
    again.clear()
    const due: number[] = []
    if (wanted.size === 0) {
      const next = await queue.findNextAttempts()
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
    return pauseUntil(await queue.findNextAttempts())
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
        context.log.warn({ err: error }, `${queue.name} round failed`)
      }
      if (wanted.size > 0) continue
      const sleeping = sleepers.sleep(pause)
      endPause = sleeping.wake
      await sleeping.over
    }
    await Promise.all(inProgress.values())
  }

  const subscriptions = queue.partitions.map((partition) =>
    context.notifications.subscribeHere(queue.topicOf(partition), () => wake([partition])),
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
