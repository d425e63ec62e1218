import type { Context } from '../../context.ts'
import { listAttention as selectAttention } from '../store/attention.ts'

export { reasons } from '../store/attention.ts'

/** The first devices to look at, of a customer or of some of its spaces. One page: what comes later is in the device list. */
export async function listAttention(
  context: Context,
  customerId: string,
  { space_ids, limit = 10 }: { space_ids?: string[] | undefined; limit?: number | undefined },
) {
  return { items: await selectAttention(context.sql, customerId, space_ids, limit), next: null }
}
