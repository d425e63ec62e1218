import type { Sql } from '../../platform/database/sql.ts'
import type { Permissions, Reach } from '../permissions.ts'
import { findSpacePaths } from './spaces.ts'

/** A space of a permission. */
export interface PermittedSpace {
  id: string
  /** Null: it was deleted, and covers nothing. */
  name: string | null
}

export interface NamedAllowance {
  permissions: Permissions
  within: PermittedSpace[] | null
}

/** A caller's own reach with the names of its spaces, and of none above them. */
export async function nameReach(sql: Sql, customerId: string, reach: Reach): Promise<NamedAllowance[]> {
  const ids = [...new Set(reach.flatMap(({ within }) => within ?? []))]
  const paths = await findSpacePaths(sql, { customer_id: customerId }, ids)
  return reach.map(({ permissions, within }) => ({
    permissions,
    within: within === null ? null : within.map((id) => ({ id, name: paths.get(id)?.at(-1) ?? null })),
  }))
}
