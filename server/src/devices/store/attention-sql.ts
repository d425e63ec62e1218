import { cancelWhen, type Sql } from '../../platform/database/sql.ts'
import { type DeviceRow, deviceColumns, type EffectiveStatus } from './devices-sql.ts'

/** In the order of their weight. */
const statuses = ['error', 'offline', 'never_seen'] satisfies EffectiveStatus[]

/** Devices of each status that are compared in spaces, and of each model that are looked at for alarms. */
const maxCompared = 10_000

const inSpaces = (sql: Sql, spaceIds: string[]) => sql`and space_id = any(${spaceIds}::uuid[]) and space_id is not null`

/** Some of each status, the latest change first: of a whole customer, the index has them in this order. */
export async function listByStatus(
  sql: Sql,
  customerId: string,
  spaceIds: string[] | undefined,
  limit: number,
): Promise<DeviceRow[]> {
  return await sql<DeviceRow[]>`
    with found as (
      select wanted.status, wanted.position, candidate.id, candidate.status_at
      from unnest(${statuses}::text[]) with ordinality as wanted (status, position)
      cross join lateral (
        select id, status_at from ${
          spaceIds
            ? sql`(
                select id, status_at from devices
                where customer_id = ${customerId} and status = wanted.status and removed_at is null
                  ${inSpaces(sql, spaceIds)}
                limit ${maxCompared}) compared`
            : sql`devices
                where customer_id = ${customerId} and status = wanted.status and removed_at is null
                  and status <> 'online'`
        }
        order by status_at desc, id limit ${limit}
      ) candidate
    )
    select ${deviceColumns(sql, { customer_id: customerId })}
    from found join devices device on device.id = found.id
    order by found.position, found.status_at desc, found.id`
}

/** By model and key, the values that the dictionaries of these models call an alarm. */
export async function findAlarmingValues(
  sql: Sql,
  modelIds: string[],
  signal?: AbortSignal,
): Promise<Record<string, Record<string, unknown[]>>> {
  const statement = sql<{ model_id: string; alarming: Record<string, unknown[]> }[]>`
    select id as model_id, alarming from models where id = any(${modelIds}::uuid[]) and alarming is not null`
  const rows = await cancelWhen(signal, statement)
  return Object.fromEntries(rows.map(({ model_id, alarming }) => [model_id, alarming]))
}

export interface OnlineDevice {
  id: string
  model_id: string
  status_at: Date
}

/** Devices of these models that are online: at most as many of each as are compared. */
export async function listOnline(
  sql: Sql,
  customerId: string,
  modelIds: string[],
  spaceIds: string[] | undefined,
  signal: AbortSignal | undefined,
): Promise<OnlineDevice[]> {
  const statement = sql<OnlineDevice[]>`
    select device.id, wanted.model_id, device.status_at
    from unnest(${modelIds}::uuid[]) as wanted (model_id)
    cross join lateral (
      select id, status_at from devices
      where customer_id = ${customerId} and model_id = wanted.model_id and status = 'online' and removed_at is null
        ${spaceIds ? inSpaces(sql, spaceIds) : sql``}
      limit ${maxCompared}
    ) device`
  return await cancelWhen(signal, statement)
}
