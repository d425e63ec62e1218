import { spacesByName, spacesWithin } from '../../directory/organization/spaces.ts'
import type { Page, PageRequest } from '../../platform/http/pagination.ts'
import { listLimits } from '../../platform/own-limits.ts'
import { invalid, Refusal } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import type { DeviceFilter } from '../store/device-filters.ts'
import * as store from '../store/device-lists-sql.ts'
import type { CustomerOwner, Owner } from '../store/devices-sql.ts'
import { sortByLastSeen } from '../telemetry-store/telemetry-store.ts'
import { countInSpaces } from './device-counts.ts'
import { type Device, withDetails } from './device-details.ts'
import { narrowed, searchFilter } from './device-search.ts'

export const sorts = [
  'registered_at',
  'name',
  'status',
  'status_at',
  'last_seen_at',
  'model',
  'space',
  'mac',
  'sn',
] as const
/** A partner does not know names and spaces (contract 1.5). */
export const fleetSorts = ['registered_at', 'status', 'status_at', 'last_seen_at', 'model', 'mac', 'sn'] as const
type Sort = (typeof sorts)[number]

export interface DeviceCriteria
  extends Omit<DeviceFilter, 'texts' | 'selective' | 'parts' | 'by_owner' | 'spaces_loosely'> {
  /** Part of a name (for its customer), a MAC or a serial number. */
  search?: string | undefined
}

export interface DeviceQuery extends DeviceCriteria, PageRequest {
  sort?: Sort | `-${Sort}` | undefined
}

/**
 * Takes the same time for any number of devices: what matches few of them is collected and sorted, what matches many is
 * found soon on a walk through the index of the order. A walk may return a short page with a `next`.
 */
export async function listDevices(context: Context, reader: Owner, query: DeviceQuery): Promise<Page<Device>> {
  const { limit = 50, sort: sortBy, ...criteria } = query
  const { owner, filter } = await reachedBy(context, reader, filterOf(criteria))
  const sort = sortBy ?? 'registered_at'
  const cursor = readCursor(query.after, sort)
  const order = await orderOf(context, owner, filter, sort)
  // A condition that many devices meet fills a page soon; where it does not, few may meet it. Settings have an index that
  // knows which of the two it is, up to the devices that can be sorted.
  const walked =
    cursor?.collected || filter.settings || !isWalkable(filter, order)
      ? null
      : await walkFar(context, owner, filter, order, cursor, limit)
  if (walked && (isFilled(walked, limit) || !isCollectable(filter))) return await toPage(context, reader, walked, sort)
  const narrow = await narrowed(context, owner, filter)
  const { total, devices } = await sortPage(context, owner, narrow, order, cursor, limit + 1)
  if (total <= listLimits.sortedDevices) {
    const items = devices.slice(0, limit)
    const next = devices.length > limit ? { ...items.at(-1)!, collected: true } : null
    return await toPage(context, reader, { devices: items, next }, sort)
  }
  if (!isWalkable(filter, order)) throw tooManyToSort()
  return await toPage(context, reader, walked ?? (await walkFar(context, owner, filter, order, cursor, limit)), sort)
}

/** What a reader reaches, as a filter by spaces, which the indexes have, instead of a look at each device. */
export async function reachedBy(
  context: Context,
  reader: Owner,
  filter: DeviceFilter,
): Promise<{ owner: Owner; filter: DeviceFilter }> {
  if (!('customer_id' in reader) || !reader.within) return { owner: reader, filter }
  const { customer_id, within } = reader
  const reached = await spacesWithin(context, customer_id, within)
  const asked = filter.space_ids && new Set(filter.space_ids)
  const space_ids = asked ? reached.filter((id) => asked.has(id)) : reached
  return { owner: { customer_id }, filter: { ...filter, space_ids } }
}

/**
 * Whether an index has the order, and what matches may be anywhere in it: in the order of names, all “Room sensors” stand
 * behind thousands of “Gateways”.
 */
function isWalkable({ texts }: DeviceFilter, { by }: store.Order): boolean {
  return by === 'id' || (by !== 'last_seen_at' && by !== 'status_at' && !texts)
}

