import type { Sql } from '../../platform/database/sql.ts'
import * as store from '../store/synced-spaces.ts'

/** An application lets go of the spaces its cloud kept: they stay, and can be moved again. Answers how many. */
export async function releaseSpaces(sql: Sql, customerId: string, clientId: string): Promise<number> {
  return await store.releaseSpaces(sql, customerId, clientId)
}
