import type { Fragment, Sql } from '../../platform/database/sql.ts'
import type { DeviceFilter } from './device-lists.ts'
import { belongsTo, type Device, deviceColumns, type Owner } from './devices.ts'

/** The position of a search: in the names, the MACs or the serial numbers, and behind which entry. */
export interface SearchCursor {
  phase: number
  term: string
  id: string
}

export interface SearchRow extends Device, SearchCursor {
  passes: boolean
  last_scanned: boolean
}

/**
 * Rows a search scans: a page and one more, or, with a filter, as many before it returns a short page. Part of the
 * statement's text: for a limit in a parameter the planner assumes a tenth of everything, and then sorts all matches
 * instead of walking the index.
 */
const maxScanned = (sql: Sql, filtered: boolean): Fragment => (filtered ? sql`1000` : sql`101`)

/**
 * Devices whose name, MAC or serial number begins with the prefix, in the order of phase, term and id. The filter is
 * applied to what the search finds; when it scanned all it may, the last row is returned too, as the next cursor.
 */
export async function searchDevices(
  sql: Sql,
  owner: Owner,
  prefixes: { prefix: string; macPrefix: string },
  filter: DeviceFilter,
  cursor: SearchCursor,
  limit: number,
): Promise<SearchRow[]> {
  const conditions = filterConditions(sql, filter)
  const scan = maxScanned(sql, conditions.length > 0)
  const passes = sql`true ${all(
    sql,
    conditions.map((condition) => sql`and ${condition}`),
  )}`
  const branches = phasesOf(sql, owner, prefixes)
    .filter(({ phase }) => phase >= cursor.phase)
    .map(({ phase, term, prefix, end, not }) => {
      // Only one lower bound: with two, Postgres may start its scan at the lower one, far before the first match.
      const lower =
        phase === cursor.phase
          ? sql`(${term}, device.id) > (greatest(${cursor.term} collate "C", ${prefix}), ${cursor.id}::uuid)`
          : sql`${term} >= ${prefix}`
      return sql`(
        select ${phase}::int as phase, ${term} as term, device.id, ${passes} as passes
        from devices device
        where ${belongsTo(sql, owner)} and device.removed_at is null and ${lower} and ${term} < ${end}
          ${all(
            sql,
            not.map((condition) => sql`and (${condition}) is not true`),
          )}
        order by ${term}, device.id limit ${scan})`
    })
  return await sql<SearchRow[]>`
    with scanned as materialized (
      select *, row_number() over (order by phase, term, id) = ${scan} as last_scanned
      from (${branches.map((branch, index) => (index === 0 ? branch : sql`union all ${branch}`))}) found
      order by phase, term, id limit ${scan}
    ), page as (
      (select * from scanned where passes order by phase, term, id limit ${limit})
      union all select * from scanned where last_scanned and passes is not true
    )
    select page.phase, page.term, page.passes, page.last_scanned, ${deviceColumns(sql)}
    from page join devices device on device.id = page.id join device_states state on state.device_id = device.id
    order by page.phase, page.term, page.id`
}

/** The driver takes a list of no fragments for a parameter. */
function all(sql: Sql, fragments: Fragment[]): Fragment | Fragment[] {
  return fragments.length > 0 ? fragments : sql``
}

interface Phase {
  phase: number
  term: Fragment
  prefix: Fragment
  /** Sorts behind everything that begins with the prefix. */
  end: Fragment
  /** What an earlier phase has returned already. */
  not: Fragment[]
}

/** A partner does not know the name (contract 1.5), so it cannot search for it. */
function phasesOf(sql: Sql, owner: Owner, { prefix, macPrefix }: { prefix: string; macPrefix: string }): Phase[] {
  // The prefix is folded by Postgres too: JavaScript folds some letters differently.
  const folded = (text: Fragment) => sql`lower(${text} collate "default") collate "C"`
  const phase = (number: number, term: Fragment, prefix: Fragment) => ({
    phase: number,
    term,
    prefix,
    end: sql`${prefix} || ${'\u{10ffff}'}`,
  })
  const phases = [
    phase(1, sql`device.mac`, sql`${macPrefix}::text`),
    phase(2, folded(sql`device.sn`), folded(sql`${prefix}::text`)),
  ]
  if ('customer_id' in owner) phases.unshift(phase(0, folded(sql`device.name`), folded(sql`${prefix}::text`)))
  return phases.map((each, index) => ({
    ...each,
    not: phases.slice(0, index).map(({ term, prefix, end }) => sql`${term} >= ${prefix} and ${term} < ${end}`),
  }))
}

function filterConditions(sql: Sql, { space_ids, model_id, status, claimed }: DeviceFilter): Fragment[] {
  const conditions: Fragment[] = []
  if (space_ids) conditions.push(sql`device.space_id = any(${space_ids}::uuid[])`)
  if (model_id) conditions.push(sql`device.model_id = ${model_id}`)
  if (status) conditions.push(sql`device.status = ${status}`)
  if (claimed !== undefined) conditions.push(sql`(device.claimed_at is not null) = ${claimed}`)
  return conditions
}
