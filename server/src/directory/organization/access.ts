import type { BaseContext } from '../../platform/context.ts'
import type { PageRange, Sql } from '../../platform/database/sql.ts'
import { found } from '../../platform/refusal.ts'
import {
  type Allowance,
  allPermissions,
  judge,
  nothing,
  type Permission,
  type Permissions,
  permits,
  type Reach,
  reachOfCredential,
  reachOfPerson,
  type SpaceRole,
} from '../permissions.ts'
import * as store from '../store/access-sql.ts'
import { findSpacePaths } from './spaces.ts'

/** Why somebody may do something. */
export interface Reason {
  kind: 'administrator' | 'role' | 'approval' | 'api_key'
  role: SpaceRole | null
  /** The group whose role it is. */
  group: { id: string; name: string } | null
}

/** A user, an application or an API key with all that it was given. */
export interface Holder {
  kind: 'user' | 'application' | 'api_key'
  id: string
  name: string
  email: string | null
  /** False: deactivated, disabled or expired, and so it may do nothing. */
  active: boolean
  held: (Allowance & { by: Reason })[]
}

interface PlacedSpace {
  id: string
  /** The names from the top; null when the space was deleted. */
  path: string[] | null
}

export interface Access extends Omit<Holder, 'held'> {
  /** The highest level in each area: in the space that is asked about, else wherever it is highest. */
  permissions: Permissions
  held: { permissions: Permissions; within: PlacedSpace[] | null; by: Reason }[]
  /** Whether more than these are held. */
  more: boolean
}

export type { HolderFilter } from '../store/access-sql.ts'

/** A space and those above it. */
export async function requireAbove(context: BaseContext, customerId: string, spaceId: string): Promise<string[]> {
  return found(await store.findAbove(context.sql, customerId, spaceId), 'space')
}

export async function listHoldingMembers(
  { sql }: BaseContext,
  customerId: string,
  filter: store.HolderFilter,
  range: PageRange,
): Promise<Holder[]> {
  const rows = await store.listMembersWithRoles(sql, customerId, filter, range)
  return rows.map(({ id, name, email, role, active, held }) => ({
    ...{ kind: 'user', id, name, email, active },
    held: reachOfPerson(role, held).map((allowance, index) => ({ ...allowance, by: reasonOf(role, held[index]) })),
  }))
}

function reasonOf(role: string, held: { role: SpaceRole; group: Reason['group'] } | undefined): Reason {
  if (role === 'administrator' || !held) return { kind: 'administrator', role: null, group: null }
  return { kind: 'role', role: held.role, group: held.group }
}

export async function listHoldingKeys(
  { sql, now }: BaseContext,
  customerId: string,
  filter: store.HolderFilter,
  range: PageRange,
): Promise<Holder[]> {
  const rows = await store.listKeysWithPermissions(sql, customerId, filter, range, now())
  return rows.map(({ permissions, within, ...key }) => ({
    ...{ kind: 'api_key', email: null, ...key },
    held: heldByCredential('api_key', permissions, within),
  }))
}

export function heldByCredential(
  kind: 'approval' | 'api_key',
  permissions: Record<string, string> | null,
  within: readonly string[] | null,
): Holder['held'] {
  const by = { kind, role: null, group: null }
  return reachOfCredential(permissions, within).map((allowance) => ({ ...allowance, by }))
}

/** What each may do in effect, and why; with `above`, in the first of these spaces. */
export async function explainAccess(
  sql: Sql,
  customerId: string,
  holders: readonly Holder[],
  above?: readonly string[],
): Promise<Access[]> {
  const all = holders.map((holder) => ({ ...holder, held: heldThere(holder, above).toSorted(strongestFirst) }))
  const shown = all.map(({ held, ...holder }) => ({ ...holder, all: held, held: held.slice(0, shownPerHolder) }))
  const ids = [...new Set(shown.flatMap(({ held }) => held.flatMap(({ within }) => within ?? [])))]
  const paths = await findSpacePaths(sql, { customer_id: customerId }, ids)
  const pathOf = ({ within }: Allowance) => paths.get(within?.[0] ?? '')?.join('\u0000') ?? ''
  const inOrder = (one: Allowance, other: Allowance) =>
    strongestFirst(one, other) || pathOf(one).localeCompare(pathOf(other), 'en', { numeric: true })
  const placed = (id: string): PlacedSpace => ({ id, path: paths.get(id) ?? null })
  return shown.map(({ all, held, ...holder }) => ({
    ...holder,
    permissions: holder.active ? highestOf(all, above) : nothing,
    held: held.toSorted(inOrder).map(({ within, ...one }) => ({ ...one, within: within?.map(placed) ?? null })),
    more: all.length > held.length,
  }))
}

/** Reasons that a response names of one holder; what it may do is judged by all of them. */
const shownPerHolder = 100

/** By what is permitted, and then what counts everywhere. */
function strongestFirst(one: Allowance, other: Allowance): number {
  const strength = ({ permissions }: Allowance) => allPermissions.filter((each) => permits(permissions, each)).length
  return strength(other) - strength(one) || Number(one.within !== null) - Number(other.within !== null)
}

/** What counts in the space, and of the spaces of an allowance those by which it does. */
function heldThere({ held }: Holder, above: readonly string[] | undefined): Holder['held'] {
  if (!above) return held
  return held
    .filter((allowance) => inSpaces.some((permission) => judge([allowance], permission, above)))
    .map(({ within, ...one }) => ({ ...one, within: within?.filter((id) => above.includes(id)) ?? null }))
}

const inSpaces = allPermissions.filter((permission) => /^(devices|spaces|audit):/.test(permission))

/** The highest level in each area. */
export function highestOf(reach: Reach, above?: readonly string[]): Permissions {
  const held = allPermissions.filter((permission) => judge(reach, permission, above))
  return { ...nothing, ...Object.fromEntries(held.map((permission: Permission) => permission.split(': '))) }
}
