import { concerning, type Sql } from '../../platform/database/sql.ts'
import { bucketOf } from '../bucket.ts'

/** Of these commands, those for devices of the partner, with their devices. */
export async function listCommandsOfPartner(sql: Sql, partnerId: string, ids: readonly string[]) {
  const buckets = ids.map(bucketOf)
  const statement = sql<{ id: string; device_id: string }[]>`
    select command.id, command.device_id
    from unnest(${buckets}::smallint[], ${[...ids]}::uuid[]) as wanted (bucket, id)
    join device_commands command on command.bucket = wanted.bucket and command.id = wanted.id
    where command.partner_id = ${partnerId}`
  return await concerning(sql, [...new Set(buckets)], statement)
}
