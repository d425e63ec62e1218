import type { Context } from '../../context.ts'
import { listAuditEvents, type RecordedEvent } from '../../events/audit.ts'
import type { Page, PageRequest } from '../../platform/http/pagination.ts'

export async function listPartnerEvents(
  context: Context,
  partnerId: string,
  type: string | undefined,
  request: PageRequest,
): Promise<Page<RecordedEvent>> {
  const filter = { partner_id: partnerId, ...(type === undefined ? {} : { type }) }
  const page = await listAuditEvents(context.sql, filter, request)
  return { ...page, items: page.items.map(withoutAccountData) }
}

/**
 * What happened at a customer (a claim, a removal) is told as far as it touches the partner: what and when, to which
 * device or application. Who did it, and what they call things, stays with the customer (spec 1.5).
 */
export function withoutAccountData(event: RecordedEvent): RecordedEvent {
  const { customer_id: customerId, ...told } = event
  if (customerId === undefined) return event
  // What a device says of itself is nothing of the customer's.
  if (event.actor.kind === 'device') return told
  return { ...told, actor: { kind: event.actor.kind } as RecordedEvent['actor'], details: {} }
}
