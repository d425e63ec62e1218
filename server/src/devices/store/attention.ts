import { cancelWhen, type Fragment, type Sql } from '../../platform/database/sql.ts'
import { type Device, deviceColumns, type EffectiveStatus } from './devices.ts'

/** In the order of their weight. */
const statuses = ['error', 'offline', 'never_seen'] satisfies EffectiveStatus[]
export const reasons = ['alarm', ...statuses] as const

/** A device that needs attention, and the value that its model's dictionary calls an alarm. */
export interface AttentionItem extends Device {
  reason: (typeof reasons)[number]
  alarm: { key: string; value: number | string | boolean } | null
}

/** Devices of each status that are compared in spaces, and of each model that are looked at for alarms. */
const maxCompared = 10_000

const inSpaces = (sql: Sql, spaceIds: string[]) => sql`and space_id = any(${spaceIds}::uuid[]) and space_id is not null`

/** Some of each status, the latest change first: of a whole customer, the index has them in this order. */
export async function listByStatus(
  sql: Sql,
  customerId: string,
  spaceIds: string[] | undefined,
  limit: number,
): Promise<AttentionItem[]> {
  return await sql<AttentionItem[]>`
    with found as (
      select wanted.status, wanted.place, candidate.id, candidate.status_at
      from unnest(${statuses}::text[]) with ordinality as wanted (status, place)
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
    select found.status as reason, null as alarm, ${deviceColumns(sql, { customer_id: customerId })}
    from found join devices device on device.id = found.id join device_states state on state.device_id = device.id
    order by found.place, found.status_at desc, found.id`
}

/**
 * Devices that are online and whose state has an alarm. Begins with the models of the customer's devices, found one by one
 * in the index, because reading the dictionaries of all models would cost more than everything else. A partner may call
 * ten thousand values an alarm: each state is read once and its values are looked up, whatever the plan.
 */
export async function listAlarms(
  sql: Sql,
  customerId: string,
  spaceIds: string[] | undefined,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<AttentionItem[]> {
  const nextModel = (after: Fragment) => sql`
    select model_id from devices where customer_id = ${customerId} and removed_at is null ${after}
    order by model_id limit 1`
  const statement = sql<AttentionItem[]>`
    with recursive used as (
      (${nextModel(sql``)})
      union all
      select (${nextModel(sql`and model_id > used.model_id`)}) from used where used.model_id is not null
    ), alarms as materialized (
      select model_id, jsonb_object_agg(key, alarming) as alarming
      from (
        select model.id as model_id, entry ->> 'key' as key, jsonb_agg(meaning -> 'value') as alarming
        from used join models model on model.id = used.model_id
        cross join lateral jsonb_array_elements(model.dictionary) entry
        cross join lateral jsonb_array_elements(coalesce(entry -> 'values', '[]')) meaning
        where meaning -> 'alarm' = 'true'
        group by model.id, entry ->> 'key'
      ) of_key
      group by model_id
    ), found as (
      select device.id, device.status_at, alarm.key, alarm.value
      from alarms
      cross join lateral (
        select id, status_at from devices
        where customer_id = ${customerId} and model_id = alarms.model_id and status = 'online' and removed_at is null
          ${spaceIds ? inSpaces(sql, spaceIds) : sql``}
        limit ${maxCompared}
      ) device
      join device_states state on state.device_id = device.id
      cross join lateral (
        select key, value from jsonb_each(
          coalesce((select jsonb_object_agg(key, value -> 0) from jsonb_each(state.rest)), '{}')
            || coalesce(state.latest::jsonb, '{}'))
        where alarms.alarming -> key @> value
        order by key limit 1
      ) alarm
    )
    select 'alarm' as reason, jsonb_build_object('key', found.key, 'value', found.value) as alarm, ${deviceColumns(sql, { customer_id: customerId })}
    from (select * from found order by status_at desc, id limit ${limit}) found
    join devices device on device.id = found.id join device_states state on state.device_id = device.id
    order by found.status_at desc, found.id`
  return await cancelWhen(signal, statement)
}
