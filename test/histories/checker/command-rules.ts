// Integrate.md, commands to devices: never handed out after it expires, one at a time and in order, at least once, the first
// final report counts, nothing is lost, every waiting state ends, and the next owner sees nothing.
import { fleetViolations } from './fleet-rules.ts'
import type { AnyCall, History, Violation } from './history.ts'
import {
  type CallOf,
  endOf,
  expiryOf,
  happened,
  isFinal,
  type Known,
  knownCommands,
  mayHaveEnded,
  seconds,
  waits,
} from './known-commands.ts'

export function commandViolations(history: History): Violation[] {
  return knownCommands(history).flatMap((known) =>
    firstOfEachRule([
      ...tooLate(known),
      ...outOfTurn(known),
      ...missed(known),
      ...notTheFirst(known),
      ...lost(known),
      ...afterTheEnd(known),
      ...overdue(known),
      ...foreign(known),
      ...fleetViolations(known),
    ]),
  )
}

/** One fault shows in every call that follows it. */
function firstOfEachRule(violations: Violation[]): Violation[] {
  return [...Map.groupBy(violations, ({ rule }) => rule).values()].map(([first]) => first!)
}

function tooLate({ takes, checks }: Known): Violation[] {
  const rule = 'never handed out after it expires'
  return [
    ...takes.flatMap((take): Violation[] => {
      const { command } = take.ok ?? {}
      if (!command || take.input.at <= Date.parse(command.expires_at)) return []
      const sentence = `${command.id} expired at ${command.expires_at}, and was asked for at ${day(take.input.at)}`
      return [{ rule, sentence, calls: [take] }]
    }),
    ...checks.flatMap((check): Violation[] => {
      const { sent_at, expires_at } = check.ok ?? {}
      if (!sent_at || Date.parse(sent_at) <= Date.parse(expires_at!)) return []
      return [{ rule, sentence: `${check.input.id} was sent at ${sent_at}, after ${expires_at}`, calls: [check] }]
    }),
  ]
}

const day = (time: number) => new Date(time).toISOString()

/** Ordered one after the other: while the first waits, no other is handed out, and after the other the first never is. */
function outOfTurn(known: Known): Violation[] {
  const rule = 'one at a time and in order'
  return known.given.flatMap((second) => {
    const handed = known.takes.filter(({ ok }) => ok?.command?.id === second.ok.id)
    return known.given.flatMap((first): Violation[] => {
      if (first === second || first.returned >= second.invoked || handed.length === 0) return []
      return handed.flatMap((take): Violation[] => {
        const again = known.takes.find(({ ok, invoked }) => ok?.command?.id === first.ok.id && invoked > take.returned!)
        const waiting = known.checks.find(
          ({ ok, input, invoked }) => input.id === first.ok.id && ok && waits(ok.state) && invoked > take.returned!,
        )
        const shown = again ?? waiting
        if (!shown && mayHaveEnded(known, first, take.returned!, endOf(take))) return []
        const sentence = `${second.ok.id} was handed out while ${first.ok.id} waited`
        return [{ rule, sentence, calls: [first, second, take, ...(shown ? [shown] : [])] }]
      })
    })
  })
}

/** Mqtt.md: a command comes after each SUBACK; so long, nothing but a fault keeps it back. */
const quietMilliseconds = 5 * seconds

/** Whether a device was told that nothing waits: by a poll, or by a subscription that was open long enough. */
function isToldNothing({ input: { way }, ok, invoked, returned }: CallOf<'take'>): boolean {
  if (ok === null || ok.command !== null) return false
  return way === 'http' || (way === 'mqtt' && returned! - invoked >= quietMilliseconds)
}

