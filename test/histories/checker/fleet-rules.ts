// `GET /core/v1/partner/commands`, as the reference describes it: a command is handed to one worker of the partner's cloud;
// what it confirms with `after` has arrived, and what it does not confirm comes again after a minute; what waits is told.
import type { Violation } from './history.ts'
import {
  type CallOf,
  endOf,
  happened,
  isFinal,
  type Known,
  mayHaveEnded,
  type Order,
  seconds,
} from './known-commands.ts'

type Take = CallOf<'take'>

const minute = 60 * seconds
/** Longer than any fault keeps all processes from queueing what was not reported in time. */
const slack = 30 * seconds

export function fleetViolations(known: Known): Violation[] {
  return [...tooSoon(known), ...forgotten(known), ...untold(known)]
}

const isFleet = ({ input }: Take) => input.way === 'fleet'
const idOf = ({ ok }: Take) => ok?.command?.id
const attemptOf = ({ ok }: Take) => ok!.command!.attempt

/** Polls that said that a command has arrived. */
function confirmations({ takes }: Known, id: string): Take[] {
  return takes.filter((take) => take.input.confirms === id && happened(take))
}

/** A command comes again when its timeout is over without a report, or after a minute without a confirmation. */
function tooSoon(known: Known): Violation[] {
  return known.given.flatMap((order): Violation[] => {
    const { id } = order.ok
    const handed = known.takes.filter((take) => isFleet(take) && idOf(take) === id)
    return handed.flatMap((again) =>
      handed.flatMap((first): Violation[] => {
        if (first === again || attemptOf(first) > attemptOf(again)) return []
        const confirmed = confirmations(known, id).find(({ ok, returned }) => ok && returned! < again.invoked)
        const timeout = order.input.timeout * seconds
        const due = first.input.at + (confirmed ? timeout : Math.min(timeout, minute))
        if (endOf(again) >= due && attemptOf(first) < attemptOf(again)) return []
        const calls = [order, first, ...(confirmed ? [confirmed] : []), again]
        return [{ rule: 'handed to one worker of the fleet', sentence: `${id} came again too soon`, calls }]
      }),
    )
  })
}

function forgotten(known: Known): Violation[] {
  return known.checks.flatMap((check): Violation[] => {
    const { id } = check.input
    if (!check.ok || check.ok.delivered_at !== null) return []
    const confirmed = confirmations(known, id).find(({ ok, returned }) => ok && returned! < check.invoked)
    const take = known.takes.find((each) => idOf(each) === id && attemptOf(each) === check.ok!.attempts)
    // Handed out once more since then, it may be on its way again.
    if (!confirmed || !take || take.returned! >= confirmed.invoked) return []
    const sentence = `${id} was confirmed, and is not delivered`
    return [{ rule: 'what the fleet confirms has arrived', sentence, calls: [take, confirmed, check] }]
  })
}

/** A poll was given nothing while a command was due: as the number of its attempts shows, nobody was given it. */
function untold(known: Known): Violation[] {
  return known.takes.flatMap((take): Violation[] => {
    if (!isFleet(take) || !take.ok || take.ok.command) return []
    return known.given.flatMap((order): Violation[] => {
      if (!isFirst(known, order, take)) return []
      const attempts = attemptsAt(known, order, take)
      if (attempts === null) return []
      const last = known.takes.find((each) => idOf(each) === order.ok.id && attemptOf(each) === attempts)
      if (attempts > 0 && !(last && isDue(known, order, last, take))) return []
      const sentence = `${order.ok.id} waited, and the partner's cloud was told that nothing does`
      return [{ rule: 'the fleet gets what waits', sentence, calls: [order, ...(last ? [last] : []), take] }]
    })
  })
}

/** It waits, it is not under way, and all that may have been ordered before it has ended. */
function isFirst(known: Known, order: Order, take: Take): boolean {
  const { id } = order.ok
  const others = known.orders.filter((other) => other !== order && happened(other) && other.invoked < order.returned)
  const isUnderWay = known.reports.some((report) => {
    return report.input.id === id && happened(report) && report.invoked <= take.returned!
  })
  return (
    order.returned < take.invoked &&
    !isUnderWay &&
    !mayHaveEnded(known, order, take.returned!, endOf(take)) &&
    others.every((other) => other.ok && hasEnded(known, other.ok.id, take.invoked))
  )
}

function hasEnded({ reports, cancels, checks }: Known, id: string, until: number): boolean {
  const ends = [
    ...reports.filter(({ input }) => input.status !== 'in_progress'),
    ...cancels,
    ...checks.filter(({ ok }) => ok && (isFinal(ok.state) || ok.state === 'unknown')),
  ]
  return ends.some(({ input, ok, returned }) => input.id === id && ok && returned! < until)
}

/** How often it had been handed out, where nobody was handed it meanwhile; otherwise null. */
function attemptsAt({ takes, checks }: Known, { ok: { id } }: Order, { invoked, returned }: Take): number | null {
  const handed = takes.filter((take) => idOf(take) === id)
  const seen = checks.filter(({ input, ok }) => ok && input.id === id)
  const before = [
    ...handed.filter((take) => take.returned! < invoked).map(attemptOf),
    ...seen.filter((check) => check.returned! < invoked).map(({ ok }) => ok!.attempts),
  ]
  const after = [
    ...handed.filter((take) => take.invoked > returned!).map((take) => attemptOf(take) - 1),
    ...seen.filter((check) => check.invoked > returned!).map(({ ok }) => ok!.attempts),
  ]
  const attempts = Math.min(...after)
  return attempts === Math.max(0, ...before) ? attempts : null
}

/** Long enough after it was handed out last. */
function isDue(known: Known, order: Order, last: Take, take: Take): boolean {
  const since = take.input.at - endOf(last)
  const mayBeConfirmed = confirmations(known, order.ok.id).some(({ invoked, returned }) => {
    return invoked <= take.returned! && (returned === null || returned > last.invoked)
  })
  return since > order.input.timeout * seconds + slack || (isFleet(last) && !mayBeConfirmed && since > minute)
}
