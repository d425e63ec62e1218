import { keepSpaces } from '../../directory/organization/spaces.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import { type Detail, invalid } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import { publishMoves } from '../live/live-publishing.ts'
import { judgeLocked } from '../settings/settings-lists.ts'
import * as store from '../store/device-changes-sql.ts'
import { type CustomerOwner, lockDevices } from '../store/devices-sql.ts'
import { lockStates } from '../telemetry-store/telemetry-store.ts'
import { removeLocked } from './devices.ts'

export interface ListedChange {
  id: string
  name?: string | null | undefined
  space_id?: string | null | undefined
}

export const changeOutcomes = ['changed', 'unchanged', 'not_found', 'unknown_space', 'invalid'] as const
export const removalOutcomes = ['removed', 'already_removed', 'not_found'] as const

export interface ChangeResult {
  outcome: (typeof changeOutcomes)[number]
  error?: string
  details?: Detail[]
}

export interface RemovalResult {
  outcome: (typeof removalOutcomes)[number]
}

/** A line that is no change at all. */
export interface InvalidChange {
  problems: Detail[]
}

/**
 * Renames and moves devices in one transaction, with one result per line, in order (decision 7.41). What a line asks for
 * may be so already: sending a list again is safe, and the audit log has one event per device that changed.
 */
export async function changeDevices(
  context: Context,
  actor: Actor,
  owner: CustomerOwner,
  lines: (ListedChange | InvalidChange)[],
): Promise<ChangeResult[]> {
  const { customer_id: customerId } = owner
  const changes = lines.filter((line): line is ListedChange => !('problems' in line))
  return await transaction(context.sql, async (sql) => {
    const wanted = changes.flatMap(({ space_id }) => (space_id ? [space_id] : []))
    const spaces = await keepSpaces(sql, owner, [...new Set(wanted)])
    const ids = [...new Set(changes.map(({ id }) => id))]
    await lockStates(sql, ids)
    const own = (await store.findOwn(sql, owner, ids)).filter(({ removed_at }) => removed_at === null)
    const before = new Map(own.map((device) => [device.id, device]))
    const after = new Map<string, store.NameAndSpace>(own.map(({ id, name, space_id }) => [id, { id, name, space_id }]))
    const results = lines.map((line): ChangeResult => {
      if ('problems' in line) return invalidChange(line.problems)
      const { id } = line
      const device = after.get(id)
      if (!device) return { outcome: 'not_found', error: 'Device not found.' }
      const { name = device.name, space_id = device.space_id } = line
      // Out of all spaces, whoever reaches some only would not reach it any more.
      const leavesAll = line.space_id === null && owner.within
      if (leavesAll || (line.space_id && !spaces.has(line.space_id))) {
        return { outcome: 'unknown_space', error: 'There is no such space.' }
      }
      after.set(id, { id, name, space_id })
      return { outcome: name === device.name && space_id === device.space_id ? 'unchanged' : 'changed' }
    })
    const changed = [...after.values()].flatMap((device) => {
      const { name, space_id, sn } = before.get(device.id)!
      const fields = [...(device.name === name ? [] : ['name']), ...(device.space_id === space_id ? [] : ['space_id'])]
      return fields.length > 0 ? [{ ...device, sn, fields }] : []
    })
    if (changed.length === 0) return results
    await lockDevices(sql, ids)
    const at = context.now()
    await store.updateNamesAndSpaces(sql, customerId, changed, at)
    const moved = changed.filter(({ fields }) => fields.includes('space_id')).map(({ id }) => before.get(id)!)
    if (moved.length > 0) {
      await publishMoves(context, sql, customerId, moved)
      await judgeLocked(
        sql,
        moved.map(({ id }) => id),
      )
    }
    const events = changed.map(({ id, name, sn, fields }) => {
      const details = { sn, name, fields }
      return { type: 'device.changed' as const, at, actor, customer_id: customerId, device_id: id, details }
    })
    await recordAudit(sql, ...events)
    return results
  })
}

/** Removes devices in one transaction, with one result each, in order; the same events as for single removals. */
export async function removeDevices(
  context: Context,
  actor: Actor,
  owner: CustomerOwner,
  deviceIds: string[],
): Promise<RemovalResult[]> {
  return await transaction(context.sql, async (sql) => {
    const ids = [...new Set(deviceIds)]
    await lockStates(sql, ids)
    const own = new Map((await store.findOwn(sql, owner, ids)).map((device) => [device.id, device]))
    const live = [...own.values()].filter(({ removed_at }) => removed_at === null)
    if (live.length > 0) await removeLocked(context, sql, actor, live)
    return deviceIds.map((id) => {
      const device = own.get(id)
      return { outcome: !device ? 'not_found' : device.removed_at === null ? 'removed' : 'already_removed' }
    })
  })
}

function invalidChange(problems: Detail[]): ChangeResult {
  const { message, details } = invalid(...problems)
  return { outcome: 'invalid', error: message, details: details! }
}