/** The criteria as the store knows them. */
function filterOf({ search, ...filter }: DeviceCriteria): DeviceFilter {
  return { ...filter, ...searchFilter(search) }
}

/** Whether an index finds what matches, without a look at every device of the owner. */
function isCollectable({ texts, selective, ...filter }: DeviceFilter): boolean {
  return !texts || selective === true || filter.tag !== undefined
}

async function orderOf(
  context: Context,
  owner: Owner,
  filter: DeviceFilter,
  sort: Sort | `-${Sort}`,
): Promise<store.Order> {
  const descending = sort.startsWith('-')
  const by = (descending ? sort.slice(1) : sort) as Sort
  if (by === 'registered_at') return { by: 'id', descending }
  if (by === 'status') {
    const { statuses = store.everyStatus } = filter
    return grouped(
      by,
      store.everyStatus.filter((status) => statuses.includes(status)),
      descending,
    )
  }
  if (by === 'model') {
    return grouped(
      by,
      filter.model_id ? [filter.model_id] : await store.listModelsInUse(context.sql, owner),
      descending,
    )
  }
  if (by === 'space') {
    const within = filter.space_ids && new Set(filter.space_ids)
    const all = 'customer_id' in owner && !filter.no_space ? await spacesByName(context, owner.customer_id) : []
    return grouped(by, within ? all.filter((id) => within.has(id)) : [...all, null], descending)
  }
  return { by, descending }
}

function grouped(by: store.Grouped['by'], values: (string | null)[], descending: boolean): store.Grouped {
  return { by, values: descending ? values.toReversed() : values, first: 1 }
}

interface Cursor extends store.Position {
  collected: boolean
}

interface Walked {
  devices: store.ListedDevice[]
  next: Cursor | null
}

function isFilled({ devices, next }: Walked, limit: number): boolean {
  return next === null || devices.length >= limit
}

/** Further walks, each of a thousand devices, where the first one found a fifth of the page. */
const walksOn = 5

async function walkFar(
  context: Context,
  owner: Owner,
  filter: DeviceFilter,
  order: store.Order,
  after: Cursor | null,
  limit: number,
): Promise<Walked> {
  if (!filter.spaces_loosely && store.hasManyRanges(filter, order)) {
    const loosely = await walkFar(context, owner, { ...filter, spaces_loosely: true }, order, after, limit)
    const isSearch = filter.texts !== undefined || filter.tag !== undefined
    if (isFilled(loosely, limit) || (isSearch && isCollectable(filter))) return loosely
  }
  let walked = await walkPage(context, owner, filter, order, after, limit)
  for (let walk = 1; walk <= walksOn; walk += 1) {
    const { devices, next } = walked
    if (isFilled(walked, limit) || devices.length * walksOn < limit) break
    const more = await walkPage(context, owner, filter, order, next, limit - devices.length)
    walked = { devices: [...devices, ...more.devices], next: more.next }
  }
  return walked
}

async function walkPage(
  context: Context,
  owner: Owner,
  filter: DeviceFilter,
  order: store.Order,
  after: Cursor | null,
  limit: number,
): Promise<Walked> {
  const devices: store.ListedDevice[] = []
  for (const part of partsOf(order, after)) {
    const rows = await store.walkDevices(context.sql, owner, filter, part, after, limit + 1 - devices.length)
    devices.push(...rows.filter(({ passes }) => passes))
    const stopped = devices.length > limit ? devices[limit - 1] : rows.find(({ last_scanned }) => last_scanned)
    if (stopped) return { devices: devices.slice(0, limit), next: { ...stopped, collected: false } }
  }
  return { devices, next: null }
}

