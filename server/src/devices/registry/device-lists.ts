import type { Context } from '../../context.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { invalid } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import { countDevices, type DeviceFilter, listDevices as selectDevices } from '../store/device-lists.ts'
import { type SearchCursor, searchDevices as selectMatches } from '../store/device-search.ts'
import type { Device, Owner } from '../store/devices.ts'

export { maxCounted } from '../store/device-lists.ts'

export interface DeviceQuery extends DeviceFilter, PageRequest {
  /** The beginning of a name (for its customer), a MAC or a serial number. */
  search?: string | undefined
}

/** Takes the same time for any number of devices. A filtered search may return a short page with a `next`. */
export async function listDevices(context: Context, owner: Owner, query: DeviceQuery): Promise<Page<Device>> {
  const search = query.search?.trim()
  if (search) return await searchDevices(context, owner, query, search)
  const range = pageRange(query)
  return toPage(await selectDevices(context.sql, owner, query, range), range, ({ id }) => id)
}

async function searchDevices(
  context: Context,
  owner: Owner,
  query: DeviceQuery,
  search: string,
): Promise<Page<Device>> {
  const limit = query.limit ?? 50
  const prefixes = { prefix: search, macPrefix: macPrefix(search) }
  const rows = await selectMatches(context.sql, owner, prefixes, query, readCursor(query.after), limit + 1)
  const passing = rows.filter(({ passes }) => passes)
  const last = passing.length > limit ? passing[limit - 1] : rows.find(({ last_scanned }) => last_scanned)
  return {
    items: passing.slice(0, limit).map(({ phase, term, passes, last_scanned, ...device }) => device),
    next: last ? writeCursor(last) : null,
  }
}

/** With any separator or none: `001A2B`, `00-1a-2b` and `00:1a:2b` begin the same MAC. */
export function macPrefix(search: string): string {
  const digits = search.toLowerCase().replace(/[:.\-\s]/g, '')
  if (!/^[0-9a-f]{1,12}$/.test(digits)) return search.toLowerCase()
  return digits.match(/..?/g)!.join(':')
}

const start: SearchCursor = { phase: 0, term: '', id: '00000000-0000-0000-0000-000000000000' }

function readCursor(after: string | undefined): SearchCursor {
  if (after === undefined) return start
  try {
    const [phase, term, id] = JSON.parse(Buffer.from(after, 'base64url').toString())
    if ([0, 1, 2].includes(phase) && typeof term === 'string' && !term.includes('\0') && isId(id)) {
      return { phase, term, id }
    }
  } catch {
    // Not a cursor.
  }
  throw invalid({ field: 'after', message: 'must be the `next` of a previous page' })
}

function writeCursor({ phase, term, id }: SearchCursor): string {
  return Buffer.from(JSON.stringify([phase, term, id])).toString('base64url')
}

/** How many of a customer's devices have each status, up to `maxCounted`. */
export async function countDevicesByStatus(context: Context, customerId: string) {
  return await countDevices(context.sql, customerId)
}
