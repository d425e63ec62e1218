import type { Sql } from '../../platform/database/sql.ts'

/** The addresses of contract 2.5 that differ by cell. */
export interface CellAddresses {
  hub_url: string
  hub_url_static_cert: string
  mqtt_hub_url: string
}

export interface HubCell extends CellAddresses {
  name: string
  state: 'open' | 'draining'
  created_at: Date
  seen_at: Date
}

/** One change of cells or buckets at a time across all processes; readers do not wait. */
export async function lockCells(sql: Sql): Promise<void> {
  await sql`lock table hub_cells in share row exclusive mode`
}

export async function listCells(sql: Sql): Promise<HubCell[]> {
  return await sql<HubCell[]>`
    select name, hub_url, hub_url_static_cert, mqtt_hub_url, state, created_at, seen_at from hub_cells order by name`
}

export async function insertCell(sql: Sql, name: string, addresses: CellAddresses, at: Date): Promise<void> {
  const { hub_url, hub_url_static_cert, mqtt_hub_url } = addresses
  await sql`
    insert into hub_cells (name, hub_url, hub_url_static_cert, mqtt_hub_url, created_at, seen_at)
    values (${name}, ${hub_url}, ${hub_url_static_cert}, ${mqtt_hub_url}, ${at}, ${at})`
}

export async function updateAddresses(sql: Sql, name: string, addresses: CellAddresses, at: Date): Promise<void> {
  const { hub_url, hub_url_static_cert, mqtt_hub_url } = addresses
  await sql`
    update hub_cells set hub_url = ${hub_url}, hub_url_static_cert = ${hub_url_static_cert},
      mqtt_hub_url = ${mqtt_hub_url}, seen_at = ${at}
    where name = ${name}`
}

/** Many processes of a cell call this: only the first in a while writes. */
export async function updateSeen(sql: Sql, name: string, at: Date, unlessSince: Date): Promise<void> {
  await sql`update hub_cells set seen_at = ${at} where name = ${name} and seen_at < ${unlessSince}`
}

export async function updateState(sql: Sql, name: string, state: HubCell['state']): Promise<void> {
  await sql`update hub_cells set state = ${state} where name = ${name}`
}

export async function deleteCell(sql: Sql, name: string): Promise<void> {
  await sql`delete from hub_cells where name = ${name}`
}

export async function listBuckets(sql: Sql) {
  return await sql<{ cell: string; redirect_at: Date | null; buckets: number[] }[]>`
    select cell, redirect_at, array_agg(bucket order by bucket)::int[] as buckets
    from cell_buckets group by cell, redirect_at`
}

export async function insertBuckets(sql: Sql, cell: string, count: number, at: Date): Promise<void> {
  await sql`
    insert into cell_buckets (bucket, cell, redirect_at)
    select bucket, ${cell}, ${at} from generate_series(0, ${count}::int - 1) as bucket
    on conflict do nothing`
}

export async function updateBuckets(
  sql: Sql,
  moves: readonly { bucket: number; to: string; redirect_at: Date | null }[],
): Promise<void> {
  await sql`
    update cell_buckets set cell = move.cell, redirect_at = move.redirect_at
    from unnest(
      ${moves.map(({ bucket }) => bucket)}::int[],
      ${moves.map(({ to }) => to)}::text[],
      ${moves.map(({ redirect_at }) => redirect_at)}::timestamptz[]
    ) as move (bucket, cell, redirect_at)
    where cell_buckets.bucket = move.bucket`
}
