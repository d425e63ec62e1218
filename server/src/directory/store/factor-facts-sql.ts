import type { Fragment, Sql } from '../../platform/database/sql.ts'

export type SecondFactor = 'passkey' | 'app'

/** `missing`: has none, and is required to have one. */
export type FactorFilter = SecondFactor | 'none' | 'missing'

/** Of a membership: what its customer requires, and what the person has. */
export interface FactorFacts {
  administrators_since: Date | null
  all_since: Date | null
  role: 'administrator' | 'member'
  joined_at: Date
  administrator_since: Date | null
  /** Null where the person has none, and where nobody requires one. */
  second_factor: SecondFactor | null
}

/** Beside rows of memberships and customers; nothing is looked up for customers without a policy. */
export function factorColumns(sql: Sql): Fragment {
  return sql`
    customers.second_factor_administrators_since as administrators_since, customers.second_factor_all_since as all_since,
    memberships.created_at as joined_at, memberships.administrator_since,
    case when customers.second_factor_administrators_since is not null
      then second_factor_of(memberships.user_id) end as second_factor`
}