/** A device that asks while a command waits gets one. */
function missed(known: Known): Violation[] {
  const { takes, given, reports } = known
  return takes.flatMap((take): Violation[] => {
    if (!isToldNothing(take)) return []
    const isReplaced = takes.some((other) => {
      const isMeanwhile = other.invoked < take.returned! && (other.returned ?? Number.POSITIVE_INFINITY) > take.invoked
      // A poll ends the one before; a subscription gets again what another has, whenever that one asked.
      const isLater = take.input.way === 'http' || other.invoked >= take.invoked
      return other !== take && other.input.way !== 'fleet' && isMeanwhile && isLater
    })
    // What is under way is not handed out again once it has expired, and others wait behind it.
    const isBlocked = reports.some((report) => {
      const order = given.find(({ ok }) => ok.id === report.input.id)
      const isBegun = report.input.status === 'in_progress' && happened(report) && report.invoked <= take.returned!
      return isBegun && (!order || expiryOf(order) <= endOf(take))
    })
    if (isReplaced || isBlocked) return []
    const waiting = given.find((order) => {
      return order.returned < take.invoked && !mayHaveEnded(known, order, take.returned!, endOf(take))
    })
    if (!waiting) return []
    const sentence = `${waiting.ok.id} waited, and the device was told that nothing does`
    return [{ rule: 'handed out at least once', sentence, calls: [waiting, take] }]
  })
}

const contentOf = ({ input: { status, message } }: CallOf<'report'>) => `${status} ${message}`

function notTheFirst(known: Known): Violation[] {
  const rule = 'the first final report wins'
  return [...Map.groupBy(known.reports, ({ input }) => input.id)].flatMap(([id, reports]) => {
    const accepted = reports.filter(({ ok, input }) => ok !== null && input.status !== 'in_progress')
    const [first] = accepted
    const other = accepted.find((report) => contentOf(report) !== contentOf(first!))
    const overtaken = accepted.flatMap((report) =>
      reports.filter(({ input, ok, refused, invoked }) => {
        if (invoked <= report.returned!) return false
        const isSame = contentOf(report) === `${input.status} ${input.message}`
        return isSame ? refused === 'command_finished' : ok !== null
      }),
    )
    const refused = reports.filter((report) => report.refused === 'command_finished' && !hasReason(known, id, report))
    const found = [...(other ? [first!, other] : []), ...overtaken, ...refused]
    return found.length === 0 ? [] : [{ rule, sentence: `about ${id}`, calls: [...new Set([...accepted, ...found])] }]
  })
}

/** Something else may have finished the command before this report. */
function hasReason(known: Known, id: string, report: CallOf<'report'>): boolean {
  const order = known.given.find(({ ok }) => ok.id === id)
  const isBefore = (call: AnyCall) => happened(call) && call.invoked <= report.returned!
  return (
    !order ||
    expiryOf(order) <= endOf(report) ||
    known.removals.some(isBefore) ||
    known.cancels.some((call) => call.input.id === id && isBefore(call)) ||
    known.reports.some((other) => {
      const isOther = contentOf(other) !== contentOf(report) && other.input.status !== 'in_progress'
      return other.input.id === id && isOther && isBefore(other)
    })
  )
}

/** What one reader saw or one reporter was told, a later reader sees. */
function lost({ given, reports, cancels, checks, removals }: Known): Violation[] {
  const rule = 'no state is lost'
  return checks.flatMap((check): Violation[] => {
    const { id } = check.input
    const before = <Call extends AnyCall>(calls: Call[]) =>
      calls.filter(({ ok, returned }) => ok && returned! < check.invoked)
    const order = before(given).find(({ ok, input }) => ok.id === id && input.customer === check.input.customer)
    if (check.refused === 'not_found') {
      const isRemoved = removals.some((call) => happened(call) && call.invoked <= check.returned!)
      return order && !isRemoved ? [{ rule, sentence: `${id} was accepted, and is gone`, calls: [order, check] }] : []
    }
    if (!check.ok) return []
    const { state, attempts } = check.ok
    const told = before(reports).filter(({ input }) => input.id === id && input.status !== 'in_progress')
    const ended = before(cancels).filter(({ input }) => input.id === id)
    const seen = before(checks).filter(({ input }) => input.id === id)
    const contrary = [
      ...told.filter(({ input }) => input.status !== state || input.message !== check.ok!.message),
      ...ended.filter(() => state !== 'canceled'),
      ...seen.filter(({ ok }) => isFinal(ok!.state) && ok!.state !== state),
      ...seen.filter(({ ok }) => ['in_progress', 'unknown'].includes(ok!.state) && ['queued', 'sent'].includes(state)),
      ...seen.filter(({ ok }) => ok!.attempts > attempts),
    ]
    if (contrary.length === 0) return []
    return [{ rule, sentence: `${id} is ${state} after ${attempts} attempts`, calls: [...contrary, check] }]
  })
}

