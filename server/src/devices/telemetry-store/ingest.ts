import type { Fragment, Sql } from '../../platform/database/sql.ts'
import { bucketOf } from '../bucket.ts'
import { foldOne, restAfterOne, restAfterSeveral } from './fold.ts'
import { runInLane } from './lanes.ts'

export interface Credential {
  device_id: string
  /** SHA-256, in hexadecimal. */
  key_digest: string
}

/** One parameter per column and one position per message, in order of device id; those of a device in order of arrival. */
export interface MessageColumns {
  /** All messages are of its lane. */
  first_bucket: number
  /** Array literals, written by hand: none of their elements can need escaping. */
  buckets: string
  device_ids: string
  key_digests: string
  arrived_at: string
  timestamps: string
  statuses: string
  keys: string
  /** Texts with U+001E between them, which JSON text cannot contain: an array literal would escape every quote. */
  telemetries: string
  /** Whether a message may belong to a day of history that is packed, which no index keeps free of repeats. */
  late: boolean
  /** null when no message has an id and every device has one message. */
  together: TogetherColumns | null
  /** An array literal of the spans of their commits; null when no message is traced. */
  traceparents: string | null
}

/** Array literals, as above. */
export interface TogetherColumns {
  /** Whether any device has more than one message. */
  several: boolean
  /** The place of a message among those of its device and key, from 1. */
  places: string
  /** At the first one of them, how many data points there are at most in those with other keys than its own. */
  other_data_points: string
  /** null when no message has one. */
  message_ids: (string | null)[] | null
}

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

/** A status that a device changed to, and how often it had changed by then. */
export interface NumberedStatus {
  device_id: string
  status: string
  number: number
  /** Milliseconds. */
  at: number
}

/** One statement authenticates, appends the history, merges the state, and returns what became of each message. */
export async function ingestMessages(sql: Sql, messages: MessageColumns): Promise<Ingested> {
  const { together, first_bucket, late } = messages
  const statement = together ? storeTogether(sql, messages, together) : storeSingly(sql, messages)
  const [row] = await runInLane(sql, first_bucket, statement, { late })
  return row
}

/** No message can be a repeat or come after another of its device: the update that merges also authenticates. */
function storeSingly(sql: Sql, messages: MessageColumns) {
  const newest = isNewest(sql, sql`state.`)
  const status = sql`case when ${newest} then message.status else state.latest_status end`
  return sql<[Ingested]>`
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
          else ${foldOne(sql, {
            telemetries: sql`case when ${newest} then state.latest else message.telemetries end`,
            at: sql`case when ${newest} then state.latest_at else message.at end`,
            arrivedAt: sql`case when ${newest} then state.latest_arrived_at else message.arrived_at end`,
          })}
        end
      from (select ${columns(sql)} from ${rows(sql, messages)} offset 0) message
      where state.bucket = message.bucket and state.device_id = message.device_id
        and state.key_digest = message.key_digest and state.removed_at is null and ${hasRoom(sql)}
      returning state.bucket, state.device_id, state.number, state.sequence, state.customer_id, state.status,
        state.status_before, state.status_at, state.status_number, message.position, message.timestamp, message.arrived_at,
        message.status as reported_status, message.telemetries
    ), stored as (
      insert into history (device_number, sequence, timestamp, received_at, bucket, status, telemetries)
      select number, sequence, timestamp, arrived_at, bucket, reported_status, telemetries from merged
    ), change as (
      select bucket, device_id, number as device_number, status, status_before as previous, status_at as at,
        status_number as number, position
      from merged where status <> status_before
    ), ${statusChanges(sql, messages)}
    select
      ${verdicts(sql, messages)},
      array_agg(distinct customer_id) filter (where customer_id is not null) as customers,
      ${numberedStatuses(sql)} as changes
    from merged`
}

/**
 * Any mixture of messages, with the result of storing one after the other. The history decides what is a repeat, so it
 * goes first, and the states are locked before it: otherwise two processes could give two messages of a device the same
 * sequence. A repeat must not change the state: it arrives later than the first one did, and could bring an old value back.
 */
