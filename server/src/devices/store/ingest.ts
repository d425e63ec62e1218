import type { Sql } from '../../platform/sql.ts'

/** One column a parameter, one place a message, in order of device id, at most one message a device. */
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
}

/** Places count from 1. Every message that is in neither list was committed, now or as the one it repeats. */
export interface Ingested {
  unknown: number[] | null
  removed: number[] | null
  /** Whose devices spoke, for live streams. */
  customers: string[] | null
  /** Whether any device turned status. */
  turned: boolean
}

/**
 * Authenticates, appends the history, merges the state, and tells what was not taken.
 * A repeat must not touch the state: its arrival is later than the first one's, and could bring an old value back.
 * The history decides what is a repeat, so it goes first; a message without an id needs no such decision.
 */
export async function ingestMessages(sql: Sql, messages: MessageColumns): Promise<Ingested> {
  const [row] = await sql<[Ingested]>`
    with known as materialized (
      select message.place, message.device_id, message.key_digest, state.number, state.customer_id, state.removed_at,
        to_timestamp(message.arrived_at / 1000) as arrived_at, to_timestamp(message.timestamp / 1000) as timestamp,
        to_timestamp(least(message.timestamp, message.arrived_at) / 1000) as at,
        message.message_id, message.status, message.keys, message.telemetries::json as telemetries
      from unnest(
        ${messages.device_ids}::uuid[], ${messages.key_digests}::bytea[], ${messages.arrived_at}::float8[],
        ${messages.timestamps}::float8[], ${messages.statuses}::text[], ${messages.keys}::bigint[],
        string_to_array(${messages.telemetries}, chr(30)), ${messages.message_ids}::text[]
      ) with ordinality as message
        (device_id, key_digest, arrived_at, timestamp, status, keys, telemetries, message_id, place)
      left join device_states state
        on state.device_id = message.device_id and state.key_digest = message.key_digest
    ), stored as (
      insert into history (device_number, timestamp, message_id, received_at, status, telemetries)
      select number, timestamp, message_id, arrived_at, status, telemetries from known
      where number is not null and removed_at is null
      on conflict do nothing
      returning device_number
    ), merged as (
      update device_states state set
        authenticated_at = coalesce(state.authenticated_at, known.arrived_at),
        seen_at = greatest(state.seen_at, known.arrived_at),
        status_before = state.status,
        status = case when (known.at, known.arrived_at) >= (state.latest_at, state.latest_arrived_at)
          then known.status else state.latest_status end,
        latest_at = case when (known.at, known.arrived_at) >= (state.latest_at, state.latest_arrived_at)
          then known.at else state.latest_at end,
        latest_arrived_at = case when (known.at, known.arrived_at) >= (state.latest_at, state.latest_arrived_at)
          then known.arrived_at else state.latest_arrived_at end,
        latest_status = case when (known.at, known.arrived_at) >= (state.latest_at, state.latest_arrived_at)
          then known.status else state.latest_status end,
        latest_keys = case when (known.at, known.arrived_at) >= (state.latest_at, state.latest_arrived_at)
          then known.keys else state.latest_keys end,
        latest = case when (known.at, known.arrived_at) >= (state.latest_at, state.latest_arrived_at)
          then known.telemetries else state.latest end,
        rest = case
          when state.latest_keys is null or state.latest_keys = known.keys then state.rest
          when (known.at, known.arrived_at) >= (state.latest_at, state.latest_arrived_at)
            then fold_state(state.rest, state.latest, state.latest_at, state.latest_arrived_at)
          else fold_state(state.rest, known.telemetries, known.at, known.arrived_at)
        end
      from known
      where state.device_id = known.device_id and known.number is not null
        and state.key_digest = known.key_digest and state.removed_at is null
        and (known.message_id is null or known.number in (select device_number from stored))
      returning state.device_id, state.status, state.status_before, known.arrived_at
    ), turned as (
      update devices device set status = merged.status, status_at = merged.arrived_at
      from merged where device.id = merged.device_id and merged.status <> merged.status_before
    ), noted as (
      insert into status_changes (device_id, status, previous, at)
      select device_id, status, status_before, arrived_at from merged where status <> status_before
    ), armed as (
      insert into offline_deadlines (device_id, due_at)
      select device_id, arrived_at from merged where status <> status_before and status <> 'offline'
      on conflict (device_id) do nothing
    )
    select
      array_agg(place::int) filter (where number is null) as unknown,
      array_agg(place::int) filter (where removed_at is not null) as removed,
      array_agg(distinct customer_id) filter (where customer_id is not null and removed_at is null) as customers,
      exists (select from merged where status <> status_before) as turned
    from known`
  return row
}

/** The devices whose key this is, by place from 1, and whether each was removed. Notes the first use of a key. */
export async function authenticateDevices(
  sql: Sql,
  credentials: { device_id: string; key_digest: string }[],
  at: Date,
): Promise<{ place: number; removed: boolean }[]> {
  return await sql<{ place: number; removed: boolean }[]>`
    with known as (
      select credential.place, state.device_id, state.key_digest, state.removed_at, state.authenticated_at
      from unnest(
        ${credentials.map(({ device_id }) => device_id)}::uuid[],
        ${credentials.map(({ key_digest }) => key_digest)}::text[]
      ) with ordinality as credential (device_id, key_digest, place)
      join device_states state
        on state.device_id = credential.device_id and state.key_digest = decode(credential.key_digest, 'hex')
    ), first_use as (
      update device_states state set authenticated_at = ${at}
      from known
      where state.device_id = known.device_id and known.authenticated_at is null and known.removed_at is null
        and state.key_digest = known.key_digest and state.authenticated_at is null
    )
    select place::int, removed_at is not null as removed from known`
}
