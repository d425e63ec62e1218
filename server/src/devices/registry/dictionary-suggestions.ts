import type { Context } from '../context.ts'
import * as store from '../store/dictionaries.ts'
import { readSlowly } from '../telemetry/slow-reads.ts'
import { selectSeenDataPoints } from '../telemetry-store/telemetry-store.ts'
import { getModel } from './models.ts'
import { firstInChart, suggestEntry } from './suggested-entries.ts'

export interface Suggestion {
  entry: store.DictionaryEntry
  /** Devices that have the data point, among the newest. */
  devices: number
  /** Of its numbers. */
  min: number | null
  max: number | null
}

/** Entries for the data points that the model's newest devices have in their states, whether the dictionary has them or not. */
export async function suggestDictionary(
  context: Context,
  partnerId: string,
  modelId: string,
  signal?: AbortSignal,
): Promise<Suggestion[]> {
  await getModel(context, partnerId, modelId)
  const owner = { partner_id: partnerId }
  const seen = await readSlowly(context, owner, signal, async (sql) => {
    const devices = await store.listNewestSenders(sql, modelId, signal)
    return await selectSeenDataPoints(sql, devices, signal)
  })
  const entries = seen.map(suggestEntry)
  const charted = new Set(firstInChart(entries))
  return seen.map(({ devices, min, max }, index) => {
    const entry = entries[index]!
    return { entry: charted.has(entry) ? { ...entry, chart: true } : entry, devices, min, max }
  })
}