function storeTogether(sql: Sql, messages: MessageColumns, together: TogetherColumns) {
  const { places, other_data_points, message_ids } = together
  const isNew = message_ids ? sql`(number, sequence) in (select device_number, sequence from stored)` : sql`true`
  const more = sql`, ${places}::int[], ${other_data_points}::int[], ${message_ids}::text[]`
  const mayLackRoom = sql`message.place = 1
    and not (message.other_data_points = 0 and (state.latest_keys is null or state.latest_keys = message.keys))`
  return sql<[Ingested]>`
    with locked as materialized (
      select message.*, state.number, state.customer_id, state.status as status_before, state.status_at,
        state.status_number, state.latest_status,
        state.latest_at, state.latest_arrived_at, state.latest_keys,
        ${sequenceAfter(sql, sql`message.place`)} as sequence,
        case when ${mayLackRoom} then state.latest end as latest, case when ${mayLackRoom} then state.rest end as rest
      from (
        select ${columns(sql)}, place, other_data_points, message_id
        from ${rows(sql, messages, more, sql`, place, other_data_points, message_id`)} offset 0
      ) message
      join device_states state on state.bucket = message.bucket and state.device_id = message.device_id
        and state.key_digest = message.key_digest and state.removed_at is null
      for no key update of state
    ), without_room as materialized (
      select number from locked device where rest is not null and not ${haveRoomTogether(sql)}
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
        select bucket, device_id, number, position, place, customer_id, at, arrived_at, status, keys, telemetries,
          status_before, status_at, status_number, latest_status, latest_at, latest_arrived_at, latest_keys, ${isNew} as is_new
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
          from message where place = 1 or is_newest
        ) message
      ) message
      where status <> previous
      window so_far as (partition by device_id order by position)
    ), merged as (
      update device_states state set
        sequence = ${sequenceAfter(sql, sql`coalesce(device.last_place, 0)`)},
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
        rest = ${together.several ? restAfterSeveral(sql) : restAfterOne(sql)}
      from (${together.several ? devicesOfSeveral(sql) : devicesOfOne(sql)} offset 0) device
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
      ${numberedStatuses(sql)} as changes
    from message`
}

/** Of a message before it, in the history or among these: what the unique index finds where there is one. */
function isNoRepeat(sql: Sql): Fragment {
  return sql`
    and not exists (
      select from history earlier
      where earlier.bucket = locked.bucket and earlier.device_number = locked.number
        and earlier.timestamp = locked.timestamp and earlier.message_id = locked.message_id
    )
    and not exists (
      select from locked earlier
      where earlier.number = locked.number and earlier.timestamp = locked.timestamp
        and earlier.message_id = locked.message_id and earlier.position < locked.position
    )`
}

/** Data points per device (decision 7.7). With half as many in `rest` there is room for any two messages of 500. */
export const maxDataPoints = 2_000
const maxOfMessage = 500

/** Whether the state has room for the message's keys; the keys of the newest message need no count. */
function hasRoom(sql: Sql): Fragment {
  return sql`(
    state.latest_keys is null or state.latest_keys = message.keys
    or (select count(*) from jsonb_object_keys(state.rest)) <= ${maxDataPoints - 2 * maxOfMessage}::int
    or (
      select count(*) from (
        select jsonb_object_keys(state.rest) union select json_object_keys(state.latest)
        union select json_object_keys(message.telemetries)
      ) key
    ) <= ${maxDataPoints}::int
  )`
}

/** Whether it has room for the keys of all messages of the device; the first one has the state. */
function haveRoomTogether(sql: Sql): Fragment {
  return sql`case
    when other_data_points + (select count(*) from jsonb_object_keys(rest)) <= ${maxDataPoints - 2 * maxOfMessage}::int
      then true
    else (
      select count(*) from (
        select jsonb_object_keys(device.rest) union select json_object_keys(device.latest)
        union select json_object_keys(telemetries) from (
          select distinct on (keys) telemetries from locked where locked.number = device.number order by keys
        ) message
      ) key
    ) <= ${maxDataPoints}::int
  end`
}

