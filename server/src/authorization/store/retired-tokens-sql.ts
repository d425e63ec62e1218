import { type Age, agedBefore, type Sql } from '../../platform/database/sql.ts'

export const retiredTokensTable = 'retired_refresh_tokens'

export async function createRetiredMonth(sql: Sql, name: string, from: Date, to: Date): Promise<void> {
  await sql`
    select create_partition('retired_refresh_tokens', 'rotated_at', ${name}, ${from.toISOString()}, ${to.toISOString()})`
}

export async function dropRetiredMonth(sql: Sql, name: string): Promise<void> {
  await sql`drop table ${sql(name)}`
}

/** Rotations of a month that never got its partition. */
export async function deleteRetiredStrays(sql: Sql, age: Age, max: number): Promise<void> {
  await sql`
    delete from retired_refresh_tokens_default where ctid = any(array(
      select ctid from retired_refresh_tokens_default where rotated_at < ${agedBefore(sql, age)} limit ${max}))`
}
