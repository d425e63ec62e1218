import type { Context } from '../../directory/context.ts'
import { recordAudit } from '../../events/audit.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { beforeCommit, transaction } from '../../platform/database/database.ts'
import { commandLimits } from '../../platform/own-limits.ts'
import { conflict, invalid, notFound, type Refusal } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'
import { announceCommands, recordSettled } from './command-news.ts'
import { judgeReport, type Report, type ReportVerdict } from './command-states.ts'
import { finishedSentence } from './command-words.ts'
import { inTurn, type Outcome } from './in-turn.ts'

export interface CommandReport extends Report {
  id: string
}

/** Who reports: the device itself, or the cloud of its partner. */
export type Reporter = { device_id: string } | { partner_id: string }

/**
 * What a device says about a command. The first final report counts. `next` when another command waits. A command of
 * another device or partner is reported as unknown.
 */
export type ReportCommand = (reporter: Reporter, report: CommandReport) => Promise<{ next: boolean }>

interface Reporting {
  reporter: Reporter
  report: CommandReport
}

type ReportOutcome = { next: boolean } | { refusal: Refusal }

/** Reports of one transaction: each locks its device until it commits. */
const maxReports = 200

/** Reports of many devices at the same moment share a transaction: Postgres lets one with a notification in at a time. */
export function createReporter(context: Context): ReportCommand {
  const { sql } = context
  const call = telemetry.perLane(
    sql,
    ({ report }: Reporting) => report.id,
    () => coalesce<Reporting, Outcome<ReportOutcome>>((reports) => reportEach(context, reports), { max: maxReports }),
  )
  return async (reporter, { id, ...report }) => {
    requireShort(report)
    if (!isId(id)) throw notFound('command')
    const one = { reporter, report: { id: id.toLowerCase(), ...report } }
    // What an Idempotency-Key records is of one request, and so is its transaction.
    const outcome = beforeCommit.getStore() ? (await reportEach(context, [one]))[0]! : await call(one)
    if ('failure' in outcome) throw outcome.failure
    if ('refusal' in outcome) throw outcome.refusal
    return outcome
  }
}

async function reportEach(context: Context, reports: readonly Reporting[]): Promise<Outcome<ReportOutcome>[]> {
  const ids = [...new Set(reports.map(({ report }) => report.id))]
  const owners = new Map((await telemetry.findCommandOwners(context.sql, ids)).map((owner) => [owner.id, owner]))
  const known = reports.flatMap(({ reporter, report }, index) => {
    const owner = owners.get(report.id)
    return owner && isBy(reporter, owner) ? [{ index, device_id: owner.device_id, ...report }] : []
  })
  const outcomes = await inTurn(known, (some) => recordReports(context, some))
  const byIndex = new Map(known.map(({ index }, at) => [index, outcomes[at]!]))
  return reports.map((_, index) => byIndex.get(index) ?? { refusal: notFound('command') })
}

interface ReportOfDevice extends CommandReport {
  device_id: string
}

/** Reports of different devices. */
async function recordReports(context: Context, reports: readonly ReportOfDevice[]): Promise<ReportOutcome[]> {
  const deviceIds = reports.map(({ device_id }) => device_id)
  return await transaction(context.sql, async (sql) => {
    await telemetry.lockStates(sql, deviceIds)
    const settled = await telemetry.settleCommands(sql, deviceIds)
    await recordSettled(context, sql, settled)
    const rows = await telemetry.findCommands(
      sql,
      reports.map(({ id }) => id),
    )
    const commands = new Map(rows.map((command) => [command.id, command]))
    const judged = reports.flatMap((report) => {
      const command = commands.get(report.id)
      return command ? [{ report, command, verdict: judgeReport(command, report) }] : []
    })
    await telemetry.updateReported(sql, judged.flatMap(toChange))
    const finished = judged.filter(({ verdict }) => verdict === 'finish')
    await recordAudit(sql, ...finished.map(({ command, report }) => finishedEvent(context, command, report)))
    const changed = [
      ...settled,
      ...judged.filter(({ verdict }) => verdict === 'progress' || verdict === 'finish').map(({ command }) => command),
    ]
    const ofChanged = [...new Set(changed.map(({ device_id }) => device_id))]
    const heads = ofChanged.length > 0 ? await telemetry.refreshHeads(sql, ofChanged) : []
    await announceCommands(context, sql, { heads, changed })
    const firsts = new Map((await telemetry.findHeads(sql, deviceIds)).map(({ device_id, id }) => [device_id, id]))
    // Not thrown in the transaction: what was due stays settled.
    const outcomes = judged.map(({ report, command, verdict }): [string, ReportOutcome] => {
      const first = firsts.get(command.device_id)
      const refusal = verdict === 'finished' && conflict('command_finished', finishedSentence(command.state))
      return [report.id, refusal ? { refusal } : { next: first !== undefined && first !== command.id }]
    })
    const byId = new Map(outcomes)
    return reports.map(({ id }) => byId.get(id) ?? { refusal: notFound('command') })
  })
}

interface JudgedReport {
  report: ReportOfDevice
  command: telemetry.CommandRow
  verdict: ReportVerdict
}

/** None, where nothing changes. */
function toChange({ report, verdict }: JudgedReport): telemetry.CommandChange[] {
  const { id, message = null } = report
  if (verdict === 'late') return [{ id, state: null, message, result: null }]
  if (verdict === 'progress') return [{ id, state: 'in_progress', message, result: null }]
  return verdict === 'finish' ? [{ id, state: report.status, message, result: textOf(report.result) }] : []
}

function finishedEvent(context: Context, { id, device_id, customer_id, name }: telemetry.CommandRow, report: Report) {
  const details = { command_id: id, name, state: report.status }
  const actor = { kind: 'device' as const, id: device_id }
  return { type: 'command.finished' as const, at: context.now(), actor, customer_id, device_id, details }
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