/** What has ended is not handed out, nor is anything of a device that was removed; and what the device has is not canceled. */
function afterTheEnd({ takes, reports, cancels, checks, removals, given }: Known): Violation[] {
  const rule = 'what has ended is not handed out'
  const handed = takes.filter(({ ok }) => ok?.command)
  const tooLong = handed.flatMap((take): Violation[] => {
    const { id } = take.ok!.command!
    const ends: AnyCall[] = [
      ...reports.filter(({ input, ok }) => ok && input.id === id && input.status !== 'in_progress'),
      ...cancels.filter(({ input, ok }) => ok && input.id === id),
      ...checks.filter(({ input, ok }) => ok && input.id === id && (isFinal(ok.state) || ok.state === 'unknown')),
      ...removals.filter(({ ok }) => ok),
    ]
    const end = ends.find(({ returned }) => returned! < take.invoked)
    return end ? [{ rule, sentence: `${id} was handed out after its end`, calls: [end, take] }] : []
  })
  const takenBack = cancels.flatMap((cancel): Violation[] => {
    const order = given.find(({ ok }) => ok.id === cancel.input.id)
    const take = handed.find(({ ok, input, returned }) => {
      // Without a report it is queued again after its timeout.
      const isHeld = order && endOf(cancel) < input.at + order.input.timeout * seconds
      return ok!.command!.id === cancel.input.id && returned! < cancel.invoked && isHeld && input.way !== 'mqtt'
    })
    if (!cancel.ok || !take) return []
    return [{ rule: 'what the device has is not canceled', sentence: cancel.input.id, calls: [take, cancel] }]
  })
  return [...tooLong, ...takenBack]
}

/** Longer than any fault keeps all processes from their work. */
const slackMilliseconds = 30 * seconds

function overdue({ checks, given, reports }: Known): Violation[] {
  return checks.flatMap((check): Violation[] => {
    const order = given.find(({ ok }) => ok.id === check.input.id)
    if (!order || !check.ok || !waits(check.ok.state)) return []
    const progress = reports.filter(({ input, refused }) => {
      return input.id === order.ok.id && input.status === 'in_progress' && refused === null
    })
    const last = Math.max(0, ...progress.map((report) => Math.min(endOf(report), report.input.at + 15 * seconds)))
    const due = check.ok.state === 'in_progress' ? last + order.input.timeout * seconds : expiryOf(order)
    if (check.input.at <= due + slackMilliseconds) return []
    const sentence = `${order.ok.id} is ${check.ok.state}, and was due at ${day(due)}`
    return [{ rule: 'every state that waits ends', sentence, calls: [order, ...progress, check] }]
  })
}

/** A device gets, and its customer sees, what was ordered for it. */
function foreign({ orders, takes, lists }: Known): Violation[] {
  const rule = 'a device has its own commands'
  const isKnown = (id: string, customer?: string) => {
    const own = orders.filter(
      (order) => happened(order) && (customer === undefined || order.input.customer === customer),
    )
    return own.some(({ ok }) => ok === null || ok.id === id)
  }
  return [
    ...takes.flatMap((take): Violation[] => {
      const { command } = take.ok ?? {}
      if (!command || isKnown(command.id)) return []
      return [{ rule, sentence: `${command.id} was ordered for another device`, calls: [take] }]
    }),
    ...lists.flatMap((list): Violation[] => {
      const strange = list.ok?.ids.find((id) => !isKnown(id, list.input.customer))
      return strange ? [{ rule, sentence: `${strange} was ordered by another customer`, calls: [list] }] : []
    }),
  ]
}