/** Positions are returned only when some message was not committed. */
function verdicts(sql: Sql, { buckets, device_ids, key_digests }: MessageColumns): Fragment {
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

/** With further arrays and their names. */
function rows(sql: Sql, messages: MessageColumns, more: Fragment = sql``, names: Fragment = sql``): Fragment {
  return sql`unnest(
    ${messages.buckets}::smallint[], ${messages.device_ids}::uuid[], ${messages.key_digests}::bytea[], ${messages.arrived_at}::float8[],
    ${messages.timestamps}::float8[], ${messages.statuses}::text[], ${messages.keys}::bigint[],
    string_to_array(${messages.telemetries}, chr(30)) ${more}
  ) with ordinality
    as row (bucket, device_id, key_digest, arrived_at, timestamp, status, keys, telemetries ${names}, position)`
}

/** Messages are ordered by `at`: a clock that runs ahead must not keep later messages out of the state. */
function columns(sql: Sql): Fragment {
  return sql`bucket, device_id, key_digest, status, keys, telemetries::json as telemetries, position,
    to_timestamp(arrived_at / 1000) as arrived_at, to_timestamp(timestamp / 1000) as timestamp,
    to_timestamp(least(timestamp, arrived_at) / 1000) as at`
}

/** Wraps instead of overflowing; the order of two messages depends on it only where their timestamps are equal. */
function sequenceAfter(sql: Sql, count: Fragment): Fragment {
  return sql`((state.sequence::bigint + ${count}) % 2147483647)::int`
}

/** A message that is not older than the newest replaces it. */
function isNewest(sql: Sql, state: Fragment = sql``): Fragment {
  return sql`(message.at, message.arrived_at) >= (${state}latest_at, ${state}latest_arrived_at)`
}

/** Nor older than any message of its device before it. */
function isNewestOfSeveral(sql: Sql): Fragment {
  return sql`array[at, arrived_at] >= greatest(
    array[latest_at, latest_arrived_at],
    max(array[at, arrived_at]) filter (where is_new)
      over (partition by device_id order by position rows between unbounded preceding and 1 preceding)
  )`
}

/** What a device's only message changes. */
function devicesOfOne(sql: Sql): Fragment {
  return sql`
    select bucket, device_id, case when is_new then 1 end as last_place,
      arrived_at as first_arrived_at, arrived_at as last_arrived_at,
      case when is_newest then at end as at, case when is_newest then arrived_at end as arrived_at,
      case when is_newest then status end as status, case when is_newest then keys end as keys,
      case when is_newest then telemetries end as telemetries,
      case when is_other then array[keys] end as others_keys, case when is_other then array[telemetries] end as others,
      case when is_other then array[at] end as others_at, case when is_other then array[arrived_at] end as others_arrived_at
    from (select *, is_new and not is_newest and keys <> latest_keys as is_other from message) message`
}

/** What a device's messages change: the latest one, and all that have other keys than that one. */
function devicesOfSeveral(sql: Sql): Fragment {
  return sql`
    select bucket, device_id, max(place) filter (where is_new) as last_place,
      max(arrived_at) filter (where place = 1) as first_arrived_at, max(arrived_at) as last_arrived_at,
      max(at) filter (where is_latest) as at, max(arrived_at) filter (where is_latest) as arrived_at,
      max(status) filter (where is_latest) as status, max(keys) filter (where is_latest) as keys,
      (array_agg(telemetries order by position) filter (where is_latest))[1] as telemetries,
      array_agg(keys order by position) filter (where is_other) as others_keys,
      array_agg(telemetries order by position) filter (where is_other) as others,
      array_agg(at order by position) filter (where is_other) as others_at,
      array_agg(arrived_at order by position) filter (where is_other) as others_arrived_at
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

/** For the few devices whose status changes: the events, and the offline deadline. */
function statusChanges(sql: Sql, { traceparents }: MessageColumns): Fragment {
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
function numberedStatuses(sql: Sql): Fragment {
  return sql`(
    select json_agg(json_build_object(
      'device_id', device_id, 'status', status, 'number', number,
      'at', floor(extract(epoch from at) * 1000)::bigint
    ) order by position)
    from change
  )`
}

/**
 * Of credentials of one lane those that are right, by position from 1, and whether their device was removed. Records the first use of a
 * key, in the order in which messages lock their devices.
 */
export async function authenticateDevices(sql: Sql, credentials: Credential[], at: Date) {
  const statement = sql<{ position: number; removed: boolean }[]>`
    with known as (
      select credential.position, state.bucket, state.device_id, state.key_digest, state.removed_at, state.authenticated_at
      from unnest(
        ${credentials.map(({ device_id }) => bucketOf(device_id))}::smallint[],
        ${credentials.map(({ device_id }) => device_id)}::uuid[],
        ${credentials.map(({ key_digest }) => key_digest)}::text[]
      ) with ordinality as credential (bucket, device_id, key_digest, position)
      join device_states state
        on state.bucket = credential.bucket and state.device_id = credential.device_id and state.key_digest = decode(credential.key_digest, 'hex')
    ), first_use as (
      update device_states state set authenticated_at = ${at}
      from (select * from known where authenticated_at is null and removed_at is null order by device_id) known
      where state.bucket = known.bucket and state.device_id = known.device_id
        and state.key_digest = known.key_digest and state.authenticated_at is null
    )
    select position::int, removed_at is not null as removed from known`
  return await runInLane(sql, bucketOf(credentials[0]!.device_id), statement)
}
