import { mailLimits } from '../../platform/own-limits.ts'
import type { Context } from '../context.ts'
import { type DeliveryQueue, type RunningDeliveries, startDeliveryLoop } from '../delivery-loop.ts'
import { type ClaimedMail, findNextMail } from '../store/mails-sql.ts'
import { claimMails, deliverMail } from './mail-deliveries.ts'
import { mailsQueuedTopic } from './mail-queue.ts'

const { atOnce, firstPauseMilliseconds, longestPauseMilliseconds } = mailLimits
/** After which attempts that are still under way when the process stops are cut off, and made again by another. */
const stopMs = 5_000

/** Of its time; beyond, what mails cost would be missing elsewhere. */
const busyShare = 0.8
const busyMilliseconds = 1_000

/** Whether this process had little time to spare within the last second. */
function createBusyCheck(): () => boolean {
  let before = performance.eventLoopUtilization()
  let at = performance.now()
  let isBusy = false
  return () => {
    if (performance.now() - at < busyMilliseconds) return isBusy
    const now = performance.eventLoopUtilization()
    isBusy = performance.eventLoopUtilization(now, before).utilization > busyShare
    at = performance.now()
    before = now
    return isBusy
  }
}

/**
 * Sends mails until stopped; nothing without a mail server. While the server takes no mail at all, this process pauses
 * instead of making every mail fail in turn: those that wait keep their attempts.
 */
export function startMails(
  context: Context,
  { isBusy = createBusyCheck(), ...options }: { everyMs?: number; stopMs?: number; isBusy?: () => boolean } = {},
): RunningDeliveries {
  if (!context.mail.delivers) return { stop: async () => {} }
  const cut = new AbortController()
  let failures = 0
  let pausedUntil = 0

  function learn(unavailable: boolean): void {
    if (!unavailable) {
      if (failures > 0) context.log.info('mail server takes mail again')
      failures = 0
      return
    }
    if (failures === 0) context.log.warn('mail server takes no mail: the operator console says why')
    const pause = Math.min(firstPauseMilliseconds * 2 ** Math.min(failures, 10), longestPauseMilliseconds)
    pausedUntil = context.now().getTime() + pause
    failures += 1
  }

  const isPaused = () => failures > 0 && context.now().getTime() < pausedUntil
  // After failures, one attempt tells whether there is any use in more; and a process with much else to do has people waiting.
  const slots = () => (failures > 0 || isBusy() ? 1 : atOnce)

  const queue: DeliveryQueue<ClaimedMail> = {
    name: 'mail',
    partitions: [0],
    topicOf: () => mailsQueuedTopic,
    partitionOf: () => 0,
    async claim(inProgress) {
      const free = isPaused() ? 0 : slots() - inProgress.length
      return { claimed: free > 0 ? await claimMails(context, free) : [], others: [] }
    },
    isLimited: (inProgress) => !isPaused() && inProgress.length >= slots(),
    async deliver(mail) {
      const outcome = await deliverMail(context, mail, cut.signal)
      if (outcome !== null) learn(outcome === 'unavailable')
      return outcome === 'sent'
    },
    async findNextAttempts() {
      const at = await findNextMail(context.sql)
      if (at === null) return new Map()
      return new Map([[0, isPaused() ? new Date(Math.max(at.getTime(), pausedUntil)) : at]])
    },
  }
  const running = startDeliveryLoop(context, queue, options)
  return {
    async stop() {
      const timer = setTimeout(() => cut.abort(), options.stopMs ?? stopMs)
      await running.stop()
      clearTimeout(timer)
    },
  }
}
