import type { Fragment, Sql } from '../../platform/database/sql.ts'

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
  /** An array literal of which ones have a timestamp but no id; null when none has, and where messages are stored together. */
  timestamped: string | null
  /** An array literal of which ones replace the whole state; null when none does, and where messages are stored together. */
  replacing: string | null
  /** An array literal of the spans of their commits; null when no message is traced. */
  traceparents: string | null
}

/** Array literals, as above. Not needed when every device has one message, which has no id and, if it has a timestamp, is probably the newest. */
export interface TogetherColumns {
  /** Whether any device has more than one message. */
  several: boolean
  /** The ordinal of a message among those of its device and key, from 1. */
  ordinals: string
  /** At the first one of them, how many data points there are at most in those with other keys than its own. */
  other_data_points: string
  /** null when no message has one. */
  message_ids: (string | null)[] | null
  /** Whether removed data points count: where a message replaces the whole state, or where there is no room otherwise. */
  exact: boolean
}

/** With further arrays and their names. */
export function rows(sql: Sql, messages: MessageColumns, more: Fragment = sql``, names: Fragment = sql``): Fragment {
  return sql`unnest(
    ${messages.buckets}::smallint[], ${messages.device_ids}::uuid[], ${messages.key_digests}::bytea[], ${messages.arrived_at}::float8[],
    ${messages.timestamps}::float8[], ${messages.statuses}::text[], ${messages.keys}::bigint[],
    string_to_array(${messages.telemetries}, chr(30)) ${more}
  ) with ordinality
    as row (bucket, device_id, key_digest, arrived_at, timestamp, status, keys, telemetries ${names}, position)`
}

/** Messages are ordered by `at`: a clock that runs ahead must not keep later messages out of the state. */
export function columns(sql: Sql): Fragment {
  return sql`bucket, device_id, key_digest, status, keys, telemetries::json as telemetries, position,
    to_timestamp(arrived_at / 1000) as arrived_at, to_timestamp(timestamp / 1000) as timestamp,
    to_timestamp(least(timestamp, arrived_at) / 1000) as at`
}
