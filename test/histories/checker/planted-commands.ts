// Faults about commands, planted into a history that has none.
import { type AnyCall, type CommandCall, callsOf, type History, isUnknown } from './history.ts'

type Plant = (history: History) => History | null
type CallOf<Kind> = Extract<CommandCall, { kind: Kind }>

const replaced = (history: History, call: AnyCall, other: AnyCall): History => ({
  ...history,
  calls: history.calls.map((each) => (each === call ? other : each)),
})
const followed = (history: History, call: object): History => ({
  ...history,
  calls: [...history.calls, { n: history.calls.length, actor: 'planted', ...call } as AnyCall],
})
/** Right after a call, and as long as a moment. */
const after = ({ returned }: AnyCall) => ({ invoked: returned! + 1, returned: returned! + 2, refused: null })

const handed = (history: History) => callsOf(history, 'take').filter(({ ok }) => ok?.command) as CallOf<'take'>[]
const finished = (history: History) =>
  callsOf(history, 'report').find(({ ok, input }) => ok !== null && input.status !== 'in_progress')

const handOutLate =
  (way: CallOf<'take'>['input']['way']): Plant =>
  (history) => {
    const take = handed(history).find(({ input }) => input.way === way)
    if (!take) return null
    const at = Date.parse(take.ok!.command!.expires_at) + 1
    return replaced(history, take, { ...take, input: { ...take.input, at } })
  }

/** The second is handed out right after its order, while the first waits, or had never been asked for. */
const jumpQueue =
  (way: CallOf<'take'>['input']['way']): Plant =>
  (history) => {
    if (!handed(history).some(({ input }) => input.way === way)) return null
    const orders = callsOf(history, 'order').filter(({ ok }) => ok !== null)
    for (const first of orders) {
      const second = orders.find(({ key, invoked }) => key === first.key && invoked > first.returned!)
      if (!second) continue
      const before = ({ invoked }: AnyCall) => invoked <= second.returned! + 2
      const ends = callsOf(history, 'cancel', 'report').filter(({ input }) => input.id === first.ok!.id)
      if ([...ends, ...callsOf(history, 'remove')].some(before)) continue
      if (callsOf(history, 'take').filter((take) => take.key === first.key && before(take)).length > 2) continue
      const { key, input } = second
      const command = { ...second.ok!, attempt: 1 }
      const at = input.at + (second.returned! - second.invoked) + 1
      return followed(history, { kind: 'take', key, input: { way, at }, ok: { command }, ...after(second) })
    }
    return null
  }

const toFleet = (history: History) => handed(history).filter(({ input }) => input.way === 'fleet')
const endOf = ({ input, invoked, returned }: CallOf<'take'>) => input.at + (returned! - invoked)

const handToTwo: Plant = (history) => {
  // One that returned long before any timeout.
  const take = toFleet(history).find((each) => {
    const isOrdered = callsOf(history, 'order').some(({ ok }) => ok?.id === each.ok!.command!.id)
    return isOrdered && endOf(each) < each.input.at + 4_000
  })
  if (!take) return null
  const command = { ...take.ok!.command!, attempt: take.ok!.command!.attempt + 1 }
  const input = { way: 'fleet', at: endOf(take) + 1 }
  return followed(history, { kind: 'take', key: take.key, input, ok: { command }, ...after(take) })
}

const forgetConfirmation: Plant = (history) => {
  const confirming = callsOf(history, 'take').find(({ input, ok }) => input.confirms && ok !== null)
  const id = confirming?.input.confirms
  const take = toFleet(history).findLast(({ ok, returned }) => {
    return ok!.command!.id === id && returned! < confirming!.invoked
  })
  if (!confirming || !take) return null
  const { attempt: attempts, expires_at } = take.ok!.command!
  const found = { state: 'sent', attempts, sent_at: null, delivered_at: null, expires_at, message: null }
  const input = { id, customer: 'any', at: endOf(confirming) + 1 }
  return followed(history, { kind: 'check', key: take.key, input, ok: found, ...after(confirming) })
}

/** The first poll after the first order is told nothing, and then somebody is handed it for the first time. */
const sayNothingToFleet: Plant = (history) => {
  const order = callsOf(history, 'order').find(({ ok }) => ok !== null)
  const end = (order?.returned ?? 0) + 3
  const others = callsOf(history, 'order', 'take', 'cancel', 'report', 'remove').some((call) => {
    const isOther = call !== order && (call.key === order?.key || call.kind === 'remove')
    return isOther && call.invoked <= end
  })
  const isHanded = handed(history).some(({ ok, invoked }) => {
    return ok!.command!.id === order?.ok?.id && ok!.command!.attempt === 1 && invoked > end
  })
  if (!order || others || !isHanded) return null
  const input = { way: 'fleet', at: order.input.at + (order.returned! - order.invoked) + 1 }
  return followed(history, { kind: 'take', key: order.key, input, ok: { command: null }, ...after(order) })
}

const overrule: Plant = (history) => {
  const report = finished(history)
  if (!report) return null
  const input = { ...report.input, message: 'planted' }
  return followed(history, { kind: 'report', key: report.key, input, ok: {}, ...after(report) })
}

