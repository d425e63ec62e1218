import type { Context } from '../../directory/context.ts'
import { recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { commandLimits } from '../../platform/own-limits.ts'
import { conflict, invalid, notFound } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'
import { announceCommands, recordSettled } from './command-news.ts'
import { judgeReport, type Report } from './command-states.ts'
import { finishedSentence } from './command-words.ts'

export interface CommandReport extends Report {
  id: string
}

/** Who reports: the device itself, or the cloud of its partner. */
export type Reporter = { device_id: string } | { partner_id: string }

/**
 * What a device says about a command. The first final report counts. `next` when another command waits. A command of
 * another device or partner is reported as unknown.
 */
export async function reportCommand(
  context: Context,
  reporter: Reporter,
  { id: given, ...report }: CommandReport,
): Promise<{ next: boolean }> {
  requireShort(report)
  const id = given.toLowerCase()
  const owner = isId(id) ? await telemetry.findCommandOwner(context.sql, id) : undefined
  if (!owner || !isBy(reporter, owner)) throw notFound('command')
  const { device_id } = owner
  const outcome = await transaction(context.sql, async (sql) => {
    await telemetry.lockStates(sql, [device_id])
    const settled = await telemetry.settleCommands(sql, [device_id])
    await recordSettled(context, sql, settled)
    const command = (await telemetry.findCommand(sql, id))!
    const verdict = judgeReport(command, report)
    const message = report.message ?? null
    if (verdict === 'progress') await telemetry.updateProgress(sql, id, message)
    else if (verdict === 'late') await telemetry.updateLateMessage(sql, id, message)
    else if (verdict === 'finish') {
      const state = report.status as 'done' | 'failed' | 'rejected'
      await telemetry.finishCommand(sql, id, { state, message, result: textOf(report.result) })
      const details = { command_id: id, name: command.name, state }
      const actor = { kind: 'device' as const, id: device_id }
      const { customer_id } = command
      await recordAudit(sql, { type: 'command.finished', at: context.now(), actor, customer_id, device_id, details })
    }
    const changed = verdict === 'progress' || verdict === 'finish' ? [...settled, command] : settled
    const heads = changed.length > 0 ? await telemetry.refreshHeads(sql, [device_id]) : []
    await announceCommands(context, sql, { heads, changed })
    return { verdict, state: command.state, next: await hasNext(sql, device_id, id) }
  })
  // Not thrown in the transaction: what was due stays settled.
  if (outcome.verdict === 'finished') throw conflict('command_finished', finishedSentence(outcome.state))
  return { next: outcome.next }
}

async function hasNext(sql: Sql, deviceId: string, id: string): Promise<boolean> {
  const head = await telemetry.findHead(sql, deviceId)
  return head !== undefined && head.id !== id
}

function isBy(reporter: Reporter, owner: { device_id: string; partner_id: string }): boolean {
  return 'device_id' in reporter ? reporter.device_id === owner.device_id : reporter.partner_id === owner.partner_id
}

/** A text that Postgres can store; null for nothing. */
function textOf(result: unknown): string | null {
  return result === undefined || result === null ? null : JSON.stringify(result)
}

function requireShort({ message, result }: Report): void {
  const text = textOf(result) ?? ''
  const nul = 'must not have the character U+0000'
  if (Buffer.byteLength(message ?? '') > commandLimits.messageBytes) {
    throw invalid({ field: 'message', message: `must not have more than ${commandLimits.messageBytes} bytes` })
  }
  if (Buffer.byteLength(text) > commandLimits.resultBytes) {
    throw invalid({ field: 'result', message: `must not have more than ${commandLimits.resultBytes} bytes as JSON` })
  }
  if (message?.includes('\u0000')) throw invalid({ field: 'message', message: nul })
  if (text.includes('\\u0000')) throw invalid({ field: 'result', message: nul })
}
