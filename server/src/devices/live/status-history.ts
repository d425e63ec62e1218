import type { Context } from '../../context.ts'
import type { Page } from '../../platform/http/pagination.ts'
import { isInReach } from '../../platform/instants.ts'
import type { SharedJob } from '../../platform/jobs.ts'
import { found, invalid } from '../../platform/refusal.ts'
import type { EffectiveStatus, Owner } from '../store/devices.ts'
import { findOldestKeptDay, listPartitions } from '../store/partitions.ts'
import * as store from '../store/status-history.ts'
import { nameOf } from '../telemetry/partitions.ts'
import { readSlowly } from '../telemetry/slow-reads.ts'

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
  const before = query.after === undefined ? { at: to, id: endOfIds } : readCursor(query.after)
  const rows = await store.listStatusChanges(context.sql, subject.number, { from, before, limit })
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
    store.sumStatuses(sql, subject.number, { from, to }, signal),
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
  const start = query.from ?? new Date(asked.getTime() - day)
  if (start > asked) throw invalid({ field: 'from', message: 'must not be later than to' })
  const subject = found(await store.findStatusSubject(context.sql, owner, id), 'device')
  const known = 'customer_id' in owner ? subject.claimed_at! : subject.registered_at
  const kept = now.getTime() - context.config.historyDays * day
  const from = new Date(Math.max(start.getTime(), known.getTime(), kept))
  const end = subject.removed_at ?? now
  const to = new Date(Math.min(asked.getTime(), end.getTime()))
  return { subject, from, to, lasts: asked >= end && subject.removed_at === null }
}

async function statusAt({ sql }: Context, { number, status }: store.StatusSubject, at: Date): Promise<EffectiveStatus> {
  return (await store.findStatusAt(sql, number, at)) ?? status
}

/** The largest bigint: no change has it. */
const endOfIds = '9223372036854775807'

function readCursor(after: string): store.StatusCursor {
  const [, milliseconds, id] = /^(\d{1,15})\.(\d{1,18})$/.exec(after) ?? []
  const at = new Date(Number(milliseconds))
  if (id === undefined || !isInReach(at)) {
    throw invalid({ field: 'after', message: 'must be the `next` of a previous page' })
  }
  return { at, id }
}

function writeCursor({ at, id }: store.StatusCursor): string {
  return `${at.getTime()}.${id}`
}

const batch = 5_000

/**
 * As long as history, and after it: days whose drop is only announced keep their statuses too. A status that lasted all
 * that time has no row left and needs none: its device has it.
 */
export function deleteOldStatusesJob({ sql, now, config }: Pick<Context, 'sql' | 'now' | 'config'>): SharedJob {
  return {
    name: 'old statuses',
    everySeconds: 600,
    async runShared() {
      const oldestKept = nameOf(await findOldestKeptDay(sql, now(), config.historyDays))
      if ((await listPartitions(sql)).some((name) => name < oldestKept)) return
      const age = { now: now(), milliseconds: config.historyDays * day }
      while ((await store.deleteOldStatuses(sql, age, batch)) === batch);
    },
  }
}
