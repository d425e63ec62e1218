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
  /** Positions of messages whose device has a command to carry out; null when none has. */
  with_command: number[] | null
  /** Position and version of the desired settings of each device that has some; null when none has. */
  config_versions: [position: number, version: number][] | null
  /** In order of position; null when no device changed status. */
  changes: NumberedStatus[] | null
}

/** What waits for the devices, from the rows that were written anyway; nearly always two nulls. */
export function waitingForDevices(sql: Sql): Fragment {
  return sql`
    array_agg(position::int) filter (where has_command) as with_command,
    array_agg(array[position::int, config_version]) filter (where config_version is not null) as config_versions`
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
