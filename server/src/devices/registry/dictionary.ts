import { isDeepStrictEqual } from 'node:util'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import { wakeAfterCommit } from '../../platform/database/sql.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { found, invalid, notFound } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import type { Owner } from '../store/devices-sql.ts'
import * as store from '../store/dictionaries.ts'
import { setAlarmsDue } from '../store/model-alarms-sql.ts'
import { findModel, lockModel } from '../store/models-sql.ts'
import { requestReview } from '../store/setting-reviews-sql.ts'
import { problemsOf } from './dictionary-rules.ts'
import { alarmsChangedTopic } from './model-alarms.ts'

export interface DataDictionary {
  /** In the order in which they are shown. */
  data_points: store.DictionaryEntry[]
}

/** Another partner's model, and one of which a customer has no device, are reported as unknown. */
export async function getDictionary(context: Context, owner: Owner, modelId: string): Promise<DataDictionary> {
  return { data_points: found(await store.findDictionary(context.sql, owner, modelId), 'model') }
}

/** Replaces the whole dictionary; the same one again changes nothing and leaves no audit event. */
export async function replaceDictionary(
  context: Context,
  actor: Actor,
  partnerId: string,
  modelId: string,
  { data_points }: DataDictionary,
  ifMatch?: string,
): Promise<DataDictionary> {
  return await transaction(context.sql, async (sql) => {
    if (!(await lockModel(sql, partnerId, modelId))) throw notFound('model')
    const before = (await store.findDictionary(sql, { partner_id: partnerId }, modelId))!
    requireMatch(ifMatch, { data_points: before })
    const problems = problemsOf(data_points)
    if (problems.length > 0) throw invalid(...problems)
    if (isDeepStrictEqual(before, data_points)) return { data_points: before }
    const after = await store.updateDictionary(sql, modelId, data_points)
    if (!isDeepStrictEqual(alarmsOf(before), alarmsOf(after))) {
      await setAlarmsDue(sql, modelId, context.now())
      wakeAfterCommit(sql, alarmsChangedTopic)
    }
    if (!isDeepStrictEqual(settableOf(before), settableOf(after))) await requestReview(sql, modelId)
    const { name } = (await findModel(sql, partnerId, modelId))!
    await recordAudit(sql, {
      type: 'model.dictionary_changed',
      at: context.now(),
      actor,
      partner_id: partnerId,
      details: { model_id: modelId, name, data_points: after.length, ...countChanges(before, after) },
    })
    return { data_points: after }
  })
}

function alarmsOf(entries: readonly store.DictionaryEntry[]) {
  return entries.flatMap(({ key, values = [] }) => values.flatMap(({ value, alarm }) => (alarm ? [[key, value]] : [])))
}

/** By key: their order does not matter to a device. */
function settableOf(entries: readonly store.DictionaryEntry[]) {
  return new Map(entries.filter(({ settable }) => settable).map((entry) => [entry.key, entry]))
}

/** Only counts: the dictionary itself may be large. */
function countChanges(before: store.DictionaryEntry[], after: store.DictionaryEntry[]) {
  const known = new Map(before.map((entry) => [entry.key, entry]))
  const kept = after.filter(({ key }) => known.has(key))
  return {
    added: after.length - kept.length,
    changed: kept.filter((entry) => !isDeepStrictEqual(known.get(entry.key), entry)).length,
    removed: before.length - kept.length,
  }
}
