import type { Page } from '../../platform/http/pagination.ts'
import { dayBefore, isInReach } from '../../platform/instants.ts'
import type { Job } from '../../platform/jobs.ts'
import { found, invalid } from '../../platform/refusal.ts'
import { bucketOf } from '../bucket.ts'
import type { Context } from '../context.ts'
import { type EffectiveStatus, findHistorySubject, type Owner } from '../store/devices-sql.ts'
import { isHistoryDropped } from '../telemetry/partitions.ts'
import { readSlowly } from '../telemetry/slow-reads.ts'
import * as store from '../telemetry-store/telemetry-store.ts'

const day = 86_400_000

interface RangeQuery {
  from?: Date | undefined
  to?: Date | undefined
}

export interface StatusPeriod {
  status: EffectiveStatus
  from: Date
  /** Null while it lasts. */
  to: Date | null
}

export interface StatusHistoryQuery extends RangeQuery {
  limit?: number | undefined
  after?: string | undefined
}

/** What a device's status was in a range, newest first; periods are cut to the range. */
export async function readStatusHistory(
  context: Context,
  owner: Owner,
  id: string,
  query: StatusHistoryQuery,
): Promise<Page<StatusPeriod>> {
  const { subject, from, to, lasts } = await findRange(context, owner, id, query)
  if (from > to) return { items: [], next: null }
  const limit = query.limit ?? 50
  const before = query.after === undefined ? { at: to, number: endOfNumbers } : readCursor(query.after)
  const rows = await store.listStatuses(context.sql, subject, { from, before, limit })
  const items: StatusPeriod[] = []
  let end = query.after === undefined && lasts ? null : before.at
  for (const { status, at } of rows) {
    // Several changes of one instant: only the last one lasted.
    if (end === null || at < end) items.push({ status, from: at, to: end })
    end = at
  }
  if (rows.length === limit) return { items, next: writeCursor(rows.at(-1)!) }
  if (end === null || from < end) items.push({ status: await statusAt(context, subject, from), from, to: end })
  return { items, next: null }
}

export interface Uptime {
  from: Date
  to: Date
  uptime: number | null
  seconds: Record<EffectiveStatus, number>
}

/** Decision 7.34: the share of the time since its first message in which a device was not offline. */
export async function readUptime(
  context: Context,
  owner: Owner,
  id: string,
  query: RangeQuery,
  signal?: AbortSignal,
): Promise<Uptime> {
  const { subject, from, to } = await findRange(context, owner, id, query)
  const seconds = { never_seen: 0, online: 0, offline: 0, error: 0 }
  if (from > to) return { from: to, to, uptime: null, seconds }
  const totals = await readSlowly(context, owner, signal, (sql) =>
    store.sumStatuses(sql, subject, { from, to }, signal),
  )
  Object.assign(seconds, totals.seconds)
  seconds[await statusAt(context, subject, from)] += ((totals.first_at ?? to).getTime() - from.getTime()) / 1000
  const reachable = seconds.online + seconds.error
  const known = reachable + seconds.offline
  return { from, to, uptime: known > 0 ? reachable / known : null, seconds }
}

/** From the claim of this customer, or the registration, to the removal; and no further back than changes are kept. */
async function findRange(context: Context, owner: Owner, id: string, query: RangeQuery) {
  const now = context.now()
  const asked = query.to ?? now
  const start = query.from ?? dayBefore(asked)
  if (start > asked) throw invalid({ field: 'from', message: 'must not be later than to' })
  const device = found(await findHistorySubject(context.sql, owner, id), 'device')
  const state = await store.findStateSummary(context.sql, id)
  const subject = { ...device, bucket: bucketOf(id), status: state?.status ?? device.status }
  const known = 'customer_id' in owner ? subject.claimed_at! : subject.registered_at
  const kept = now.getTime() - context.config.historyDays * day
  const from = new Date(Math.max(start.getTime(), known.getTime(), kept))
  const end = subject.removed_at ?? now
  const to = new Date(Math.min(asked.getTime(), end.getTime()))
  return { subject, from, to, lasts: asked >= end && subject.removed_at === null }
}

async function statusAt(
  { sql }: Context,
  subject: store.HistoryDevice & { status: EffectiveStatus },
  at: Date,
): Promise<EffectiveStatus> {
  return (await store.findStatusAt(sql, subject, at)) ?? subject.status
}

/** The largest integer of Postgres: no change has it. */
const endOfNumbers = 2 ** 31 - 1

function readCursor(after: string): store.StatusCursor {
  const [, milliseconds, digits] = /^(\d{1,15})\.(\d{1,10})$/.exec(after) ?? []
  const at = new Date(Number(milliseconds))
  const number = Number(digits)
  if (!isInReach(at) || !(number <= endOfNumbers)) {
    throw invalid({ field: 'after', message: 'must be the `next` of a previous page' })
  }
  return { at, number }
}

function writeCursor({ at, number }: store.StatusCursor): string {
  return `${at.getTime()}.${number}`
}

const batch = 5_000
/** The job's transaction must end; what is left goes in its next run. */
const maxBatches = 100

/**
 * As long as history, and after it: days whose drop is only announced keep their statuses too. A status that lasted all
 * that time has no row left and needs none: its device has it.
 */
export function deleteOldStatusesJob({ now, config }: Pick<Context, 'now' | 'config'>): Job {
  return {
    name: 'old statuses',
    everySeconds: 600,
    async run(sql) {
      if (!(await isHistoryDropped(sql, now(), config.historyDays))) return
      const age = { now: now(), milliseconds: config.historyDays * day }
      let batches = 1
      while ((await store.deleteOldStatuses(sql, age, batch)) >= batch && batches < maxBatches) batches += 1
    },
  }
}
