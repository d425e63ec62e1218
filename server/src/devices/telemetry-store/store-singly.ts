import type { Sql } from '../../platform/database/sql.ts'
import { alarmsAfterOne } from './alarms.ts'
import { hasRoom } from './data-point-room.ts'
import { foldOne } from './fold.ts'
import { type Ingested, verdicts, waitingForDevices } from './ingest-result.ts'
import { runInLane } from './lanes.ts'
import { columns, type MessageColumns, rows } from './message-columns.ts'
import { isNewest, sequenceAfter } from './message-order.ts'
import { numberedStatuses, statusChanges } from './message-statuses.ts'

/**
 * No message comes after another of its device, and none is a repeat: the update that merges also authenticates. One with
 * a timestamp is stored only if that is later than every message before, whose repeat it then cannot be; but for one that
 * was ahead of its arrival, which the unique index finds: the statement then fails. One that replaces the whole state is
 * stored only if it is the newest.
 */
export async function storeSingly(sql: Sql, messages: MessageColumns): Promise<Ingested> {
  const { timestamped, replacing } = messages
  const more = sql`${timestamped ? sql`, ${timestamped}::boolean[]` : sql``} ${replacing ? sql`, ${replacing}::boolean[]` : sql``}`
  const name = sql`${timestamped ? sql`, timestamped` : sql``} ${replacing ? sql`, replacing` : sql``}`
  const isNoRepeat = timestamped ? sql`and (not message.timestamped or message.timestamp > state.latest_at)` : sql``
  const newest = isNewest(sql, sql`state.`)
  const isNewestOfAll = replacing ? sql`and (not message.replacing or ${newest})` : sql``
  const status = sql`case when ${newest} then message.status else state.latest_status end`
  const statement = sql<[Ingested]>`
    with merged as (
      update device_states state set
        sequence = ${sequenceAfter(sql, sql`1`)},
        authenticated_at = coalesce(state.authenticated_at, message.arrived_at),
        seen_at = greatest(state.seen_at, message.arrived_at),
        status_before = state.status,
        status = ${status},
        status_at = case
          when ${status} <> state.status then greatest(state.status_at, message.arrived_at) else state.status_at
        end,
        status_number = state.status_number + (${status} <> state.status)::int,
        latest_at = case when ${newest} then message.at else state.latest_at end,
        latest_arrived_at = case when ${newest} then message.arrived_at else state.latest_arrived_at end,
        latest_status = case when ${newest} then message.status else state.latest_status end,
        latest_keys = case when ${newest} then message.keys else state.latest_keys end,
        latest = case when ${newest} then message.telemetries else state.latest end,
        rest = case
          when state.latest_keys is null or state.latest_keys = message.keys then state.rest
          ${replacing ? sql`when message.replacing then '{}'` : sql``}
          else ${foldOne(sql, {
            telemetries: sql`case when ${newest} then state.latest else message.telemetries end`,
            at: sql`case when ${newest} then state.latest_at else message.at end`,
            arrivedAt: sql`case when ${newest} then state.latest_arrived_at else message.arrived_at end`,
          })}
        end,
        alarms = ${alarmsAfterOne(sql, { newest, telemetries: sql`message.telemetries`, at: sql`message.at` })}
      from (select ${columns(sql)} ${name} from ${rows(sql, messages, more, name)} offset 0) message
      where state.bucket = message.bucket and state.device_id = message.device_id
        and state.key_digest = message.key_digest and state.removed_at is null and ${hasRoom(sql, messages)} ${isNoRepeat} ${isNewestOfAll}
      returning state.bucket, state.device_id, state.number, state.sequence, state.customer_id, state.status,
        state.status_before, state.status_at, state.status_number, state.has_command, state.config_version, message.position, message.timestamp, message.arrived_at,
        message.status as reported_status, message.telemetries ${timestamped ? sql`, message.timestamped` : sql``}
    ), stored as (
      insert into history (device_number, sequence, timestamp, received_at, bucket, status, telemetries ${
        timestamped ? sql`, message_id` : sql``
      })
      select number, sequence, timestamp, arrived_at, bucket, reported_status, telemetries ${
        timestamped ? sql`, case when timestamped then '' end` : sql``
      }
      from merged
    ), change as (
      select bucket, device_id, number as device_number, status, status_before as previous, status_at as at,
        status_number as number, position
      from merged where status <> status_before
    ), ${statusChanges(sql, messages)}
    select
      ${verdicts(sql, messages)},
      array_agg(distinct customer_id) filter (where customer_id is not null) as customers,
      ${waitingForDevices(sql)},
      ${numberedStatuses(sql)} as changes
    from merged`
  const [ingested] = await runInLane(sql, messages.first_bucket, statement, messages)
  return ingested
}
