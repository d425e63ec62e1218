import type { Sql } from '../../../platform/database/sql.ts'

/**
 * Why a person may not remove the last second factor: a sentence, or null. Asked in the transaction that removes it, with
 * the account locked.
 */
export async function lastFactorProblem(_sql: Sql, _userId: string): Promise<string | null> {
  return null
}
