import type { Fragment, Sql } from '../../platform/database/sql.ts'
import { alarmsAfterOne, alarmsAfterSeveral } from './alarms.ts'
import { haveRoomExactly, haveRoomTogether } from './data-point-room.ts'
import { restAfterOne, restAfterSeveral, restExactly } from './fold.ts'
import { type Ingested, verdicts, waitingForDevices } from './ingest-result.ts'
import { runInLane } from './lanes.ts'
import { columns, type MessageColumns, rows, type TogetherColumns } from './message-columns.ts'
import { isNewest, isNewestOfSeveral, sequenceAfter } from './message-order.ts'
import { numberedStatuses, statusChanges } from './message-statuses.ts'

/**
 * Any mixture of messages, with the result of storing one after the other. The history decides what is a repeat, so it
 * goes first, and the states are locked before it: otherwise two processes could give two messages of a device the same
 * sequence. A repeat must not change the state: it arrives later than the first one did, and could bring an old value back.
 */
export async function storeTogether(sql: Sql, messages: MessageColumns, together: TogetherColumns): Promise<Ingested> {
  const { ordinals, other_data_points, message_ids, exact } = together
  const isNew = message_ids ? sql`(number, sequence) in (select device_number, sequence from stored)` : sql`true`
  const more = sql`, ${ordinals}::int[], ${other_data_points}::int[], ${message_ids}::text[]`
  const onlyMessage = { newest: sql`device.at is not null`, telemetries: sql`device.telemetries`, at: sql`device.at` }
  const mayLackRoom = sql`message.ordinal = 1
    and not (message.other_data_points = 0 and (state.latest_keys is null or state.latest_keys = message.keys))`
  const rest = together.several ? restAfterSeveral(sql) : restAfterOne(sql)
  const statement = sql<[Ingested]>`
    with locked as materialized (
      select message.*, state.number, state.customer_id, state.status as status_before, state.status_at,
        state.status_number, state.latest_status, state.has_command, state.config_version,
        state.latest_at, state.latest_arrived_at, state.latest_keys, state.alarming is not null as is_watched,
        ${sequenceAfter(sql, sql`message.ordinal`)} as sequence,
        case when ${mayLackRoom} then state.latest end as latest, case when ${mayLackRoom} then state.rest end as rest
      from (
        select ${columns(sql)}, ordinal, other_data_points, message_id
        from ${rows(sql, messages, more, sql`, ordinal, other_data_points, message_id`)} offset 0
      ) message
      join device_states state on state.bucket = message.bucket and state.device_id = message.device_id
        and state.key_digest = message.key_digest and state.removed_at is null
      for no key update of state
    ), without_room as materialized (
      select number from locked device where rest is not null and not ${exact ? haveRoomExactly(sql) : haveRoomTogether(sql)}
    ), stored as (
      insert into history (device_number, sequence, timestamp, received_at, bucket, message_id, status, telemetries)
      select number, sequence, timestamp, arrived_at, bucket, message_id, status, telemetries from locked
      where number not in (select number from without_room) ${messages.late ? isNoRepeat(sql) : sql``}
      order by position
      on conflict do nothing
      returning device_number, sequence
    ), message as materialized (
      -- With the messages that were the newest when they came, in the order of arrival.
      select *, is_new and ${together.several ? isNewestOfSeveral(sql) : isNewest(sql)} as is_newest
      from (
        select bucket, device_id, number, position, ordinal, customer_id, at, arrived_at, status, keys, telemetries,
          status_before, status_at, status_number, latest_status, latest_at, latest_arrived_at, latest_keys, is_watched,
          has_command, config_version, ${isNew} as is_new
        from locked where number not in (select number from without_room)
        offset 0
      ) message
    ), change as materialized (
      -- The status can change with the first message, whatever it is, and with every one that is the newest.
      select bucket, device_id, device_number, status, previous, position,
        greatest(status_at, max(arrived_at) over so_far) as at,
        status_number + (row_number() over so_far)::int as number
      from (
        select *, coalesce(lag(status) over (partition by device_id order by position), status_before) as previous
        from (
          select bucket, device_id, number as device_number, position, arrived_at, status_before, status_at,
            status_number, case when is_newest then status else latest_status end as status
          from message where ordinal = 1 or is_newest
        ) message
      ) message
      where status <> previous
      window so_far as (partition by device_id order by position)
    ), merged as (
      update device_states state set
        sequence = ${sequenceAfter(sql, sql`coalesce(device.last_ordinal, 0)`)},
        authenticated_at = coalesce(state.authenticated_at, device.first_arrived_at),
        seen_at = greatest(state.seen_at, device.last_arrived_at),
        status_before = state.status,
        -- Checked against the row as it was before another process changed it, which may have no latest status yet.
        status = coalesce(device.status, state.latest_status, state.status),
        status_at = coalesce(changed.at, state.status_at),
        status_number = coalesce(changed.number, state.status_number),
        latest_at = coalesce(device.at, state.latest_at),
        latest_arrived_at = coalesce(device.arrived_at, state.latest_arrived_at),
        latest_status = coalesce(device.status, state.latest_status),
        latest_keys = coalesce(device.keys, state.latest_keys),
        latest = coalesce(device.telemetries, state.latest),
        rest = ${exact ? restExactly(sql, rest) : rest},
        alarms = ${together.several ? alarmsAfterSeveral(sql) : alarmsAfterOne(sql, onlyMessage)}
      from (${together.several ? devicesOfSeveral(sql, exact) : devicesOfOne(sql, exact)} offset 0) device
      left join (select device_id, max(at) as at, max(number) as number from change group by device_id) changed
        on changed.device_id = device.device_id
      where state.bucket = device.bucket and state.device_id = device.device_id
    ), ${statusChanges(sql, messages)}
    select
      ${verdicts(sql, messages)},
      (
        select array_agg(position::int) from locked where number in (select number from without_room)
      ) as without_room,
      array_agg(distinct customer_id) filter (where customer_id is not null) as customers,
      ${waitingForDevices(sql)},
      ${numberedStatuses(sql)} as changes
    from message`
  const [ingested] = await runInLane(sql, messages.first_bucket, statement, messages)
  return ingested
}

