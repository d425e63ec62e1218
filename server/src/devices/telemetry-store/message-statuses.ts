import type { Fragment, Sql } from '../../platform/database/sql.ts'
import type { MessageColumns } from './message-columns.ts'

/** A status that a device changed to, and how often it had changed by then. */
export interface NumberedStatus {
  device_id: string
  status: string
  number: number
  /** Milliseconds. */
  at: number
}

/** For the few devices whose status changes: the events, and the offline deadline. */
export function statusChanges(sql: Sql, { traceparents }: MessageColumns): Fragment {
  const column = traceparents === null ? sql`` : sql`, traceparent`
  const value = traceparents === null ? sql`` : sql`, (${traceparents}::text[])[position]`
  return sql`
    recorded as (
      insert into status_changes (bucket, device_id, number, device_number, status, previous, at ${column})
      select bucket, device_id, number, device_number, status, previous, at ${value} from change order by position
    ), armed as (
      insert into offline_deadlines (bucket, device_id, due_at)
      select bucket, device_id, at from change where status <> 'offline' order by position
      on conflict (bucket, device_id) do nothing
    )`
}

/** Small: few messages change a status. */
export function numberedStatuses(sql: Sql): Fragment {
  return sql`(
    select json_agg(json_build_object(
      'device_id', device_id, 'status', status, 'number', number,
      'at', floor(extract(epoch from at) * 1000)::bigint
    ) order by position)
    from change
  )`
}
