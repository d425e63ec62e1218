import { cancelWhen, type Sql } from '../../platform/database/sql.ts'

/** Counting stops here: a scrape must cost the same however long a receiver is down. */
export const maxCounted = 10_000

export interface WebhookBacklog {
  /** Counted up to `maxCounted`; above that, what the size of their index suggests. */
  pending: number
  /** How long the oldest delivery that is due has waited; 0 when none is due. */
  oldest_due_seconds: number
}

/**
 * Deliveries whose event type is paused after failures are pending, but not due: their receiver is at fault. `waiting`
 * steps from one endpoint and type to the next in the index, past their other deliveries.
 */
export async function readWebhookBacklog(sql: Sql, now: Date, signal: AbortSignal): Promise<WebhookBacklog> {
  const [row] = await cancelWhen(
    signal,
    sql<[WebhookBacklog]>`
      with recursive waiting as (
        (select partition, endpoint_id, type, next_attempt_at from webhook_deliveries where next_attempt_at is not null
          order by partition, endpoint_id, type, next_attempt_at limit 1)
        union all
        select later.* from waiting cross join lateral (
          select partition, endpoint_id, type, next_attempt_at from webhook_deliveries
          where next_attempt_at is not null
            and (partition, endpoint_id, type) > (waiting.partition, waiting.endpoint_id, waiting.type)
          order by partition, endpoint_id, type, next_attempt_at limit 1
        ) later
      ), counted as (
        select count(*) as count from (
          select from webhook_deliveries where next_attempt_at is not null limit ${maxCounted}) as delivery
      ), estimated as (
        -- Entries per page as of the last vacuum; before the first one, as many as a new index has.
        select case when reltuples > 0 and relpages > 0 then reltuples / relpages else 100 end
          * pg_relation_size(oid) / current_setting('block_size')::int as count
        from pg_class where oid = 'webhook_deliveries_by_due'::regclass
      )
      select (
          select case when counted.count < ${maxCounted} then counted.count
            else greatest(counted.count, round(estimated.count)) end
          from counted, estimated)::float8 as pending,
        greatest(0, extract(epoch from ${now} - min(waiting.next_attempt_at)))::float8 as oldest_due_seconds
      from waiting left join webhook_failing_types failing using (endpoint_id, type)
      where failing.paused_until is null or failing.paused_until <= ${now}`,
  )
  return row
}

export interface UnhealthyEndpoints {
  /** Whose last attempt failed. */
  failing: number
  /** Disabled by the service after a day of failures, or because their receiver said that it is gone. */
  disabled: number
}

export async function countUnhealthyEndpoints(sql: Sql, signal: AbortSignal): Promise<UnhealthyEndpoints> {
  const [row] = await cancelWhen(
    signal,
    sql<[UnhealthyEndpoints]>`
      select count(*) filter (where disabled_because is null)::int as failing,
        count(*) filter (where disabled_because in ('gone', 'failing'))::int as disabled
      from webhook_endpoints where failing_since is not null or disabled_because is not null`,
  )
  return row
}
