import type { Sql } from '../../platform/database/sql.ts'
import { gatedReads } from '../../platform/gated-reads.ts'
import type { Context } from '../context.ts'
import type { Owner } from '../store/devices-sql.ts'

/**
 * Decision 9.4: on separate connections, a few per tenant at once. Postgres ends a statement when its time is up or the
 * caller has disconnected.
 */
export async function readSlowly<T>(
  context: Context,
  owner: Owner,
  signal: AbortSignal | undefined,
  read: (sql: Sql) => Promise<T>,
): Promise<T> {
  return await read(context.reader ? context.sql : gatedReads(context, { tenant: tenantOf(owner), signal }))
}

export function tenantOf(owner: Owner): string {
  return 'customer_id' in owner ? `customer ${owner.customer_id}` : `partner ${owner.partner_id}`
}
