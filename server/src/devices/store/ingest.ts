import type { Fragment, Sql } from '../../platform/database/sql.ts'

export interface Credential {
  device_id: string
  /** SHA-256, in hexadecimal. */
  key_digest: string
}

/** One parameter per column and one position per message, in order of device id, at most one message per device. */
export interface MessageColumns {
  /** Array literals, written by hand: none of their elements can need escaping. */
  device_ids: string
  key_digests: string
  arrived_at: string
  timestamps: string
  statuses: string
  keys: string
  /** Texts with U+001E between them, which JSON text cannot contain: an array literal would escape every quote. */
  telemetries: string
  /** null when no message has one. */
  message_ids: (string | null)[] | null
  /** An array literal of the spans of their commits; null when no message is traced. */
  traceparents: string | null
}

export interface Ingested {
  /** Positions, from 1, of the messages that were committed, now or as the one they repeat; null for all of them. */
  committed: number[] | null
  /** Of the others, those whose device was removed; the rest had a wrong key, or see `listWithoutRoom`. */
  removed: number[] | null
  /** Whose devices they are, for live streams. */
  customers: string[] | null
  /** Whether any device changed status. */
  status_changed: boolean
}

/** One statement authenticates, appends the history, merges the state, and returns what became of each message. */
export async function ingestMessages(sql: Sql, messages: MessageColumns): Promise<Ingested> {
  const [row] = messages.message_ids
    ? await withRepeats(sql, messages, messages.message_ids)
    : await withoutRepeats(sql, messages)
  return row
}

/** No message has an id, so that none can be a repeat: the update that merges also authenticates. */
function withoutRepeats(sql: Sql, messages: MessageColumns) {
  return sql<[Ingested]>`
    with merged as (
      update device_states state set sequence = ${nextSequence(sql)}, ${merge(sql, newest(sql))}
      from (select ${columns(sql)} from ${rows(sql, messages, null)} offset 0) message
      where state.device_id = message.device_id
        and state.key_digest = message.key_digest and state.removed_at is null and ${hasRoom(sql)}
      returning state.device_id, state.number, state.sequence, state.customer_id, state.status, state.status_before,
        message.position, message.timestamp, message.arrived_at, message.status as reported_status, message.telemetries
    ), stored as (
      insert into history (device_number, sequence, timestamp, received_at, status, telemetries)
      select number, sequence, timestamp, arrived_at, reported_status, telemetries from merged
    ), ${statusChanges(sql, messages)}
    select
      ${verdicts(sql, messages)},
      array_agg(distinct customer_id) filter (where customer_id is not null) as customers,
      coalesce(bool_or(status <> status_before), false) as status_changed
    from merged`
}

/**
 * A repeat must not change the state: it arrives later than the first one did, and could bring an old value back. The
 * history decides what is a repeat, so here it goes first, and the state is locked before it: otherwise two processes
 * could give two messages of a device the same sequence.
 */
function withRepeats(sql: Sql, messages: MessageColumns, messageIds: (string | null)[]) {
  return sql<[Ingested]>`
    with message as materialized (
      select message.*, state.number, state.customer_id, ${nextSequence(sql)} as sequence
      from (select ${columns(sql)} from ${rows(sql, messages, messageIds)} offset 0) message
      join device_states state on state.device_id = message.device_id
        and state.key_digest = message.key_digest and state.removed_at is null and ${hasRoom(sql)}
      for no key update of state
    ), stored as (
      insert into history (device_number, sequence, timestamp, received_at, message_id, status, telemetries)
      select number, sequence, timestamp, arrived_at, message_id, status, telemetries from message
      on conflict do nothing
      returning device_number
    ), merged as (
      update device_states state set
        sequence = case when message.is_new then message.sequence else state.sequence end,
        ${merge(sql, sql`message.is_new and ${newest(sql)}`, sql`not message.is_new`)}
      from (select *, number in (select device_number from stored) as is_new from message offset 0) message
      where state.device_id = message.device_id
        and state.key_digest = message.key_digest and state.removed_at is null
      returning state.device_id, state.status, state.status_before, message.arrived_at
    ), ${statusChanges(sql, messages)}
    select
      ${verdicts(sql, messages)},
      array_agg(distinct customer_id) filter (where customer_id is not null) as customers,
      exists (select from merged where status <> status_before) as status_changed
    from message`
}

/** Data points per device (decision 7.7). With half as many in `rest` there is room for any two messages of 500. */
export const maxDataPoints = 2_000

/** Whether the state has room for the message's keys; the keys of the newest message need no count. */
function hasRoom(sql: Sql): Fragment {
  return sql`(
    state.latest_keys is null or state.latest_keys = message.keys
    or (select count(*) from jsonb_object_keys(state.rest)) <= ${maxDataPoints - 2 * 500}::int
    or (
      select count(*) from (
        select jsonb_object_keys(state.rest) union select json_object_keys(state.latest)
        union select json_object_keys(message.telemetries)
      ) key
    ) <= ${maxDataPoints}::int
  )`
}

/** Positions are returned only when some message was not committed. */
function verdicts(sql: Sql, { device_ids, key_digests }: MessageColumns): Fragment {
  const notAll = sql`count(*) < cardinality(${device_ids}::uuid[])`
  return sql`
    case when ${notAll} then coalesce(array_agg(position::int), '{}') end as committed,
    case when ${notAll} then (
      select array_agg(row.position::int)
      from unnest(${device_ids}::uuid[], ${key_digests}::bytea[]) with ordinality as row (device_id, key_digest, position)
      join device_states state on state.device_id = row.device_id
        and state.key_digest = row.key_digest and state.removed_at is not null
    ) end as removed`
}

