import type { Sql } from '../../platform/database/sql.ts'
import { belongsTo, type CustomerOwner } from './devices-sql.ts'

/** What a device's label says. The model's id is a UUID, the MAC is in lower case. */
export interface Identity {
  model_id: string
  mac: string
  sn: string
}

export interface Identified {
  id: string
  customer_id: string | null
  /** In none of the spaces that the caller reaches. */
  outside?: boolean
}

/** The device of each identity, in their order; undefined where there is none. */
export async function findIdentified(
  sql: Sql,
  owner: CustomerOwner,
  identities: Identity[],
): Promise<(Identified | undefined)[]> {
  const rows = await sql<(Identified & { line: number })[]>`
    select label.line::int as line, device.id, device.customer_id, (${belongsTo(sql, owner)}) is not true as outside
    from unnest(
      ${identities.map(({ model_id }) => model_id)}::uuid[],
      ${identities.map(({ mac }) => mac)}::text[],
      ${identities.map(({ sn }) => sn)}::text[]
    ) with ordinality as label (model_id, mac, sn, line)
    join devices device on device.model_id = label.model_id and device.mac = label.mac and device.sn = label.sn
    where device.removed_at is null`
  const found = new Map(rows.map(({ line, ...device }) => [line - 1, device]))
  return identities.map((_, line) => found.get(line))
}

export interface Claimable {
  id: string
  name: string | null
  space_id: string | null
}

export interface ClaimedDevice {
  id: string
  partner_id: string
  model_id: string
  mac: string
  sn: string
}

/** Returns the devices that are now the customer's; another claim, or a removal, was faster for the others. */
export async function claimMany(
  sql: Sql,
  devices: Claimable[],
  { customer_id, claimed_at }: { customer_id: string; claimed_at: Date },
): Promise<ClaimedDevice[]> {
  return await sql<ClaimedDevice[]>`
    update devices device set
      customer_id = ${customer_id}, name = line.name, space_id = line.space_id, claimed_at = ${claimed_at}
    from unnest(
      ${devices.map(({ id }) => id)}::uuid[],
      ${devices.map(({ name }) => name)}::text[],
      ${devices.map(({ space_id }) => space_id)}::uuid[]
    ) as line (id, name, space_id)
    where device.id = line.id and device.customer_id is null and device.removed_at is null
    returning device.id, device.partner_id, device.model_id, device.mac, device.sn`
}
