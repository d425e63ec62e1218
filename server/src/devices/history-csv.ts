import type { Context } from '../context.ts'
import { type HistoryItem, type HistoryQuery, readHistory } from './history.ts'
import type { Owner } from './store/devices.ts'
import { listDataPoints } from './store/devices.ts'

const messagesAtOnce = 500

/** RFC 4180. The first page is read before anything is promised: a device that is not there is still a 404. */
export async function writeHistoryCsv(
  context: Context,
  owner: Owner,
  id: string,
  range: Pick<HistoryQuery, 'from' | 'to' | 'keys'>,
  signal?: AbortSignal,
): Promise<AsyncIterable<string>> {
  // The end is fixed now, or a device that keeps speaking would keep us writing.
  const query = { ...range, to: range.to ?? context.now(), limit: messagesAtOnce }
  const first = await readHistory(context, owner, id, query, signal)
  const keys = range.keys ?? (await listDataPoints(context.sql, id))

  async function* write() {
    yield line(['timestamp', 'received_at', 'message_id', 'status', ...keys.map(text)])
    for (let page = first; ; page = await readHistory(context, owner, id, { ...query, after: page.next! }, signal)) {
      yield page.items.map((item) => line(fields(item, keys))).join('')
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
    text(message_id ?? ''),
    status,
    ...values.map((value) => (typeof value === 'string' ? text(value) : String(value))),
  ]
}

/** Spreadsheets run what begins like a formula; a device's text is shown, not run. */
function text(value: string): string {
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

function line(fields: string[]): string {
  return `${fields.join(',')}\r\n`
}
