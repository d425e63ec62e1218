import { pollLimits } from '../../platform/own-limits.ts'
import type { Context } from '../context.ts'
import { commandTopic, revokedTopics } from '../live/topics.ts'
import { authenticateDevice, type Credential } from '../telemetry/ingest.ts'
import { type Outcome, outcomes, tooManyCalls } from '../telemetry/outcome.ts'
import type { HandedOut } from './hand-out.ts'
import type { WaitingPoll } from './waiting-polls.ts'

export type PollOutcome =
  | { status: 200; command: HandedOut }
  | { status: 204 }
  | typeof tooManyCalls
  | Exclude<Outcome, { status: 200 }>

const nothing = { status: 204 } as const

/**
 * The device's next command, for which it waits up to `seconds` without a connection to Postgres: the credential is
 * checked before, and once more when a notification says that there is a command, or that the credential has ended.
 * `onWait` is told what to do when the caller leaves.
 */
export async function pollCommand(
  context: Context,
  credential: Credential,
  seconds: number,
  onWait: (leave: () => void) => void,
): Promise<PollOutcome> {
  const { commandPolls: polls } = context
  const id = credential.device_id.toLowerCase()
  if (seconds === 0) return (await read(context, credential, 'poll')) ?? nothing
  if (polls.size >= pollLimits.waiting) return outcomes.overloaded
  const until = performance.now() + seconds * 1000
  let isGone = false
  let current: WaitingPoll = polls.wait(id, seconds * 1000)
  onWait(() => {
    isGone = true
    current.leave()
  })
  const gathered = polls.gather()
  if (gathered) await Promise.race([gathered, current.ended])
  if (isGone) return nothing
  // The first read may return a command again, for a device that has restarted; later ones only what is new.
  let found = await read(context, credential, 'poll', () => current.replaceOthers())
  while (!found) {
    const how = await current.ended
    if (how !== 'woken' || isGone) return nothing
    // Before the read, so that nothing is missed between the two.
    current = polls.wait(id, Math.max(0, until - performance.now()))
    found = await read(context, credential, 'notice')
  }
  current.leave()
  return found
}

/** Null when there is nothing to tell the device. */
async function read(
  context: Context,
  credential: Credential,
  way: 'poll' | 'notice',
  onAuthenticated = () => {},
): Promise<PollOutcome | null> {
  const verdict = await authenticateDevice(context, credential)
  if (verdict.status !== 200) return verdict
  const id = credential.device_id.toLowerCase()
  if (way === 'poll' && !(await context.commandCalls.take(id, pollLimits.callsPerDevice))) return tooManyCalls
  onAuthenticated()
  if (!verdict.command) return null
  try {
    const command = await context.commandHandOut.next(id, way)
    return command ? { status: 200, command } : null
  } catch (error) {
    context.log.error({ err: error, device_id: id }, 'command not handed out')
    return outcomes.overloaded
  }
}

/** Wakes the polls of this process, as long as it runs. */
export async function wakePolls({ notifications, commandPolls }: Context): Promise<void> {
  notifications.afterGap(() => commandPolls.wakeAll())
  // A removed device, or one with another key, is told so: the poll checks its credential again.
  for (const topic of [commandTopic, revokedTopics.removed, revokedTopics.rekeyed]) {
    await notifications.subscribe(topic, (deviceId) => commandPolls.wake(deviceId))
  }
}
