import type { Fragment, Sql } from '../../platform/database/sql.ts'
import { listLimits } from '../../platform/own-limits.ts'
import {
  allOf,
  type DeviceFilter,
  filterConditions,
  isTextOnly,
  looseConditions,
  matchingDevices,
  matchingTexts,
} from './device-filters.ts'
import { type Keyed, keyOf } from './device-keys.ts'
import { belongsTo, type DeviceRow, deviceColumns, type EffectiveStatus, type Owner } from './devices-sql.ts'

const { sortedDevices, countedDevices } = listLimits

export const everyStatus: EffectiveStatus[] = ['error', 'offline', 'never_seen', 'online']

/** Groups in the order of `values`, by id within each; null is “no space”. `first` is the position of the first of them. */
export type Grouped = { by: 'status' | 'model' | 'space'; values: (string | null)[]; first: number }
export type Order = { by: 'id' | Keyed | 'status_at' | 'last_seen_at'; descending: boolean } | Grouped

/** The last device of a page, in the order of the list. */
export interface Position {
  key: string
  id: string
}

export interface ListedDevice extends DeviceRow {
  key: string
}

export interface WalkedDevice extends ListedDevice {
  passes: boolean
  last_scanned: boolean
}

/**
 * Rows a walk scans: a page and one more, or, where a condition has no index, as many before it returns a short page.
 * Part of the statement's text: for a limit in a parameter the planner assumes a tenth of everything, and then sorts all
 * instead of walking the index.
 */
function scanned(
  sql: Sql,
  { spaces_loosely, tag, texts }: DeviceFilter,
  conditions: Fragment[],
  limit: number,
): Fragment {
  // Most devices are in the spaces, or else the ranges of the spaces are read.
  if (spaces_loosely && tag === undefined && !texts && limit <= 101) return sql`250`
  return conditions.length > 0 ? sql`1000` : limit > 101 ? sql`1001` : sql`101`
}

/** Each is read as far as a page could need it. With more of them it is better to pass over devices of other spaces. */
const maxRanges = 40

/** Whether a walk would merge so many index ranges that it reads far more than it returns. */
export function hasManyRanges({ space_ids = [], statuses = everyStatus }: DeviceFilter, order: Order): boolean {
  const groups = order.by === 'model' ? order.values.length : 1
  return order.by !== 'space' && space_ids.length * groups * statuses.length > maxRanges
}

/**
 * Devices in an order that an index has. Conditions without an index are applied on the way; when it scanned all it may,
 * the last row is returned too, as the next position.
 */
export async function walkDevices(
  sql: Sql,
  owner: Owner,
  filter: DeviceFilter,
  order: Exclude<Order, { by: 'last_seen_at' }>,
  after: Position | null,
  limit: number,
): Promise<WalkedDevice[]> {
  const keyed = order.by === 'name' || order.by === 'mac' || order.by === 'sn'
  const conditions = keyed ? filterConditions(sql, owner, filter) : looseConditions(sql, owner, filter)
  const scan = scanned(sql, filter, conditions, limit)
  const source = keyed
    ? keyedDevices(sql, owner, order as { by: Keyed; descending: boolean }, after, scan)
    : groupedDevices(sql, owner, filter, order as Grouped | { by: 'id'; descending: boolean }, after, scan)
  const direction = directionOf(sql, order)
  const passes = allOf(sql, conditions)
  return await sql<WalkedDevice[]>`
    with scanned as materialized (
      select found.key, found.id, ${conditions.length > 0 ? sql`coalesce(${passes}, false)` : sql`true`} as passes,
        row_number() over (order by found.key ${direction}, found.id ${direction}) = ${scan} as last_scanned
      from (${source}) found ${conditions.length > 0 ? sql`join devices device on device.id = found.id` : sql``}
    ), page as (
      (select * from scanned where passes order by key ${direction}, id ${direction} limit ${limit})
      union all select * from scanned where last_scanned and not passes
    )
    select page.key, page.passes, page.last_scanned, ${deviceColumns(sql, owner)}
    from page join devices device on device.id = page.id
    order by page.key ${direction}, page.id ${direction}`
}

/** In a group, the order of ids is always the same. */
function directionOf(sql: Sql, order: Order): Fragment {
  return 'descending' in order && order.descending ? sql`desc` : sql`asc`
}

function keyedDevices(
  sql: Sql,
  owner: Owner,
  order: { by: Keyed; descending: boolean },
  after: Position | null,
  scan: Fragment,
): Fragment {
  const key = keyOf(sql, order.by)
  const direction = directionOf(sql, order)
  const beyond =
    after &&
    sql`and (${key}, device.id) ${order.descending ? sql`<` : sql`>`} (${after.key}::text collate "C", ${after.id}::uuid)`
  return sql`
    select ${key} as key, device.id from devices device
    where ${belongsTo(sql, owner)} and device.removed_at is null ${beyond ?? sql``}
    order by ${key} ${direction}, device.id ${direction} limit ${scan}`
}

const firstId = '00000000-0000-0000-0000-000000000000'
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

