import type { Sql } from '../../platform/database/sql.ts'
import type { FactorFacts, SecondFactor } from './factor-facts-sql.ts'

export interface PolicyTimes {
  administrators_since: Date | null
  all_since: Date | null
}

export async function findFactorPolicy(sql: Sql, customerId: string): Promise<PolicyTimes | undefined> {
  const [row] = await sql<PolicyTimes[]>`
    select second_factor_administrators_since as administrators_since, second_factor_all_since as all_since
    from customers where id = ${customerId}`
  return row
}

export async function updateFactorPolicy(sql: Sql, customerId: string, times: PolicyTimes): Promise<void> {
  await sql`
    update customers set second_factor_administrators_since = ${times.administrators_since},
      second_factor_all_since = ${times.all_since}
    where id = ${customerId}`
}

export interface FactorCounts {
  passkey: number
  app: number
  none: number
  /** Of those without one, whom the policy requires to have one. */
  missing: number
}

/** More people than this are not counted. */
export const maxCounted = 10_000

export async function countFactors(sql: Sql, customerId: string): Promise<FactorCounts> {
  const [row] = await sql<FactorCounts[]>`
    select count(*) filter (where factor = 'passkey')::int as passkey,
      count(*) filter (where factor = 'app')::int as app,
      count(*) filter (where factor is null)::int as none,
      count(*) filter (where factor is null and required)::int as missing
    from (
      select second_factor_of(m.user_id) as factor,
        case m.role when 'administrator' then c.second_factor_administrators_since else c.second_factor_all_since end
          is not null as required
      from memberships m join customers c on c.id = m.customer_id
      where m.customer_id = ${customerId} and m.active limit ${maxCounted}) people`
  return row!
}

export interface FactorsOfMember extends FactorFacts {
  user_id: string
  reset: { asked_by: string; asked_by_name: string; asked_at: string; takes_effect_at: string } | null
}

/** Of these people, with the reset of their factors that an administrator of this customer asked for. */
export async function listFactorsOf(
  sql: Sql,
  customerId: string,
  userIds: readonly string[],
): Promise<FactorsOfMember[]> {
  return await sql<FactorsOfMember[]>`
    select m.user_id, m.role, m.created_at as joined_at, m.administrator_since, second_factor_of(m.user_id) as second_factor,
      c.second_factor_administrators_since as administrators_since, c.second_factor_all_since as all_since,
      (select json_build_object('asked_by', asker.id, 'asked_by_name', asker.name,
          'asked_at', reset.asked_at, 'takes_effect_at', reset.takes_effect_at)
       from factor_resets reset join users asker on asker.id = reset.asked_by
       where reset.user_id = m.user_id and reset.customer_id = m.customer_id) as reset
    from memberships m join customers c on c.id = m.customer_id
    where m.customer_id = ${customerId} and m.user_id = any(${userIds}::uuid[])`
}

/** The names of a few are enough for a sentence. */
const maxNamed = 5

/** The customers that require a second factor of this person. */
export async function listRequiringCustomers(sql: Sql, userId: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select c.name from memberships m join customers c on c.id = m.customer_id
    where m.user_id = ${userId} and m.active
      and case m.role when 'administrator' then c.second_factor_administrators_since else c.second_factor_all_since end
        is not null
    order by lower(c.name), c.id limit ${maxNamed}`
  return rows.map(({ name }) => name)
}

export async function findSecondFactor(sql: Sql, userId: string): Promise<SecondFactor | null> {
  const [row] = await sql<{ factor: SecondFactor | null }[]>`select second_factor_of(${userId}) as factor`
  return row!.factor
}
