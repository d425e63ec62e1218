import { csvHeader, csvLine, csvText } from '../../platform/csv.ts'
import type { Context } from '../context.ts'
import type { Owner } from '../store/devices-sql.ts'
import { type DictionaryEntry, findDictionaryOfDevice } from '../store/dictionaries.ts'
import { type HistoryItem, type HistoryQuery, listExportedKeys, readHistory } from './history.ts'

const messagesAtOnce = 500

interface CsvQuery extends Pick<HistoryQuery, 'from' | 'to' | 'keys'> {
  /** `labels`: headers for people, and columns in the order of the model's dictionary. */
  headers?: 'keys' | 'labels' | undefined
}

/** RFC 4180. The first page is read before the response starts, so that an unknown device is still a 404. */
export async function writeHistoryCsv(
  context: Context,
  owner: Owner,
  id: string,
  { headers, ...range }: CsvQuery,
  signal?: AbortSignal,
): Promise<AsyncIterable<string>> {
  // The end is fixed now, or a device that keeps sending would never let the export end.
  const query = { ...range, to: range.to ?? context.now(), limit: messagesAtOnce }
  const first = await readHistory(context, owner, id, query, signal)
  const dictionary = headers === 'labels' ? await findDictionaryOfDevice(context.sql, id) : []
  const keys = range.keys ?? inOrder(dictionary, await listExportedKeys(context, owner, id, query, signal))

  async function* write() {
    yield csvHeader(['timestamp', 'received_at', 'message_id', 'status', ...titlesOf(dictionary, keys)])
    for (let page = first; ; page = await readHistory(context, owner, id, { ...query, after: page.next! }, signal)) {
      yield page.items.map((item) => csvLine(fields(item, keys))).join('')
      if (page.next === null) return
    }
  }
  return write()
}

/** The keys that the dictionary has in its order, then the others. */
function inOrder(dictionary: DictionaryEntry[], keys: string[]): string[] {
  const present = new Set(keys)
  const known = dictionary.map(({ key }) => key).filter((key) => present.has(key))
  return [...new Set([...known, ...keys])]
}

/** `Temperature (°C)`, with the key behind it where two columns would have the same title. */
function titlesOf(dictionary: DictionaryEntry[], keys: string[]): string[] {
  const entries = new Map(dictionary.map((entry) => [entry.key, entry]))
  const titles = keys.map((key) => {
    const { label = key, unit } = entries.get(key) ?? {}
    return unit === undefined ? label : `${label} (${unit})`
  })
  const counts = new Map<string, number>()
  for (const title of titles) counts.set(title, (counts.get(title) ?? 0) + 1)
  return titles.map((title, index) => (counts.get(title) === 1 ? title : `${title} [${keys[index]}]`))
}

function fields({ timestamp, received_at, message_id, status, telemetries }: HistoryItem, keys: string[]): string[] {
  // Empty for what the message did not have, and for what it removed.
  const values = keys.map((key) => (Object.hasOwn(telemetries, key) ? (telemetries[key] ?? '') : ''))
  return [
    timestamp.toISOString(),
    received_at.toISOString(),
    csvText(message_id ?? ''),
    status,
    ...values.map((value) => (typeof value === 'string' ? csvText(value) : String(value))),
  ]
}
