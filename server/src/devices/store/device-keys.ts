import type { Fragment, Sql } from '../../platform/database/sql.ts'

/** The text before the id in an order of devices: one with an index of its own, or none. */
export type Keyed = 'name' | 'mac' | 'sn'

/** As their indexes have them. */
export function keyOf(sql: Sql, by: Keyed): Fragment {
  if (by === 'mac') return sql`device.mac`
  if (by === 'sn') return sql`lower(device.sn collate "default") collate "C"`
  return sql`lower(coalesce(device.name, 'Device ' || device.sn) collate "default") collate "C"`
}
