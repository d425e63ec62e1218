import type { Context } from '../../directory/context.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { settingLimits } from '../../platform/own-limits.ts'
import { conflict, invalid, Refusal } from '../../platform/refusal.ts'
import { findSubjects, type SettingsSubject } from '../store/settings-sql.ts'
import { outcomes } from '../telemetry/outcome.ts'
import { lockState, writeSettings } from '../telemetry-store/telemetry-store.ts'
import { type LocalChange, readConfigMessage } from './config-schemas.ts'
import { afterLocalChange, afterReplacement, afterReport, type Document, type Report } from './setting-documents.ts'
import type { Value } from './setting-values.ts'
import { requireBase, toRow, writeChanges } from './settings-changes.ts'
import { judgeFacts, readFacts, type SettingsFacts } from './settings-judgement.ts'
import { carryToLists } from './settings-lists.ts'
import { problemsWith, requireFit } from './settings-refusals.ts'

/**
 * What an authenticated device says about its settings, whichever protocol brought it: that it applied or rejected a
 * version, or that they were changed at the device. Returns the version that is now the newest.
 */
export async function reportConfig(
  context: Context,
  { device_id }: { device_id: string },
  body: unknown,
): Promise<{ version: number }> {
  const message = readConfigMessage(body)
  if ('base_version' in message) await requireCalm(context, device_id)
  return await transaction(context.sql, async (sql) => {
    const { code, error } = outcomes.removed
    if (!(await lockState(sql, device_id))) throw new Refusal(410, code, error)
    const [subject] = await findSubjects(sql, [device_id])
    if (!subject) return unclaimed(message)
    const facts = (await readFacts(sql, [subject])).get(device_id)!
    if ('base_version' in message) return await change(context, sql, subject, facts, message)
    return await report(context, sql, subject, facts, message)
  })
}

/** A device that changes its mind all the time would fill the audit log of its customer. */
async function requireCalm({ limits }: Context, deviceId: string): Promise<void> {
  const { changesPerDevice } = settingLimits
  if (await limits.take(`settings ${deviceId}`, changesPerDevice)) return
  const sentence = `The settings were changed at the device more than ${changesPerDevice} times within a minute. Try again later.`
  throw new Refusal(429, 'too_many_requests', sentence, { retryAfter: 60 })
}

function unclaimed(message: Report | LocalChange): never {
  if ('base_version' in message) {
    throw conflict('not_claimed', 'Nobody has claimed the device yet: send its settings again once somebody has.')
  }
  throw unknownVersion(0)
}

function unknownVersion(newest: number): Refusal {
  return invalid({ field: 'version', message: `must not be newer than the settings, which are at version ${newest}` })
}

async function report(
  { now }: Context,
  sql: Sql,
  subject: SettingsSubject,
  facts: SettingsFacts,
  said: Report,
): Promise<{ version: number }> {
  const { version } = facts.document
  if (said.version > version) throw unknownVersion(version)
  const next = afterReport(facts.document, said)
  // Of version 0, before anything was wanted, there is nothing to store.
  if (next && facts.row) await store(sql, subject, facts, next, now())
  return { version }
}

async function store(
  sql: Sql,
  subject: SettingsSubject,
  facts: SettingsFacts,
  next: Document,
  reported_at: Date | null,
): Promise<void> {
  const judgement = judgeFacts(facts, next.desired)
  await writeSettings(sql, [{ ...toRow({ subject, facts, next, judgement }, facts.row!), reported_at }])
  await carryToLists(sql, [{ subject, judgement }])
}

async function change(
  context: Context,
  sql: Sql,
  subject: SettingsSubject,
  facts: SettingsFacts,
  { base_version, values }: LocalChange,
): Promise<{ version: number }> {
  const { document, settable } = facts
  requireBase(facts, base_version)
  const changed = new Map<string, Value>(Object.entries(values))
  const problems = problemsWith(settable, changed)
  if (problems.length > 0) throw invalid(...problems)
  const next = afterLocalChange(document, changed)
  if (!next) return { version: document.version }
  requireFit(next)
  const keys = [...changed.keys()]
  await writeChanges(context, sql, { kind: 'device', id: subject.id }, 'device', [{ subject, facts, next, keys }])
  return { version: next.version }
}

/** Other hardware took the device's place, and has said nothing about its settings yet; its state is locked. */
export async function forgetReports(sql: Sql, deviceId: string): Promise<void> {
  const [subject] = await findSubjects(sql, [deviceId])
  const facts = subject && (await readFacts(sql, [subject])).get(deviceId)!
  if (facts?.row) await store(sql, subject!, facts, afterReplacement(facts.document), null)
}
