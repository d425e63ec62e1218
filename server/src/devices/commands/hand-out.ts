import type { Context } from '../../directory/context.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'
import { announceCommands, recordSettled } from './command-news.ts'
import { openSecrets } from './command-secrets.ts'
import { cancelWithdrawnOf } from './withdrawn-commands.ts'

/** A command as devices and partners' clouds get it, by whatever way. */
export interface HandedOut {
  id: string
  device_id: string
  name: string
  parameters: Record<string, unknown>
  state: 'sent' | 'in_progress'
  created_at: string
  expires_at: string
  attempt: number
}

/**
 * Hands out the first command of each of these devices, and records that it was. By the database's clock none is handed
 * out after it has expired. A device without one is not in the result.
 *
 * `poll` and `subscribe` get a command again that was handed out before; `notice` only what nobody was handed yet, so
 * that a notification too many costs no attempt; `fleet` that, and what it did not acknowledge for a minute.
 */
export async function handOut(
  context: Context,
  deviceIds: readonly string[],
  way: telemetry.CommandWay,
): Promise<Map<string, HandedOut>> {
  if (deviceIds.length === 0) return new Map()
  // Without a lock, since most devices have none.
  const ids = await telemetry.listWithCommand(context.sql, [...new Set(deviceIds)])
  if (ids.length === 0) return new Map()
  const taken = await transaction(context.sql, async (sql) => {
    await telemetry.lockStates(sql, ids)
    const { settled, heads, rows } = await takeLocked(context, sql, ids, way)
    const given = new Set(rows.map(({ device_id }) => device_id))
    await recordSettled(context, sql, settled)
    await announceCommands(context, sql, {
      heads,
      devices: heads.map(({ device_id }) => device_id).filter((id) => !given.has(id)),
      changed: [...settled, ...rows.filter(({ is_new }) => is_new)],
    })
    return rows
  })
  return new Map(taken.map((row) => [row.device_id, toHandedOut(context, row)]))
}

interface Taken {
  settled: telemetry.SettledCommand[]
  heads: telemetry.CommandHead[]
  rows: telemetry.TakenCommand[]
}

/** Of devices whose states are locked: settles what is due, and hands out the first command that waits. */
async function takeLocked(context: Context, sql: Sql, ids: string[], way: telemetry.CommandWay): Promise<Taken> {
  const again = way === 'poll' || way === 'subscribe'
  const settled = await telemetry.settleCommands(sql, ids, { again })
  await cancelWithdrawnOf(context, sql, ids)
  const heads = settled.length > 0 ? await telemetry.refreshHeads(sql, ids) : []
  const rows = await telemetry.takeHeads(sql, ids, way)
  const given = new Set(rows.map(({ device_id }) => device_id))
  // Others are notified of the next one when the job settles the first.
  const left = again ? ids.filter((id) => !given.has(id)) : []
  if (left.length === 0) return { settled, heads, rows }
  // A first command that expired between the two statements kept back the next one.
  const expired = await telemetry.settleCommands(sql, left, { again })
  if (expired.length === 0) return { settled, heads, rows }
  const isOver = new Set(expired.map(({ id }) => id))
  const next = await telemetry.refreshHeads(sql, left)
  return {
    settled: [...settled, ...expired],
    heads: [...heads.filter(({ id }) => !isOver.has(id)), ...next],
    rows: [...rows, ...(await telemetry.takeHeads(sql, left, way))],
  }
}

/** How often another worker may take all that was listed. */
const maxLists = 10

/** Commands for devices of a partner that its cloud has not been handed yet, or did not acknowledge. */
export async function handOutToFleet(context: Context, partnerId: string, limit: number): Promise<HandedOut[]> {
  for (let lists = 1; ; lists += 1) {
    const ids = await telemetry.listForFleet(context.sql, partnerId, limit)
    const taken = [...(await handOut(context, ids, 'fleet')).values()]
    // A full list of which nothing is left says nothing about what comes behind it.
    const mayBeMore = taken.length === 0 && ids.length === limit && lists < maxLists
    if (!mayBeMore) return taken.sort((one, other) => (one.id < other.id ? -1 : 1))
  }
}

/** The devices, or their partners' clouds, have these commands. */
export async function confirmDelivery(
  context: Context,
  commands: readonly { id: string; device_id: string }[],
): Promise<void> {
  if (commands.length === 0) return
  await transaction(context.sql, async (sql) => {
    // Its own locks come first, as everywhere: two orders would deadlock.
    await telemetry.lockStates(sql, [...new Set(commands.map(({ device_id }) => device_id))])
    await telemetry.setDelivered(sql, commands)
  })
}

function toHandedOut(context: Context, row: telemetry.TakenCommand): HandedOut {
  const { id, device_id, name, parameters, state } = row
  const secrets = row.sealed === null ? {} : openSecrets(context, Buffer.from(row.sealed, 'hex'))
  return {
    id,
    device_id,
    name,
    parameters: { ...parameters, ...secrets },
    state,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    attempt: row.attempts,
  }
}
