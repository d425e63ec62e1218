import type { Context } from '../../directory/context.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { invalid, notFound, Refusal } from '../../platform/refusal.ts'
import { configTopic } from '../live/topics.ts'
import type { CustomerOwner } from '../store/devices-sql.ts'
import { findOwnSubjects, type SettingsSubject } from '../store/settings-sql.ts'
import { lockStates, type SettingsRow, writeSettings } from '../telemetry-store/telemetry-store.ts'
import { afterChange, type Change, type Document, valuesOf } from './setting-documents.ts'
import { type Judgement, judgeFacts, readFacts, type SettingsFacts } from './settings-judgement.ts'
import { carryToLists } from './settings-lists.ts'
import { problemsWith, requireFit, SettingsChanged } from './settings-refusals.ts'

/** What came of a change for one device. */
export type SettingsOutcome = { device_id: string; version: number } | { device_id: string; refusal: Refusal }

export interface ManyChanges {
  source: 'customer' | 'template'
  /** By device; a refusal is thrown. */
  changeOf(subject: SettingsSubject, facts: SettingsFacts): Change
}

/**
 * Changes the settings of many devices in one transaction, with one outcome each, in order: one that fails undoes no
 * other. What is so already keeps its version and leaves no audit event.
 */
export async function changeMany(
  context: Context,
  actor: Actor,
  owner: CustomerOwner,
  deviceIds: readonly string[],
  { source, changeOf }: ManyChanges,
): Promise<SettingsOutcome[]> {
  return await transaction(context.sql, async (sql) => {
    const ids = [...new Set(deviceIds.map((id) => id.toLowerCase()))]
    const reached = await findOwnSubjects(sql, owner, ids)
    await lockStates(
      sql,
      reached.map(({ id }) => id),
    )
    // Again under the lock: they may have been removed or moved.
    const subjects =
      reached.length > 0
        ? await findOwnSubjects(
            sql,
            owner,
            reached.map(({ id }) => id),
          )
        : []
    const facts = await readFacts(sql, subjects)
    const written: ChangedDevice[] = []
    const outcomes = new Map<string, SettingsOutcome>()
    for (const subject of subjects) {
      const of = facts.get(subject.id)!
      const outcome = attempt(subject.id, () => {
        const change = changeOf(subject, of)
        const next = nextDocument(of, change)
        if (next) written.push({ subject, facts: of, next, keys: [...change.keys()] })
        return (next ?? of.document).version
      })
      outcomes.set(subject.id, outcome)
    }
    await writeChanges(context, sql, actor, source, written)
    const unknown = (device_id: string) => ({ device_id, refusal: notFound('device') })
    return deviceIds.map((id) => outcomes.get(id.toLowerCase()) ?? unknown(id))
  })
}

function attempt(device_id: string, work: () => number): SettingsOutcome {
  try {
    return { device_id, version: work() }
  } catch (error) {
    if (error instanceof Refusal) return { device_id, refusal: error }
    throw error
  }
}

function nextDocument(facts: SettingsFacts, change: Change): Document | null {
  const problems = problemsWith(facts.settable, change)
  if (problems.length > 0) throw invalid(...problems)
  const next = afterChange(facts.document, change, judgeFacts(facts).settings)
  if (next) requireFit(next)
  return next
}

export interface ChangedDevice {
  subject: SettingsSubject
  facts: SettingsFacts
  next: Document
  /** For the audit log: names, never values. */
  keys: string[]
}

/** Stores new versions of devices whose states are locked, and has every process and list know of them. */
export async function writeChanges(
  context: Pick<Context, 'now' | 'notifications'>,
  sql: Sql,
  actor: Actor,
  source: SettingsRow['source'],
  changes: readonly ChangedDevice[],
): Promise<void> {
  if (changes.length === 0) return
  const at = context.now()
  const judged = changes.map((change) => ({ ...change, judgement: judgeFacts(change.facts, change.next.desired) }))
  const by = { source, changed_at: at, changed_by: actor }
  await writeSettings(
    sql,
    judged.map((change) => toRow(change, by)),
  )
  await carryToLists(sql, judged)
  const ids = changes.map(({ subject }) => subject.id)
  await context.notifications.publish(sql, configTopic, ids)
  const events = changes.map(({ subject: { id, customer_id, sn, name }, next: { version }, keys }) => {
    const details = { sn, name, version, source, keys }
    return { type: 'settings.changed' as const, at, actor, customer_id, device_id: id, details }
  })
  await recordAudit(sql, ...events)
}

export function toRow(
  { subject, facts, next, judgement }: Omit<ChangedDevice, 'keys'> & { judgement: Judgement },
  { source, changed_at, changed_by }: Pick<SettingsRow, 'source' | 'changed_at' | 'changed_by'>,
): SettingsRow {
  const { id: device_id, customer_id, model_id } = subject
  const { version, desired, reported_version } = next
  const reported_at = facts.row?.reported_at ?? null
  return {
    ...{ device_id, customer_id, model_id, version, desired: Object.fromEntries(desired) },
    ...{ source, changed_at, changed_by, reported_version, reported_at, state: judgement.state },
  }
}

export function requireBase({ document, row }: SettingsFacts, base: number | undefined): void {
  if (base === undefined || base === document.version) return
  const config = Object.fromEntries(valuesOf(document.desired))
  throw new SettingsChanged({ version: document.version, config, last_updated: row?.changed_at ?? null })
}
