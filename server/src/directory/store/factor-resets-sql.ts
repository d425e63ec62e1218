import type { Sql } from '../../platform/database/sql.ts'

export interface FactorReset {
  user_id: string
  /** Null: the operator asked for it. */
  customer_id: string | null
  asked_by: string | null
  asked_at: Date
  takes_effect_at: Date
}

/** False when one is pending already. */
export async function insertFactorReset(sql: Sql, reset: FactorReset): Promise<boolean> {
  const rows = await sql`
    insert into factor_resets ${sql(reset, 'user_id', 'customer_id', 'asked_by', 'asked_at', 'takes_effect_at')}
    on conflict do nothing returning user_id`
  return rows.length > 0
}

/** The pending one of a person; of a customer, only one that its administrators asked for. */
export async function findFactorReset(
  sql: Sql,
  userId: string,
  customerId: string | null,
): Promise<FactorReset | undefined> {
  const [row] = await sql<FactorReset[]>`
    select user_id, customer_id, asked_by, asked_at, takes_effect_at from factor_resets
    where user_id = ${userId} and (${customerId}::uuid is null or customer_id = ${customerId})`
  return row
}

/** Whoever deletes the row has it: a reset is applied or cancelled once. */
export async function takeFactorReset(
  sql: Sql,
  userId: string,
  { customerId = null, dueAt = null }: { customerId?: string | null; dueAt?: Date | null } = {},
): Promise<FactorReset | undefined> {
  const [row] = await sql<FactorReset[]>`
    delete from factor_resets
    where user_id = ${userId} and (${customerId}::uuid is null or customer_id = ${customerId})
      and (${dueAt}::timestamptz is null or takes_effect_at <= ${dueAt})
    returning user_id, customer_id, asked_by, asked_at, takes_effect_at`
  return row
}

export async function listDueResets(sql: Sql, at: Date, max: number): Promise<string[]> {
  const rows = await sql<{ user_id: string }[]>`
    select user_id from factor_resets where takes_effect_at <= ${at} order by takes_effect_at limit ${max}`
  return rows.map(({ user_id }) => user_id)
}

export async function findNextReset(sql: Sql): Promise<Date | null> {
  const [row] = await sql<{ at: Date | null }[]>`select min(takes_effect_at) as at from factor_resets`
  return row!.at
}

export interface Administrator {
  id: string
  email: string
}

export async function listAdministrators(sql: Sql, customerId: string, max: number): Promise<Administrator[]> {
  return await sql<Administrator[]>`
    select u.id, u.email from memberships m join users u on u.id = m.user_id
    where m.customer_id = ${customerId} and m.role = 'administrator' and m.active order by u.id limit ${max}`
}