/** A page of all that match. When they were last seen, only their telemetry knows. */
async function sortPage(
  { sql }: Context,
  owner: Owner,
  filter: DeviceFilter,
  order: store.Order,
  after: Cursor | null,
  limit: number,
): Promise<{ total: number; devices: store.ListedDevice[] }> {
  if (order.by !== 'last_seen_at') return await store.sortDevices(sql, owner, filter, order, after, limit)
  const ids = await store.listMatching(sql, owner, filter)
  if (ids.length > listLimits.sortedDevices) return { total: ids.length, devices: [] }
  const page = await sortByLastSeen(sql, ids, { descending: order.descending, after, limit })
  const rows = await store.listByIds(
    sql,
    owner,
    page.map(({ id }) => id),
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  const devices = page.flatMap(({ id, key }) => {
    const row = found.get(id)
    return row ? { ...row, key } : []
  })
  return { total: ids.length, devices }
}

/** Groups are read a few at a time, then more and more: a page may lie in one of them, or behind a thousand empty ones. */
function* partsOf(order: store.Order, after: Cursor | null): Generator<Exclude<store.Order, { by: 'last_seen_at' }>> {
  if (!('values' in order)) {
    yield order as Exclude<store.Order, { by: 'last_seen_at' }>
    return
  }
  const { values } = order
  for (let start = after ? Math.max(Number(after.key) - 1, 0) : 0, size = 16; start < values.length; size *= 4) {
    const none = values.indexOf(null, start)
    const end = values[start] === null ? start + 1 : Math.min(start + size, none === -1 ? values.length : none)
    yield { ...order, values: values.slice(start, end), first: start + 1 }
    start = end
  }
}

function tooManyToSort(): Refusal {
  const many = listLimits.sortedDevices.toLocaleString('en')
  const sentence = `More than ${many} devices match: too many to sort this way. Narrow the list down, or use another order.`
  return new Refusal(422, 'too_many_to_sort', sentence)
}

async function toPage({ sql }: Context, owner: Owner, { devices, next }: Walked, sort: string): Promise<Page<Device>> {
  const rows = devices.map(
    ({ key, passes, last_scanned, ...device }: Partial<store.WalkedDevice>) => device as store.ListedDevice,
  )
  return {
    items: await withDetails(sql, owner, rows),
    next: next && writeCursor(next, sort),
  }
}

function readCursor(after: string | undefined, sort: string): Cursor | null {
  if (after === undefined) return null
  if (sort === 'registered_at' && isId(after)) return { key: '', id: after, collected: false }
  try {
    const [of, key, id, collected] = JSON.parse(Buffer.from(after, 'base64url').toString())
    const isRank = /^\d{1,6}$/.test(key) || !/^-?(status|model|space)$/.test(sort)
    if (of === sort && typeof key === 'string' && !key.includes('\0') && isRank && isId(id)) {
      return { key, id, collected: collected === 1 }
    }
  } catch {
    // Not a cursor.
  }
  throw invalid({ field: 'after', message: 'must be the `next` of a previous page' })
}

/** In the order of registration, an id says it all. */
function writeCursor({ key, id, collected }: Cursor, sort: string): string {
  if (sort === 'registered_at' && !collected) return id
  return Buffer.from(JSON.stringify([sort, key, id, collected ? 1 : 0])).toString('base64url')
}

/** How many devices match; with `more`, at least as many. */
export interface DeviceTotal {
  total: number
  more: boolean
}

/** One device in so many is enough to make a search look at too many matches. */
const common = 10

export async function countMatching(context: Context, reader: Owner, criteria: DeviceCriteria): Promise<DeviceTotal> {
  const { owner, filter } = await reachedBy(context, reader, filterOf(criteria))
  if (filter.texts) {
    const { seen, count } = await store.countFirst(context.sql, owner, filter)
    if (seen < listLimits.sortedDevices) return { total: count, more: false }
    if (count * common >= seen || !isCollectable(filter)) return { total: count, more: true }
  }
  const count = await store.countMatching(context.sql, owner, await narrowed(context, owner, filter))
  return { total: Math.min(count, listLimits.sortedDevices), more: count > listLimits.sortedDevices }
}

/** How many of a customer's devices have each status, up to `countedDevices`. */
export async function countDevicesByStatus(context: Context, { customer_id, within }: CustomerOwner) {
  if (!within) return await store.countDevices(context.sql, customer_id)
  const [counts] = await countInSpaces(context, customer_id, [await spacesWithin(context, customer_id, within)])
  return counts!
}
