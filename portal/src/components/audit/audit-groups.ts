import type { AuditEvent } from '../../api/organization.ts'
import { wordings } from './audit-sentences.ts'

/** Fewer are as easily read one by one. */
const leastGrouped = 3
/** Between two events of one act: a list of devices is sent in parts. */
const longestPauseMilliseconds = 60_000

/** Lines of the log: neighbours of one type, by one actor and in one go are one line, as are devices that do the same. */
export function groupEvents(events: readonly AuditEvent[]): AuditEvent[][] {
  const groups: AuditEvent[][] = []
  for (const event of events) {
    const last = groups.at(-1)
    if (last && continues(last.at(-1)!, event)) last.push(event)
    else groups.push([event])
  }
  return groups.flatMap((group) => (group.length < leastGrouped ? group.map((event) => [event]) : [group]))
}

function continues(one: AuditEvent, other: AuditEvent): boolean {
  const pause = Math.abs(Date.parse(one.at) - Date.parse(other.at))
  return (
    one.type === other.type &&
    wordings[one.type]?.many !== undefined &&
    actorOf(one) === actorOf(other) &&
    pause <= longestPauseMilliseconds
  )
}

/** Devices act each for itself, and a partner reads of customers without their ids. */
function actorOf({ actor, customer_id }: AuditEvent): string {
  return actor.kind === 'device' ? 'device' : `${actor.kind} ${actor.id} ${customer_id}`
}
