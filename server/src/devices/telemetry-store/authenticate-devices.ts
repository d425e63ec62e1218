import type { Sql } from '../../platform/database/sql.ts'
import { bucketOf } from '../bucket.ts'
import { runInLane } from './lanes.ts'

export interface Credential {
  device_id: string
  /** SHA-256, in hexadecimal. */
  key_digest: string
}

export interface KnownDevice {
  position: number
  removed: boolean
  has_command: boolean
  config_version: number | null
}

/**
 * Of credentials of one lane those that are right, by position from 1, with whether their device was removed and what waits
 * for it. Records the first use of a key, in the order in which messages lock their devices.
 */
export async function authenticateDevices(sql: Sql, credentials: Credential[], at: Date) {
  const statement = sql<KnownDevice[]>`
    with known as (
      select credential.position, state.bucket, state.device_id, state.key_digest, state.removed_at, state.authenticated_at,
        state.has_command, state.config_version
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
    select position::int, removed_at is not null as removed, has_command, config_version from known`
  return await runInLane(sql, bucketOf(credentials[0]!.device_id), statement)
}