/** Of a message before it, in the history or among these: what the unique index finds where there is one. */
function isNoRepeat(sql: Sql): Fragment {
  const isSame = sql`earlier.timestamp = locked.timestamp and earlier.message_id = locked.message_id
    and (locked.message_id <> '' or (earlier.status = locked.status and earlier.telemetries::text = locked.telemetries::text))`
  return sql`
    and not exists (
      select from history earlier
      where earlier.bucket = locked.bucket and earlier.device_number = locked.number and ${isSame}
    )
    and not exists (
      select from locked earlier
      where earlier.number = locked.number and earlier.position < locked.position and ${isSame}
    )`
}

/** What a device's only message changes. */
function devicesOfOne(sql: Sql, exact: boolean): Fragment {
  const allOfOne = sql`, is_new and telemetries -> '' is not null as replaces,
    case when is_new then array[keys] end as all_keys, case when is_new then array[telemetries] end as all_telemetries,
    case when is_new then array[at] end as all_at, case when is_new then array[arrived_at] end as all_arrived_at`
  return sql`
    select bucket, device_id, case when is_new then 1 end as last_ordinal,
      arrived_at as first_arrived_at, arrived_at as last_arrived_at,
      case when is_newest then at end as at, case when is_newest then arrived_at end as arrived_at,
      case when is_newest then status end as status, case when is_newest then keys end as keys,
      case when is_newest then telemetries end as telemetries,
      case when is_other then array[keys] end as others_keys, case when is_other then array[telemetries] end as others,
      case when is_other then array[at] end as others_at, case when is_other then array[arrived_at] end as others_arrived_at
      ${exact ? allOfOne : sql``}
    from (select *, is_new and not is_newest and keys <> latest_keys as is_other from message) message`
}

/** What a device's messages change: the latest one, and all that have other keys than that one. */
function devicesOfSeveral(sql: Sql, exact: boolean): Fragment {
  const allOfSeveral = sql`, bool_or(is_new and telemetries -> '' is not null) as replaces,
    array_agg(keys order by position) filter (where is_new) as all_keys,
    array_agg(telemetries order by position) filter (where is_new) as all_telemetries,
    array_agg(at order by position) filter (where is_new) as all_at,
    array_agg(arrived_at order by position) filter (where is_new) as all_arrived_at`
  return sql`
    select bucket, device_id, max(ordinal) filter (where is_new) as last_ordinal,
      max(arrived_at) filter (where ordinal = 1) as first_arrived_at, max(arrived_at) as last_arrived_at,
      max(at) filter (where is_latest) as at, max(arrived_at) filter (where is_latest) as arrived_at,
      max(status) filter (where is_latest) as status, max(keys) filter (where is_latest) as keys,
      (array_agg(telemetries order by position) filter (where is_latest))[1] as telemetries,
      array_agg(keys order by position) filter (where is_other) as others_keys,
      array_agg(telemetries order by position) filter (where is_other) as others,
      array_agg(at order by position) filter (where is_other) as others_at,
      array_agg(arrived_at order by position) filter (where is_other) as others_arrived_at,
      array_agg(telemetries order by position) filter (where is_newest and is_watched) as watched,
      array_agg(at order by position) filter (where is_newest and is_watched) as watched_at
      ${exact ? allOfSeveral : sql``}
    from (
      select *, is_newest and position = newest[1] as is_latest,
        is_new and keys <> coalesce(newest[2], latest_keys) as is_other
      from (
        select *, max(array[position, keys]) filter (where is_newest) over (
          partition by device_id order by position rows between unbounded preceding and unbounded following
        ) as newest
        from message
      ) message
    ) message
    group by bucket, device_id`
}