type ByIndex = Grouped | { by: 'id'; descending: boolean }

/** Merges one index range per combination of the columns before the id in the index. */
function groupedDevices(
  sql: Sql,
  owner: Owner,
  filter: DeviceFilter,
  order: ByIndex,
  after: Position | null,
  scan: Fragment,
): Fragment {
  const columns = [sideColumn(sql, owner, filter), spaceColumn(sql, filter, order), modelColumn(sql, filter, order)]
  const statuses = order.by === 'status' ? order.values : (filter.statuses ?? everyStatus)
  const rank = rankOf(sql, order)
  const direction = directionOf(sql, order)
  return sql`
    select ${order.by === 'id' ? sql`''` : sql`lpad(${rank}::text, 6, '0')`} as key, page.id
    from unnest(${statuses}::text[]) with ordinality as wanted_status (status, rank)
    ${inRow(sql, columns, ({ values }) => values)}
    cross join lateral (
      select device.id from devices device
      where ${belongsTo(sql, owner)} and device.removed_at is null and ${idRange(sql, order, after)}
        ${inRow(sql, columns, ({ condition }) => condition)}
      order by device.status ${direction}, device.id ${direction} limit ${scan}
    ) page
    ${order.by === 'id' ? sql`` : sql`where ${rank} >= ${Number(after?.key || 0)}::int`}
    order by key ${direction}, page.id ${direction} limit ${scan}`
}

/** A column before the id in the index: the values that are walked, where there are several, and what a device has. */
interface IndexColumn {
  values?: Fragment
  condition?: Fragment
}

function inRow(sql: Sql, columns: IndexColumn[], part: (column: IndexColumn) => Fragment | undefined): Fragment {
  return columns.reduce((row, column) => sql`${row} ${part(column) ?? sql``}`, sql``)
}

/** Whether it is claimed: in the index of partners only. */
function sideColumn(sql: Sql, owner: Owner, { claimed }: DeviceFilter): IndexColumn {
  if ('customer_id' in owner) return claimed === false ? { condition: sql`and false` } : {}
  const unclaimed = claimed === undefined ? [true, false] : [!claimed]
  return {
    values: sql`cross join unnest(${unclaimed.map(String)}::text[]::boolean[]) as side (unclaimed)`,
    condition: sql`and (device.claimed_at is null) = side.unclaimed`,
  }
}

function spaceColumn(sql: Sql, filter: DeviceFilter, order: ByIndex): IndexColumn {
  const { space_ids, no_space, spaces_loosely } = filter
  const bySpace = order.by === 'space'
  if (bySpace && order.values[0] === null) return { condition: sql`and device.space_id is null` }
  const spaces = bySpace ? order.values : space_ids
  if (!bySpace && no_space) return { condition: spaces ? sql`and false` : sql`and device.space_id is null` }
  if (!spaces || spaces_loosely) return {}
  return {
    values: sql`cross join unnest(${spaces}::uuid[]) with ordinality as wanted_space (space_id, rank)`,
    condition: sql`and device.space_id = wanted_space.space_id`,
  }
}

function modelColumn(sql: Sql, { model_id }: DeviceFilter, order: ByIndex): IndexColumn {
  if (order.by !== 'model') return model_id ? { condition: sql`and device.model_id = ${model_id}` } : {}
  return {
    values: sql`cross join unnest(${order.values}::uuid[]) with ordinality as wanted_model (model_id, rank)`,
    condition: sql`and device.model_id = wanted_model.model_id`,
  }
}

/** The position of the group among all groups; null, “no space”, is alone in its part. */
function rankOf(sql: Sql, order: ByIndex): Fragment {
  if (order.by === 'id') return sql`0`
  const ranks = { status: sql`wanted_status.rank`, model: sql`wanted_model.rank`, space: sql`wanted_space.rank` }
  return sql`(${order.values[0] === null ? sql`1` : ranks[order.by]} + ${order.first - 1}::int)`
}

/** Of the group of the last page behind its last device; of the others all. */
function idRange(sql: Sql, order: ByIndex, after: Position | null): Fragment {
  const descending = order.by === 'id' && order.descending
  const id = after?.id ?? (descending ? lastId : firstId)
  const fromId =
    order.by === 'id'
      ? sql`${id}::uuid`
      : sql`case when ${rankOf(sql, order)} = ${Number(after?.key || 0)}::int then ${id}::uuid else ${firstId}::uuid end`
  // The order names the status too, and the status is no equality: the primary key would have the order of ids as well, and
  // with it Postgres may pass over a million devices of other statuses.
  return descending
    ? sql`(device.status, device.id) < (wanted_status.status, ${fromId}) and device.status >= wanted_status.status`
    : sql`(device.status, device.id) > (wanted_status.status, ${fromId}) and device.status <= wanted_status.status`
}

