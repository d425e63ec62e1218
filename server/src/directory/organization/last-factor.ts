import type { Sql } from '../../platform/database/sql.ts'
import { listRequiringCustomers } from '../store/factor-policy-sql.ts'

/**
 * Why a person may not remove the last second factor: a sentence, or null. Asked in the transaction that removes it, with
 * the account locked; also during the days of grace. A policy that is set at the same moment has its own.
 */
export async function lastFactorProblem(sql: Sql, userId: string): Promise<string | null> {
  const names = await listRequiringCustomers(sql, userId)
  if (names.length === 0) return null
  return `${list(names)} ${names.length === 1 ? 'requires' : 'require'} a second factor. Add another one before you remove this.`
}

function list(names: string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