const forgetReport: Plant = (history) => {
  const report = finished(history)
  const check = callsOf(history, 'check').findLast(({ ok, input, invoked }) => {
    return ok !== null && input.id === report?.input.id && invoked > report.returned!
  })
  return check ? replaced(history, check, { ...check, ok: { ...check.ok!, state: 'sent' } }) : null
}

const sayNothing: Plant = (history) => {
  const order = callsOf(history, 'order').find(({ ok }) => ok !== null)
  const end = (order?.returned ?? 0) + 3
  const others = callsOf(history, 'take', 'cancel', 'report', 'remove').some(({ invoked }) => invoked <= end)
  if (!order || others) return null
  const at = order.input.at + (order.returned! - order.invoked) + 1
  const input = { way: 'http', at }
  return followed(history, { kind: 'take', key: order.key, input, ok: { command: null }, ...after(order) })
}

/** Instead of what came with its SUBSCRIBE, nothing comes; and so nobody has anything to say about it. */
const sayNothingToSubscriber: Plant = (history) => {
  const take = handed(history).find((each) => {
    const { id } = each.ok!.command!
    const calls = history.calls.filter(({ key, invoked }) => key === each.key && invoked < each.invoked)
    const order = callsOf({ calls }, 'order').find(({ ok, returned }) => ok?.id === id && returned! < each.invoked)
    const isInTime = Date.parse(order?.ok?.expires_at ?? '') > each.input.at + 6_000
    const attempts = callsOf({ calls }, 'take').filter((call) => isUnknown(call) || call.ok?.command?.id === id)
    const said = callsOf({ calls }, 'report', 'cancel').filter((call) => {
      return call.input.id === id || (call.kind === 'report' && call.input.status === 'in_progress')
    })
    const isRemoved = callsOf(history, 'remove').some(({ input }) => input.id === each.key)
    return each.input.way === 'mqtt' && isInTime && attempts.length < 4 && said.length === 0 && !isRemoved
  })
  if (!take) return null
  const before = history.calls.filter(({ key, invoked }) => key !== take.key || invoked < take.invoked)
  return { ...history, calls: [...before, { ...take, ok: { command: null }, returned: take.invoked + 6_000 }] }
}

const waitForEver: Plant = (history) => {
  const check = callsOf(history, 'check').findLast(({ ok, input }) => {
    return ok !== null && callsOf(history, 'order').some((order) => order.ok?.id === input.id)
  })
  if (!check) return null
  const at = Date.parse(check.ok!.expires_at) + 31_000
  return replaced(history, check, { ...check, input: { ...check.input, at }, ok: { ...check.ok!, state: 'queued' } })
}

const handOn: Plant = (history) => {
  const order = callsOf(history, 'order').find(({ ok }) => ok !== null)
  const next = callsOf(history, 'orders').find(({ ok, key }) => ok !== null && key !== order?.key)
  // One whose outcome nobody knows may be any command.
  if (callsOf(history, 'order').some(({ ok, key, refused }) => key === next?.key && ok === null && !refused))
    return null
  return order && next ? replaced(history, next, { ...next, ok: { ids: [order.ok!.id] } }) : null
}

const handOutEnded: Plant = (history) => {
  const report = finished(history)
  const take = handed(history).find(({ ok }) => ok!.command!.id === report?.input.id)
  return report && take ? followed(history, { ...take, ...after(report) }) : null
}

export const plantedCommandFaults: Record<string, { plant: Plant; rule: RegExp }> = {
  'a command handed out after it expired': { plant: handOutLate('http'), rule: /^never handed out after it expires/ },
  'a command handed to the fleet after it expired': {
    plant: handOutLate('fleet'),
    rule: /^never handed out after it expires/,
  },
  'a command that jumps the queue': { plant: jumpQueue('http'), rule: /^one at a time and in order/ },
  'a command of the fleet that jumps the queue': { plant: jumpQueue('fleet'), rule: /^one at a time and in order/ },
  'a command handed to two workers of a fleet': { plant: handToTwo, rule: /^handed to one worker of the fleet/ },
  'a confirmation that is forgotten': { plant: forgetConfirmation, rule: /^what the fleet confirms has arrived/ },
  'a poll over the fleet that is told nothing': { plant: sayNothingToFleet, rule: /^the fleet gets what waits/ },
  'a subscription that gets nothing': { plant: sayNothingToSubscriber, rule: /^handed out at least once/ },
  'a poll that is told nothing': { plant: sayNothing, rule: /^handed out at least once/ },
  'a second final report': { plant: overrule, rule: /^the first final report wins/ },
  'a report that is forgotten': { plant: forgetReport, rule: /^no state is lost/ },
  'a command handed out after its end': { plant: handOutEnded, rule: /^what has ended is not handed out/ },
  'a command that waits for ever': { plant: waitForEver, rule: /^every state that waits ends/ },
  'a command that the next owner sees': { plant: handOn, rule: /^a device has its own commands/ },
}
