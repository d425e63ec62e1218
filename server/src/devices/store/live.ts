import { agedBefore, type Sql } from '../../platform/database/sql.ts'

export async function upsertInterests(
  sql: Sql,
  customerIds: readonly string[],
  processId: string,
  until: Date,
): Promise<void> {
  await sql`
    insert into live_interests (customer_id, process_id, until)
    select customer_id, ${processId}, ${until} from unnest(${customerIds.toSorted()}::uuid[]) as customer_id
    on conflict (customer_id, process_id) do update set until = excluded.until`
}

/** Deletes the interests of this process, and expired ones of processes that stopped. */
export async function deleteInterests(
  sql: Sql,
  processId: string,
  customerIds: readonly string[],
  now: Date,
): Promise<void> {
  await sql`
    delete from live_interests
    where until < ${agedBefore(sql, { now, milliseconds: 0 })} or (process_id = ${processId} and customer_id = any(${[...customerIds]}::uuid[]))`
}

export async function listInterests(sql: Sql, now: Date) {
  return await sql<{ customer_id: string; process_id: string; until: Date }[]>`
    select customer_id, process_id, until from live_interests where until > ${now}`
}

interface ChangeRange {
  after: string
  limit: number
  device_id: string | null
}

/** Those of the devices that are the customer's and not removed. */
export async function listOwned(sql: Sql, customerId: string, deviceIds: readonly string[]) {
  return await sql<{ id: string; status_at: Date }[]>`
    select id, status_at from devices
    where id = any(${[...deviceIds]}::uuid[]) and customer_id = ${customerId} and removed_at is null`
}

/** The customer's devices, by id. */
export async function listOwnedAfter(sql: Sql, customerId: string, range: ChangeRange) {
  const { after, limit, device_id } = range
  return await sql<{ id: string; status_at: Date }[]>`
    select id, status_at from devices
    where customer_id = ${customerId} and removed_at is null and id > ${after}
      and (${device_id}::uuid is null or id = ${device_id})
    order by id limit ${limit}`
}

export async function listRemovedSince(sql: Sql, customerId: string, since: Date, range: ChangeRange) {
  const { after, limit, device_id } = range
  return await sql<{ id: string }[]>`
    select id from devices
    where customer_id = ${customerId} and removed_at >= ${since} and id > ${after}
      and (${device_id}::uuid is null or id = ${device_id})
    order by id limit ${limit}`
}
