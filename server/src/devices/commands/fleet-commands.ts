import { pollLimits } from '../../platform/own-limits.ts'
import { invalid, Refusal } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import { fleetCommandTopic } from '../live/topics.ts'
import { listCommandsOfPartner } from '../telemetry-store/telemetry-store.ts'
import { confirmDelivery, type HandedOut, handOutToFleet } from './hand-out.ts'

export interface FleetPoll {
  partner_id: string
  /** Seconds. */
  wait: number
  limit: number
  /** Of the response before: its commands have arrived. */
  after: string | null
  /** Throws when the credential of the caller has ended. */
  authenticateAgain(): Promise<unknown>
  /** Told what to do when the caller leaves. */
  onWait(leave: () => void): void
}

export interface FleetCommands {
  commands: HandedOut[]
  /** For the next poll; null when there are no commands. */
  after: string | null
}

/**
 * The first commands of the devices of a partner, for its cloud, which speaks for them. Several workers may ask at once:
 * each command is handed to one of them. Waits as a device does (decision 7.89).
 */
export async function pollFleet(context: Context, poll: FleetPoll): Promise<FleetCommands> {
  const { partner_id, wait, limit, after } = poll
  const { fleetPolls: polls } = context
  if (after !== null) await confirm(context, partner_id, readAfter(after))
  const read = async () => toFleetCommands(await handOutToFleet(context, partner_id, limit))
  if (wait === 0) return await read()
  if (polls.countOf(partner_id) >= pollLimits.waitingPerPartner) {
    const sentence = `At most ${pollLimits.waitingPerPartner} polls of a partner may wait at once.`
    throw new Refusal(429, 'too_many_polls', sentence, { retryAfter: wait })
  }
  const until = performance.now() + wait * 1000
  let isGone = false
  // Before the read, so that nothing is missed between the two.
  let current = polls.wait(partner_id, wait * 1000)
  poll.onWait(() => {
    isGone = true
    current.leave()
  })
  try {
    for (let found = await read(); ; found = await read()) {
      if (found.commands.length > 0) return found
      const how = await current.ended
      if (how !== 'woken' || isGone) return found
      current = polls.wait(partner_id, Math.max(0, until - performance.now()))
      await poll.authenticateAgain()
    }
  } finally {
    current.leave()
  }
}

/** Wakes the fleet polls of this process, as long as it runs. */
export async function wakeFleetPolls({ notifications, fleetPolls }: Context): Promise<void> {
  notifications.afterGap(() => fleetPolls.wakeAll())
  await notifications.subscribe(fleetCommandTopic, (partnerId) => fleetPolls.wake(partnerId))
}

/** Only commands of the partner: whoever sends other ids confirms nothing. */
async function confirm(context: Context, partnerId: string, ids: string[]): Promise<void> {
  await confirmDelivery(context, await listCommandsOfPartner(context.sql, partnerId, ids))
}

const bytesOfId = 16

/** The ids themselves, so that no process has to remember what a response had. */
function toFleetCommands(commands: HandedOut[]): FleetCommands {
  const ids = commands.map(({ id }) => Buffer.from(id.replaceAll('-', ''), 'hex'))
  return { commands, after: commands.length === 0 ? null : Buffer.concat(ids).toString('base64url') }
}

function readAfter(after: string): string[] {
  const bytes = Buffer.from(after, 'base64url')
  const isRight = bytes.length > 0 && bytes.length % bytesOfId === 0 && bytes.toString('base64url') === after
  if (!isRight) throw invalid({ field: 'after', message: 'must be the value of the response before, as it was' })
  const ids = new Set<string>()
  for (let at = 0; at < bytes.length; at += bytesOfId) {
    const hex = bytes.toString('hex', at, at + bytesOfId)
    ids.add(hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'))
  }
  return [...ids]
}