/**
 * Of messages that were not committed, the positions of those that would give their device too many data points. Not
 * part of the statement that stores messages, which would have to carry every text twice for it.
 */
export async function listWithoutRoom(sql: Sql, messages: MessageColumns): Promise<number[]> {
  const found = await sql<{ position: number }[]>`
    select message.position::int as position
    from (select ${columns(sql)} from ${rows(sql, messages, null)} offset 0) message
    join device_states state on state.device_id = message.device_id
      and state.key_digest = message.key_digest and state.removed_at is null and not ${hasRoom(sql)}`
  return found.map(({ position }) => position)
}

function rows(sql: Sql, messages: MessageColumns, messageIds: (string | null)[] | null): Fragment {
  return sql`unnest(
    ${messages.device_ids}::uuid[], ${messages.key_digests}::bytea[], ${messages.arrived_at}::float8[],
    ${messages.timestamps}::float8[], ${messages.statuses}::text[], ${messages.keys}::bigint[],
    string_to_array(${messages.telemetries}, chr(30)), ${messageIds}::text[]
  ) with ordinality as row (device_id, key_digest, arrived_at, timestamp, status, keys, telemetries, message_id, position)`
}

/** Messages are ordered by `at`: a clock that runs ahead must not keep later messages out of the state. */
function columns(sql: Sql): Fragment {
  return sql`device_id, key_digest, status, keys, telemetries::json as telemetries, message_id, position,
    to_timestamp(arrived_at / 1000) as arrived_at, to_timestamp(timestamp / 1000) as timestamp,
    to_timestamp(least(timestamp, arrived_at) / 1000) as at`
}

/** Wraps instead of overflowing; the order of two messages depends on it only where their timestamps are equal. */
function nextSequence(sql: Sql): Fragment {
  return sql`case when state.sequence < 2147483646 then state.sequence + 1 else 0 end`
}

function newest(sql: Sql): Fragment {
  return sql`(message.at, message.arrived_at) >= (state.latest_at, state.latest_arrived_at)`
}

/**
 * A message that is not older than the newest replaces it. With the same keys that is all; with other keys the former
 * newest, or the late message itself, is folded into the rest. In any case the device has been seen.
 */
function merge(sql: Sql, isNewest: Fragment, isRepeat: Fragment = sql`false`): Fragment {
  return sql`
    authenticated_at = coalesce(state.authenticated_at, message.arrived_at),
    seen_at = greatest(state.seen_at, message.arrived_at),
    status_before = state.status,
    status = case when ${isNewest} then message.status else state.latest_status end,
    latest_at = case when ${isNewest} then message.at else state.latest_at end,
    latest_arrived_at = case when ${isNewest} then message.arrived_at else state.latest_arrived_at end,
    latest_status = case when ${isNewest} then message.status else state.latest_status end,
    latest_keys = case when ${isNewest} then message.keys else state.latest_keys end,
    latest = case when ${isNewest} then message.telemetries else state.latest end,
    rest = case
      when ${isRepeat} or state.latest_keys is null or state.latest_keys = message.keys then state.rest
      when ${isNewest} then fold_state(state.rest, state.latest, state.latest_at, state.latest_arrived_at)
      else fold_state(state.rest, message.telemetries, message.at, message.arrived_at)
    end`
}

/** For the few devices whose status changes: the column of lists, the event, and the offline deadline. */
function statusChanges(sql: Sql, { device_ids, traceparents }: MessageColumns): Fragment {
  const column = traceparents === null ? sql`` : sql`, traceparent`
  const value =
    traceparents === null ? sql`` : sql`, (${traceparents}::text[])[array_position(${device_ids}::uuid[], device_id)]`
  return sql`
    device_row as (
      update devices device set status = merged.status, status_at = merged.arrived_at
      from merged where device.id = merged.device_id and merged.status <> merged.status_before
    ), recorded as (
      insert into status_changes (device_id, status, previous, at ${column})
      select device_id, status, status_before, arrived_at ${value} from merged where status <> status_before
    ), armed as (
      insert into offline_deadlines (device_id, due_at)
      select device_id, arrived_at from merged where status <> status_before and status <> 'offline'
      on conflict (device_id) do nothing
    )`
}

/**
 * The credentials that are right, by position from 1, and whether their device was removed. Records the first use of a
 * key, in the order in which messages lock their devices.
 */
export async function authenticateDevices(sql: Sql, credentials: Credential[], at: Date) {
  return await sql<{ position: number; removed: boolean }[]>`
    with known as (
      select credential.position, state.device_id, state.key_digest, state.removed_at, state.authenticated_at
      from unnest(
        ${credentials.map(({ device_id }) => device_id)}::uuid[],
        ${credentials.map(({ key_digest }) => key_digest)}::text[]
      ) with ordinality as credential (device_id, key_digest, position)
      join device_states state
        on state.device_id = credential.device_id and state.key_digest = decode(credential.key_digest, 'hex')
    ), first_use as (
      update device_states state set authenticated_at = ${at}
      from (select * from known where authenticated_at is null and removed_at is null order by device_id) known
      where state.device_id = known.device_id
        and state.key_digest = known.key_digest and state.authenticated_at is null
    )
    select position::int, removed_at is not null as removed from known`
}
