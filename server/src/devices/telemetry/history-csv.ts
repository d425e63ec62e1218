import type { Context } from '../../context.ts'
import { csvLine, csvText } from '../../platform/csv.ts'
import type { Owner } from '../store/devices.ts'
import { listDataPoints } from '../store/devices.ts'
import { type HistoryItem, type HistoryQuery, readHistory } from './history.ts'

const messagesAtOnce = 500

/** RFC 4180. The first page is read before the response starts, so that an unknown device is still a 404. */
export async function writeHistoryCsv(
  context: Context,
  owner: Owner,
  id: string,
  range: Pick<HistoryQuery, 'from' | 'to' | 'keys'>,
  signal?: AbortSignal,
): Promise<AsyncIterable<string>> {
  // The end is fixed now, or a device that keeps sending would never let the export end.
  const query = { ...range, to: range.to ?? context.now(), limit: messagesAtOnce }
  const first = await readHistory(context, owner, id, query, signal)
  const keys = range.keys ?? (await listDataPoints(context.sql, id))

  async function* write() {
    yield csvLine(['timestamp', 'received_at', 'message_id', 'status', ...keys.map(csvText)])
    for (let page = first; ; page = await readHistory(context, owner, id, { ...query, after: page.next! }, signal)) {
      yield page.items.map((item) => csvLine(fields(item, keys))).join('')
      if (page.next === null) return
    }
  }
  return write()
}

function fields({ timestamp, received_at, message_id, status, telemetries }: HistoryItem, keys: string[]): string[] {
  const values = keys.map((key) => (Object.hasOwn(telemetries, key) ? telemetries[key] : ''))
  return [
    timestamp.toISOString(),
    received_at.toISOString(),
    csvText(message_id ?? ''),
    status,
    ...values.map((value) => (typeof value === 'string' ? csvText(value) : String(value))),
  ]
}
