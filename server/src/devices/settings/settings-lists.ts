import type { Sql } from '../../platform/database/sql.ts'
import { lockDevices } from '../store/devices-sql.ts'
import { findSubjects, type SettingsSubject, updateSettingColumns } from '../store/settings-sql.ts'
import { lockStates, setSettingsStates } from '../telemetry-store/telemetry-store.ts'
import { type Judgement, judgeFacts, readFacts } from './settings-judgement.ts'

/** Has device lists show what was judged, of devices whose states are locked. */
export async function carryToLists(
  sql: Sql,
  judged: readonly { subject: SettingsSubject; judgement: Pick<Judgement, 'state' | 'differs'> }[],
): Promise<void> {
  const changed = judged.flatMap(({ subject: { id, settings, settings_differ }, judgement: { state, differs } }) => {
    const differ = differs.size > 0
    return settings === state && settings_differ === differ ? [] : [{ id, settings: state, settings_differ: differ }]
  })
  if (changed.length === 0) return
  await lockDevices(
    sql,
    changed.map(({ id }) => id),
  )
  await updateSettingColumns(sql, changed)
}

/**
 * Judges devices again, in a transaction, and has lists show the outcome (decision 7.95). Reads first, and locks only
 * those that changed: they are judged once more under the lock, since a message or a change may have come between.
 */
export async function judgeAgain(sql: Sql, deviceIds: readonly string[]): Promise<void> {
  const changed = await findChanged(sql, deviceIds)
  if (changed.length === 0) return
  const ids = changed.map(({ subject }) => subject.id)
  await lockStates(sql, ids)
  await judgeLocked(sql, ids)
}

/** The same for devices whose states are locked already. */
export async function judgeLocked(sql: Sql, deviceIds: readonly string[]): Promise<void> {
  const changed = await findChanged(sql, deviceIds)
  if (changed.length === 0) return
  const stale = changed.filter(({ row, judgement }) => row && row.state !== judgement.state)
  if (stale.length > 0) {
    await setSettingsStates(
      sql,
      stale.map(({ subject, judgement }) => ({ device_id: subject.id, state: judgement.state })),
    )
  }
  await carryToLists(sql, changed)
}

async function findChanged(sql: Sql, deviceIds: readonly string[]) {
  if (deviceIds.length === 0) return []
  const subjects = await findSubjects(sql, deviceIds)
  const facts = await readFacts(sql, subjects)
  return subjects.flatMap((subject) => {
    const of = facts.get(subject.id)!
    const judgement = judgeFacts(of)
    const isSame =
      subject.settings === judgement.state &&
      subject.settings_differ === judgement.differs.size > 0 &&
      (!of.row || of.row.state === judgement.state)
    return isSame ? [] : [{ subject, judgement, row: of.row }]
  })
}