/** A page of all that match, in any order; `total` is `sortedDevices + 1` where there are too many to sort. */
export async function sortDevices(
  sql: Sql,
  owner: Owner,
  filter: DeviceFilter,
  order: Exclude<Order, { by: 'last_seen_at' }>,
  after: Position | null,
  limit: number,
): Promise<{ total: number; devices: ListedDevice[] }> {
  const direction = directionOf(sql, order)
  const sign = 'descending' in order && order.descending ? sql`<` : sql`>`
  const rows = await sql<(ListedDevice & { total: number })[]>`
    with matching as materialized (
      ${
        order.by === 'id' && isTextOnly(filter)
          ? sql`select text.device_id as id, '' collate "C" as key
              from device_texts text where ${matchingTexts(sql, owner, filter)}`
          : sql`select device.id, ${sortKey(sql, order)} as key ${matchingDevices(sql, owner, filter)}`
      } limit ${sortedDevices + 1}
    ), page as (
      select * from matching ${after ? sql`where (key, id) ${sign} (${after.key}::text collate "C", ${after.id}::uuid)` : sql``}
      order by key ${direction}, id ${direction} limit ${limit}
    )
    select page.key, (select count(*)::int from matching) as total, ${deviceColumns(sql, owner)}
    from page join devices device on device.id = page.id
    order by page.key ${direction}, page.id ${direction}`
  return { total: rows[0]?.total ?? 0, devices: rows.map(({ total, ...device }) => device) }
}

/** The same texts as those of a walk. */
function sortKey(sql: Sql, order: Exclude<Order, { by: 'last_seen_at' }>): Fragment {
  if (order.by === 'id') return sql`'' collate "C"`
  if (order.by === 'status_at')
    return sql`to_char(device.status_at at time zone 'UTC', 'YYYYMMDDHH24MISSUS') collate "C"`
  if (!('values' in order)) return keyOf(sql, order.by as Keyed)
  const position =
    order.by === 'status'
      ? sql`array_position(${order.values}::text[], device.status)`
      : sql`array_position(${order.values}::uuid[], device.${order.by === 'model' ? sql`model_id` : sql`space_id`})`
  return sql`lpad((${position} + ${order.first - 1}::int)::text, 6, '0') collate "C"`
}

/** The ids of all that match, up to `sortedDevices + 1` of them. */
export async function listMatching(sql: Sql, owner: Owner, filter: DeviceFilter): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select device.id ${matchingDevices(sql, owner, filter)} limit ${sortedDevices + 1}`
  return rows.map(({ id }) => id)
}

export async function listByIds(sql: Sql, owner: Owner, ids: string[]): Promise<DeviceRow[]> {
  return await sql<DeviceRow[]>`
    select ${deviceColumns(sql, owner)} from devices device
    where device.id = any(${ids}::uuid[]) and ${belongsTo(sql, owner)} and device.removed_at is null`
}

/** Up to `sortedDevices + 1`. */
export async function countMatching(sql: Sql, owner: Owner, filter: DeviceFilter): Promise<number> {
  const matching = isTextOnly(filter)
    ? sql`from device_texts text where ${matchingTexts(sql, owner, filter)}`
    : matchingDevices(sql, owner, filter)
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (select ${matching} limit ${sortedDevices + 1}) found`
  return row!.count
}

/** Of the first `sortedDevices` devices, for a condition that most devices may meet. */
export async function countFirst(
  sql: Sql,
  owner: Owner,
  filter: DeviceFilter,
): Promise<{ seen: number; count: number }> {
  const key = keyOf(sql, 'sn')
  const [row] = await sql<{ seen: number; count: number }[]>`
    select count(*)::int as seen, count(*) filter (where ${allOf(sql, filterConditions(sql, owner, filter))})::int as count
    from (
      select * from devices device where ${belongsTo(sql, owner)} and device.removed_at is null
      order by ${key}, device.id limit 10000) device`
  return row!
}

/** The models of an owner's devices, by name. */
export async function listModelsInUse(sql: Sql, owner: Owner): Promise<string[]> {
  const next = (after: Fragment) => sql`(
    select device.model_id from devices device
    where ${belongsTo(sql, owner)} and device.removed_at is null ${after} order by device.model_id limit 1)`
  const rows =
    'customer_id' in owner
      ? await sql<{ id: string }[]>`
          with recursive used as (
            select ${next(sql``)} as model_id
            union all
            select ${next(sql`and device.model_id > used.model_id`)} from used where used.model_id is not null
          )
          select id from models join used on used.model_id = models.id order by lower(name), id`
      : await sql<
          { id: string }[]
        >`select id from models where partner_id = ${owner.partner_id} order by lower(name), id`
  return rows.map(({ id }) => id)
}

export async function countDevices(sql: Sql, customerId: string): Promise<Record<EffectiveStatus, number>> {
  const rows = await sql<{ status: EffectiveStatus; count: number }[]>`
    select wanted.status, counted.count
    from unnest(${everyStatus}::text[]) as wanted (status)
    cross join lateral (
      select count(*)::int as count from (
        select from devices
        where customer_id = ${customerId} and devices.status = wanted.status and removed_at is null
        limit ${countedDevices}) as device) as counted`
  return Object.fromEntries(rows.map(({ status, count }) => [status, count])) as Record<EffectiveStatus, number>
}
