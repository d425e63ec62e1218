import type { Sql } from '../../platform/database/sql.ts'
import { keyOf } from './device-keys.ts'
import { belongsTo, type Owner } from './devices-sql.ts'

/**
 * The two parts of three characters that the fewest of 400 devices have, the first and the last by serial number: what is
 * rare among them is mostly rare. A trigram has at least two letters or digits, and the part is in lower case.
 */
export async function findRareParts(sql: Sql, owner: Owner, text: string): Promise<string[]> {
  const key = keyOf(sql, 'sn')
  const name = 'customer_id' in owner ? sql`device.name` : sql`null`
  const some = (direction: 'asc' | 'desc') => {
    const order = direction === 'asc' ? sql`${key}, device.id` : sql`${key} desc, device.id desc`
    return sql`(
      select device_text(${name}, device.mac, device.sn) as text from devices device
      where ${belongsTo(sql, owner)} and device.removed_at is null order by ${order} limit 200)`
  }
  const rows = await sql<{ part: string }[]>`
    with sample as materialized (${some('asc')} union all ${some('desc')}),
    asked as (select lower(${text}::text collate "default") as text),
    parts as (
      select distinct substr(text, at, 3) as part
      from asked cross join lateral generate_series(greatest(1, length(text) - 25), length(text) - 2) at)
    select part from parts where part ~ '^(.[[:alnum:]]{2}|[[:alnum:]]{2}.)$'
    order by (select count(*) from sample where strpos(sample.text, part) > 0), part limit 2`
  return rows.map(({ part }) => part)
}

/** Of all devices, as of the last `analyze`; 0 for one that is not among the largest. */
export async function findOwnerShare(sql: Sql, owner: Owner): Promise<number> {
  const [column, id] = 'customer_id' in owner ? ['customer_id', owner.customer_id] : ['partner_id', owner.partner_id]
  const [row] = await sql<{ share: number }[]>`
    select most_common_freqs[array_position(most_common_vals::text::uuid[], ${id}::uuid)]::float8 as share
    from pg_stats where schemaname = current_schema() and tablename = 'device_texts' and attname = ${column}`
  return row?.share ?? 0
}
