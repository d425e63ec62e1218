import type { Context } from '../../context.ts'
import { createSleepers } from '../../platform/sleepers.ts'
import { deliveriesQueuedTopic } from '../outbox.ts'
import { type ClaimedDelivery, findNextAttempt } from '../store/webhook-claims.ts'
import { claim, deliver } from './deliveries.ts'

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
 * Delivers until stopped. The process that queued a delivery is woken by its own commit, makes the attempts and knows the
 * time of the next one; others look now and then. A slow receiver holds up its own few slots and no others.
 */
export function startDeliveries(context: Context, { everyMs = lookMs } = {}): RunningDeliveries {
  const inProgress = new Map<ClaimedDelivery, Promise<void>>()
  const sleepers = createSleepers()
  let woken = true
  let endPause = () => {}
  const wake = () => {
    woken = true
    endPause()
  }

  function begin(delivery: ClaimedDelivery): void {
    const work = deliver(context, delivery)
      .catch((error) => context.log.error({ err: error }, 'webhook delivery not settled'))
      .finally(() => {
        inProgress.delete(delivery)
        // A slot is free.
        wake()
      })
    inProgress.set(delivery, work)
  }

  async function claimAll(): Promise<boolean> {
    for (let any = false; ; any = true) {
      const claimed = await claim(context, [...inProgress.keys()])
      for (const delivery of claimed) begin(delivery)
      if (claimed.length === 0) return any
    }
  }

  async function loop(): Promise<void> {
    let mine = false
    while (!sleepers.stopped) {
      let pause = everyMs * (0.8 + Math.random() / 5)
      try {
        const wasWoken = woken
        woken = false
        const isDue = (next: Date | null) => next !== null && waitFor(next, mine) <= 0
        if (wasWoken || isDue(await findNextAttempt(context.sql))) mine = await claimAll()
        if (woken) continue
        const next = await findNextAttempt(context.sql)
        if (next) pause = Math.min(pause, Math.max(pauseMs, waitFor(next, mine)))
      } catch (error) {
        context.log.warn({ err: error }, 'webhook round failed')
      }
      if (woken) continue
      const sleeping = sleepers.sleep(pause)
      endPause = sleeping.wake
      await sleeping.over
    }
    await Promise.all(inProgress.values())
  }

  function waitFor(next: Date, mine: boolean): number {
    return next.getTime() - context.now().getTime() + (mine || inProgress.size > 0 ? 0 : overdueMs)
  }

  const unsubscribe = context.notifications.subscribeHere(deliveriesQueuedTopic, wake)
  const running = loop()
  return {
    async stop() {
      unsubscribe()
      sleepers.stop()
      await running
    },
  }
}
