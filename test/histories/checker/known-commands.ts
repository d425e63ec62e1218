// All that is known about the commands of one device, and what may have become of each.
import { type AnyCall, type CommandCall, callsOf, type DeviceCall, type History, isUnknown } from './history.ts'

export type CallOf<Kind> = Extract<CommandCall, { kind: Kind }>
export type Order = CallOf<'order'> & { ok: NonNullable<CallOf<'order'>['ok']>; returned: number }

/** All that was done about the commands of one device. */
export interface Known {
  orders: CallOf<'order'>[]
  /** Those whose id is known. */
  given: Order[]
  takes: CallOf<'take'>[]
  reports: CallOf<'report'>[]
  cancels: CallOf<'cancel'>[]
  checks: CallOf<'check'>[]
  lists: CallOf<'orders'>[]
  removals: Extract<DeviceCall, { kind: 'remove' }>[]
}

export function knownCommands(history: History): Known[] {
  const keys = new Set(callsOf(history, 'order', 'take', 'orders').map(({ key }) => key))
  return [...keys].map((key) => {
    const of = <Kind extends CommandCall['kind']>(kind: Kind) =>
      history.calls.filter((call) => call.kind === kind && call.key === key) as CallOf<Kind>[]
    const orders = of('order')
    return {
      ...{ orders, given: orders.filter(({ ok }) => ok !== null) as Order[], takes: of('take'), reports: of('report') },
      ...{ cancels: of('cancel'), checks: of('check'), lists: of('orders') },
      removals: callsOf(history, 'remove').filter(({ input }) => input.id === key),
    }
  })
}

export const seconds = 1_000
export const happened = ({ refused }: AnyCall) => refused === null
export const isFinal = (state: string) => ['done', 'failed', 'rejected', 'expired', 'canceled'].includes(state)
export const waits = (state: string) => ['queued', 'sent', 'in_progress'].includes(state)

/** The time of day at which a call returned, which is the database's: all run on one machine. */
export function endOf({
  input,
  invoked,
  returned,
}: {
  input: { at: number }
  invoked: number
  returned: number | null
}) {
  return returned === null ? Number.POSITIVE_INFINITY : input.at + (returned - invoked)
}

export const expiryOf = (order: Order) => Date.parse(order.ok.expires_at)

/**
 * Handed out five times without a report, or not heard of for as long as its progress may take. What a line loses on its
 * way to a subscriber nobody sees: of those attempts only the service can tell.
 */
function mayBeUnknown(
  { takes, reports, checks }: Known,
  { ok: { id }, input }: Order,
  until: number,
  time: number,
): boolean {
  const attempts = takes.filter((take) => {
    return take.invoked <= until && (isUnknown(take) || take.ok?.command?.id === id)
  })
  const isSilent = reports.some((report) => {
    const { at, status } = report.input
    return (
      report.input.id === id && status === 'in_progress' && happened(report) && at + input.timeout * seconds <= time
    )
  })
  const isTold = checks.some((check) => check.input.id === id && (check.ok?.attempts ?? 0) >= 5)
  return attempts.length >= 5 || isTold || isSilent
}

/** Whether a command may have ended by then: the recorder's time, and the time of day. */
export function mayHaveEnded(known: Known, order: Order, until: number, time: number): boolean {
  const { id } = order.ok
  const isOver = (call: AnyCall) => happened(call) && call.invoked <= until
  return (
    expiryOf(order) <= time ||
    known.removals.some(isOver) ||
    known.cancels.some((call) => call.input.id === id && isOver(call)) ||
    known.reports.some((call) => call.input.id === id && call.input.status !== 'in_progress' && isOver(call)) ||
    mayBeUnknown(known, order, until, time)
  )
}
