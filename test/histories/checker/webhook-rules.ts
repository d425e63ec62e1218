// Integrate.md section 3: every event at least once, never before its cause; the status changes of a device in the order of
// timestamp and webhook-id.
import { type AnyCall, callsOf, type Delivery, type History, type Violation } from './history.ts'

/** The recorder has waited: whatever is missing will not come. */
export function webhookViolations(history: History): Violation[] {
  const { deliveries } = history
  return [
    ...changed(deliveries),
    ...causeless(history),
    ...missing(history),
    ...untoldRevocations(history),
    ...brokenChains(deliveries),
  ]
}

/** A delivery that comes twice says the same twice. */
function changed(deliveries: Delivery[]): Violation[] {
  const said = ({ type, timestamp, data }: Delivery) => JSON.stringify([type, timestamp, data])
  return [...Map.groupBy(deliveries, ({ id }) => id)].flatMap(([id, same]): Violation[] => {
    if (new Set(same.map(said)).size === 1) return []
    return [{ rule: 'a webhook-id is one event', sentence: id, calls: [], deliveries: same }]
  })
}

type Revoking = 'revoke' | 'withdraw' | 'narrow' | 'disable' | 'refresh'

/** Which calls a reason of `grant.revoked` names. */
const revoking: Record<string, Revoking[]> = {
  approval_withdrawn: ['withdraw'],
  policy_narrowed: ['narrow'],
  application_disabled: ['disable'],
  revoked_by_application: ['revoke'],
  refresh_token_replayed: ['refresh'],
}

/** The calls that may have caused an event; null where it may come without any. */
function causesOf(history: History, { type, data }: Delivery): AnyCall[] | null {
  const of = data.device_id
  switch (type) {
    case 'device.registered':
      return callsOf(history, 'register')
    case 'device.claimed':
      return callsOf(history, 'claim')
    case 'device.removed':
      return callsOf(history, 'remove').filter(({ input }) => input.id === of)
    case 'device.status_changed':
      // A lost connection or silence makes a device offline.
      if (data.status === 'offline') return null
      return [
        ...callsOf(history, 'send').filter(({ key, input }) => key === of && input.message.status === data.status),
        ...callsOf(history, 'contact').filter(({ input }) => input.id === of),
      ]
    case 'grant.connected':
      return callsOf(history, 'authorize', 'exchange')
    case 'grant.revoked':
      return callsOf(history, ...(revoking[data.reason ?? ''] ?? Object.values(revoking).flat()))
    case 'approval.given':
      return callsOf(history, 'authorize')
    case 'approval.withdrawn':
      return callsOf(history, 'withdraw')
    case 'application.disabled':
      return callsOf(history, 'disable')
    default:
      return null
  }
}

function causeless(history: History): Violation[] {
  return history.deliveries.flatMap((delivery): Violation[] => {
    const causes = causesOf(history, delivery)?.filter(({ refused, kind }) => refused === null || kind === 'refresh')
    if (!causes || causes.some(({ invoked }) => invoked <= delivery.at)) return []
    const sentence = `${delivery.type} came before anybody had caused it`
    return [{ rule: 'no webhook before its cause', sentence, calls: causes, deliveries: [delivery] }]
  })
}

