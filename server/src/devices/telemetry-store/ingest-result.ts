import type { Fragment, Sql } from '../../platform/database/sql.ts'
import type { MessageColumns } from './message-columns.ts'
import type { NumberedStatus } from './message-statuses.ts'

export interface Ingested {
  /** Positions, from 1, of the messages that were committed, now or as the one they repeat; null for all of them. */
  committed: number[] | null
  /** Of the others, those whose device was removed. */
  removed: number[] | null
  /**
   * Those that together would give their device too many data points: some of them may have room. Undefined when this
   * was not asked: then messages that were not committed have to be stored `together`.
   */
  without_room?: number[] | null
  /** Whose devices they are, for live streams. */
  customers: string[] | null
  /** In order of position; null when no device changed status. */
  changes: NumberedStatus[] | null
}

/** Positions are returned only when some message was not committed. */
export function verdicts(sql: Sql, { buckets, device_ids, key_digests }: MessageColumns): Fragment {
  const notAll = sql`count(*) < cardinality(${device_ids}::uuid[])`
  return sql`
    case when ${notAll} then coalesce(array_agg(position::int), '{}') end as committed,
    case when ${notAll} then (
      select array_agg(row.position::int)
      from unnest(${buckets}::smallint[], ${device_ids}::uuid[], ${key_digests}::bytea[])
        with ordinality as row (bucket, device_id, key_digest, position)
      join device_states state on state.bucket = row.bucket and state.device_id = row.device_id
        and state.key_digest = row.key_digest and state.removed_at is not null
    ) end as removed`
}
