import type { Context } from '../../context.ts'
import { type AttentionItem, listAlarms, listByStatus } from '../store/attention.ts'
import { readSlowly } from '../telemetry/slow-reads.ts'

export { reasons } from '../store/attention.ts'

/** Decision 7.48. The first devices of each reason, of a customer or of some of its spaces; the device list has the others. */
export async function listAttention(
  context: Context,
  customerId: string,
  { space_ids, limit = 10 }: { space_ids?: string[] | undefined; limit?: number | undefined },
  signal?: AbortSignal,
): Promise<{ items: AttentionItem[]; next: null }> {
  const [alarms, others] = await Promise.all([
    readSlowly(context, { customer_id: customerId }, signal, (sql) =>
      listAlarms(sql, customerId, space_ids, limit, signal),
    ),
    listByStatus(context.sql, customerId, space_ids, limit),
  ])
  return { items: [...alarms, ...others], next: null }
}
