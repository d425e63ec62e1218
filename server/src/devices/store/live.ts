import { agedBefore, type Sql } from '../../platform/database/sql.ts'
import type { CustomerOwner } from './devices-sql.ts'

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

export interface OwnedDevice {
  id: string
  status_at: Date
  /** Its space and those above it, where somebody asks. */
  above: string[]
}

/** Those of the devices that are the customer's and not removed. */
export async function listOwned(
  sql: Sql,
  customerId: string,
  deviceIds: readonly string[],
  { placed }: { placed: boolean },
): Promise<OwnedDevice[]> {
  return await sql<OwnedDevice[]>`
    select id, status_at, ${placed ? sql`spaces_above(space_id)` : sql`'{}'::uuid[]`} as above from devices
    where id = any(${[...deviceIds]}::uuid[]) and customer_id = ${customerId} and removed_at is null`
}

/** The customer's devices, or those of these spaces, by id. */
export async function listOwnedAfter(
  sql: Sql,
  customerId: string,
  spaceIds: readonly string[] | null,
  range: ChangeRange,
) {
  const { after, limit, device_id } = range
  const inSpaces = spaceIds ? sql`and space_id = any(${[...spaceIds]}::uuid[]) and space_id is not null` : sql``
  return await sql<{ id: string; status_at: Date }[]>`
    select id, status_at from devices
    where customer_id = ${customerId} and removed_at is null and id > ${after} ${inSpaces}
      and (${device_id}::uuid is null or id = ${device_id})
    order by id limit ${limit}`
}

/** For whoever reaches some spaces only, also those that were moved and are now in none of them. */
export async function listRemovedSince(sql: Sql, owner: CustomerOwner, since: Date, range: ChangeRange) {
  const { after, limit, device_id } = range
  const { customer_id, within } = owner
  const left = within
    ? sql`union all select id from devices
        where customer_id = ${customer_id} and removed_at is null and moved_at >= ${since}
          and not spaces_above(space_id) && ${[...within]}::uuid[]`
    : sql``
  return await sql<{ id: string }[]>`
    select id from (
      select id from devices where customer_id = ${customer_id} and removed_at >= ${since} ${left}) gone
    where id > ${after} and (${device_id}::uuid is null or id = ${device_id})
    order by id limit ${limit}`
}
