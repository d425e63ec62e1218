import type { Logger } from 'pino'
import { coalesce } from './database/coalesce.ts'
import { type Age, agedBefore, type Pool, type Sql } from './database/sql.ts'
import type { SharedJob } from './jobs.ts'
import type { QuotaName, RateName } from './own-limits.ts'
import { storedFor } from './own-limits.ts'

/** Whose rates and quotas they are. */
export type Tenant = { customer_id: string } | { partner_id: string }

/** A rate or quota that is nearly or fully used. */
export interface Reached {
  tenant: Tenant
  name: RateName | QuotaName
  used: number
  max: number
  refused: boolean
  /** The application, API key or person, where the rate is that of one caller. */
  caller_id?: string | null
}

export interface ReachedRow {
  tenant_id: string
  tenant_kind: 'customer' | 'partner'
  name: RateName | QuotaName
  used: number
  max: number
  caller_id: string | null
  reached_at: Date
  refused_at: Date | null
  refusals: number
}

export type LimitRecorder = (reached: Reached) => void

/** No caller waits for it, and it is written apart from the transaction that was refused. */
export function createLimitRecorder({ sql, now, log }: { sql: Pool; now: () => Date; log: Logger }): LimitRecorder {
  const record = coalesce<Reached, null>(async (reached) => {
    await upsertReached(sql, reached, now())
    return reached.map(() => null)
  })
  return (reached) => {
    record(reached).catch((error) => log.warn({ err: error }, 'a reached limit was not recorded'))
  }
}

/** In order of key, so that two processes cannot deadlock. */
export async function upsertReached(sql: Sql, reached: Reached[], at: Date): Promise<void> {
  // One statement cannot change a row twice: the last one of each counts, with the refusals of all.
  const byKey = Map.groupBy(reached, ({ tenant, name }) => `${idOf(tenant)} ${name}`)
  const rows = [...byKey.values()].map((same) => ({
    ...same.at(-1)!,
    refusals: same.filter(({ refused }) => refused).length,
  }))
  await sql`
    insert into limits_reached as known
      (tenant_id, tenant_kind, name, used, max, caller_id, reached_at, refused_at, refusals)
    select tenant_id, tenant_kind, name, used, max, caller_id, ${at}, case when refusals > 0 then ${at}::timestamptz end, refusals
    from unnest(
      ${rows.map(({ tenant }) => idOf(tenant))}::uuid[],
      ${rows.map(({ tenant }) => ('customer_id' in tenant ? 'customer' : 'partner'))}::text[],
      ${rows.map(({ name }) => name)}::text[],
      ${rows.map(({ used }) => used)}::int[],
      ${rows.map(({ max }) => max)}::int[],
      ${rows.map(({ caller_id }) => caller_id ?? null)}::uuid[],
      ${rows.map(({ refusals }) => refusals)}::int[]
    ) as r (tenant_id, tenant_kind, name, used, max, caller_id, refusals)
    order by tenant_id, name
    on conflict (tenant_id, name) do update set
      used = excluded.used, max = excluded.max, caller_id = excluded.caller_id, reached_at = excluded.reached_at,
      refused_at = coalesce(excluded.refused_at, known.refused_at),
      refusals = least(known.refusals::bigint + excluded.refusals, 2147483647)::int`
}

function idOf(tenant: Tenant): string {
  return 'customer_id' in tenant ? tenant.customer_id : tenant.partner_id
}

const columns = (sql: Sql) => sql`tenant_id, tenant_kind, name, used, max, caller_id, reached_at, refused_at, refusals`

/** Of one tenant: at most one row per rate and quota. */
export async function listReachedOf(sql: Sql, tenant: Tenant): Promise<ReachedRow[]> {
  return await sql<ReachedRow[]>`
    select ${columns(sql)} from limits_reached where tenant_id = ${idOf(tenant)} order by name`
}

/** The newest first. */
export async function listReached(sql: Sql, limit: number): Promise<ReachedRow[]> {
  return await sql<ReachedRow[]>`
    select ${columns(sql)} from limits_reached order by reached_at desc, tenant_id, name limit ${limit}`
}

const batch = 1_000

export function deleteOldReachedJob({ sql, now }: { sql: Pool; now: () => Date }): SharedJob {
  return {
    name: 'old reached limits',
    everySeconds: 3_600,
    async runShared() {
      const age = { now: now(), milliseconds: storedFor.reachedLimitMilliseconds }
      while ((await deleteOldReached(sql, age)) === batch);
    },
  }
}

async function deleteOldReached(sql: Sql, age: Age): Promise<number> {
  const { count } = await sql`
    delete from limits_reached where ctid = any(array(
      select ctid from limits_reached where reached_at < ${agedBefore(sql, age)}
      order by reached_at limit ${batch} for update skip locked))`
  return count
}
