import type { Context } from '../../directory/context.ts'
import type { Actor } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { conflict, found } from '../../platform/refusal.ts'
import type { CustomerOwner } from '../store/devices-sql.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'
import { announceCommands, recordCanceled, recordSettled } from './command-news.ts'
import { judgeCancel } from './command-states.ts'
import { finishedSentence } from './command-words.ts'
import { findOwnCommand } from './own-command.ts'

/** Only while the device does not have it. Canceling again is harmless. */
export async function cancelCommand(
  context: Context,
  actor: Actor,
  owner: CustomerOwner,
  deviceId: string,
  id: string,
): Promise<telemetry.CommandRow> {
  found(await findOwnCommand(context.sql, owner, deviceId, id), 'command')
  const { verdict, command } = await transaction(context.sql, async (sql) => {
    await telemetry.lockStates(sql, [deviceId])
    const settled = await telemetry.settleCommands(sql, [deviceId])
    await recordSettled(context, sql, settled)
    // Again under the lock: the device may have been moved, or removed, meanwhile.
    const before = found(await findOwnCommand(sql, owner, deviceId, id), 'command')
    const verdict = judgeCancel(before.state)
    const canceled = verdict === 'cancel' ? await cancelLocked(context, sql, actor, [deviceId], { id }) : []
    if (canceled.length === 0 && settled.length > 0) {
      await announceCommands(context, sql, { heads: await telemetry.refreshHeads(sql, [deviceId]), changed: settled })
    }
    return { verdict, command: (await telemetry.findCommand(sql, id))! }
  })
  if (verdict === 'under_way') throw conflict('command_under_way', 'The device has it already.')
  if (verdict === 'finished') throw conflict('command_finished', finishedSentence(command.state))
  return command
}

/** Of devices whose states are locked: everything that waits for them, because they are removed or replaced. */
export async function cancelWaiting(context: Context, sql: Sql, actor: Actor, deviceIds: string[]): Promise<void> {
  await cancelLocked(context, sql, actor, deviceIds, 'waiting')
}

/** Of devices whose states are locked, with all that follows from it. */
export async function cancelLocked(
  context: Context,
  sql: Sql,
  actor: Actor,
  deviceIds: readonly string[],
  which: Parameters<typeof telemetry.cancelCommands>[2],
): Promise<telemetry.CanceledCommand[]> {
  const canceled = await telemetry.cancelCommands(sql, deviceIds, which)
  if (canceled.length === 0) return canceled
  const affected = [...new Set(canceled.map(({ device_id }) => device_id))]
  const heads = await telemetry.refreshHeads(sql, affected)
  await recordCanceled(context, sql, actor, canceled)
  await announceCommands(context, sql, { heads, changed: canceled })
  return canceled
}