function missing(history: History): Violation[] {
  const has = (type: string, about: (delivery: Delivery) => boolean) =>
    history.deliveries.some((delivery) => delivery.type === type && about(delivery))
  const expect = (call: AnyCall, type: string, about: (delivery: Delivery) => boolean): Violation[] =>
    has(type, about) ? [] : [{ rule: 'webhooks at least once', sentence: `${type} never came`, calls: [call] }]
  return history.calls.flatMap((call) => {
    if (call.ok === null) return []
    switch (call.kind) {
      case 'register':
        return expect(call, 'device.registered', ({ data }) => data.device_id === call.ok!.id)
      case 'claim':
        return expect(call, 'device.claimed', ({ data }) => data.device_id === call.ok!.id)
      case 'remove':
        return expect(call, 'device.removed', ({ data }) => data.device_id === call.input.id)
      case 'authorize':
        return expect(call, 'approval.given', () => true)
      case 'exchange':
        return expect(call, 'grant.connected', () => true)
      case 'state':
        // Whatever came after it: a device that is silent is offline after a while.
        if (call.ok.status === 'never_seen') return []
        return expect(call, 'device.status_changed', ({ data }) => {
          return data.device_id === call.key && data.status === call.ok!.status
        })
      case 'withdraw':
        return expectEach(history, call, 'approval.withdrawn')
      case 'disable':
        return expect(call, 'application.disabled', () => true)
      default:
        return []
    }
  })
}

/** As many events as calls that succeeded, each of which did something. */
function expectEach(history: History, call: AnyCall, type: string): Violation[] {
  const done = history.calls.filter(({ kind, ok }) => kind === call.kind && ok !== null)
  const events = new Set(history.deliveries.flatMap((delivery) => (delivery.type === type ? [delivery.id] : [])))
  if (events.size >= done.length || call !== done[0]) return []
  const sentence = `${type} came for ${events.size} of ${done.length}`
  return [{ rule: 'webhooks at least once', sentence, calls: done }]
}

/**
 * Whose token was issued and later refused, that grant was revoked in between, since no history is as long as a token's
 * life. Where one token was refused before the next was asked for, they belong to two grants, each with an event.
 */
function untoldRevocations(history: History): Violation[] {
  const ended = callsOf(history, 'exchange', 'refresh').flatMap((issued) => {
    const refused = callsOf(history, 'use').find(({ input, refused }) => {
      return input.token === issued.ok?.access && refused !== null && refused !== 'too_many'
    })
    const isExpired = refused && refused.returned! - issued.invoked > tokenLifeMilliseconds
    return refused && !isExpired ? [{ issued, refused }] : []
  })
  let until = Number.NEGATIVE_INFINITY
  const grants = ended
    .toSorted((one, other) => one.refused.returned! - other.refused.returned!)
    .filter(({ issued, refused }) => {
      const isAnother = issued.invoked > until
      if (isAnother) until = refused.returned!
      return isAnother
    })
  const events = new Set(history.deliveries.flatMap(({ type, id }) => (type === 'grant.revoked' ? [id] : [])))
  if (events.size >= grants.length) return []
  const sentence = `grant.revoked came for ${events.size} of ${grants.length} grants`
  const calls = grants.flatMap(({ issued, refused }) => [issued, refused])
  return [{ rule: 'webhooks at least once', sentence, calls }]
}

/** An hour, and the slack of the clocks. */
const tokenLifeMilliseconds = 3_595_000

/** Sorted as documented, each change begins with the status that the one before it ended with. */
function brokenChains(deliveries: Delivery[]): Violation[] {
  const changes = deliveries.filter(({ type }) => type === 'device.status_changed')
  return [...Map.groupBy(changes, ({ data }) => data.device_id)].flatMap(([, ofDevice]): Violation[] => {
    const once = [...new Map(ofDevice.map((delivery) => [delivery.id, delivery])).values()]
    const sorted = once.toSorted((one, other) => compare([one.timestamp, one.id], [other.timestamp, other.id]))
    return sorted.flatMap((delivery, index): Violation[] => {
      const before = index === 0 ? 'never_seen' : sorted[index - 1]!.data.status
      if (delivery.data.previous_status === before) return []
      const sentence = `a change from ${delivery.data.previous_status} follows ${before}`
      return [
        { rule: 'status changes in the documented order', sentence, calls: [], deliveries: sorted.slice(0, index + 1) },
      ]
    })
  })
}

function compare([one, first]: [string, string], [other, second]: [string, string]): number {
  return Date.parse(one) - Date.parse(other) || (first < second ? -1 : first > second ? 1 : 0)
}
