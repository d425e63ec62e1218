import type { BaseContext } from '../../platform/context.ts'
import type { Sql } from '../../platform/database/sql.ts'
import type { Job } from '../../platform/jobs.ts'
import * as store from '../telemetry-store/telemetry-store.ts'

export const day = 24 * 60 * 60 * 1000
/** A message may be a week late; a process may be down over a long weekend. */
const daysBack = 8
const daysAhead = 7

/** Creates the partitions of the next days. Messages of a day without one go to the default partition. */
export function createPartitionsJob({ now, config }: Pick<BaseContext, 'now' | 'config'>): Job {
  return {
    name: 'create history partitions',
    everySeconds: 600,
    async run(sql) {
      const today = dayOf(now())
      const existing = new Set(await store.listPartitions(sql))
      await store.waitBriefly(sql)
      for (let number = today - Math.min(daysBack, config.historyDays); number <= today + daysAhead; number += 1) {
        const name = nameOf(number)
        if (existing.has(name)) continue
        sql.shards?.requireAll()
        await store.createPartition(sql, name, new Date(number * day), new Date((number + 1) * day))
      }
    },
  }
}

/** An unusual drop is announced this long before it happens: time to notice a wrong setting or clock. */
const noticeMilliseconds = 60 * 60 * 1000

/** Drops whole days past retention instead of deleting rows. */
export function dropPartitionsJob({ now, config, log }: Pick<BaseContext, 'now' | 'config' | 'log'>): Job {
  return {
    name: 'drop history partitions',
    everySeconds: 600,
    async run(sql) {
      const oldest = await store.findOldestKeptDay(sql, now(), config.historyDays)
      const old = (await store.listPartitions(sql)).filter((name) => name < nameOf(oldest))
      const verdict = judgeDrop(await store.findRetention(sql), old.length, now())
      if (verdict === 'announce') {
        await store.announceDrop(sql, old.length, now())
        const sentence = `history: ${old.length} days are past LANDBRIDGE_HISTORY_DAYS=${config.historyDays}, more than were ever dropped at once. They will be dropped in an hour unless the setting changes.`
        log.warn({ first: old[0], last: old.at(-1) }, sentence)
      }
      if (verdict !== 'drop') return
      sql.shards?.requireAll()
      await store.waitBriefly(sql)
      for (const name of old) await store.dropPartition(sql, name)
      if (old.length > 0) await store.recordDrop(sql, old.length)
      await store.deleteStrays(sql, new Date(oldest * day))
    },
  }
}

/** False while days past retention are still there: their drop may only be announced. */
export async function isHistoryDropped(sql: Sql, now: Date, historyDays: number): Promise<boolean> {
  const oldestKept = nameOf(await store.findOldestKeptDay(sql, now, historyDays))
  return !(await store.listPartitions(sql)).some((name) => name < oldestKept)
}

/** More days than were ever dropped at once are announced first. */
export function judgeDrop(retention: store.Retention, days: number, now: Date): 'drop' | 'announce' | 'wait' {
  const { most_dropped, announced_days, announced_at } = retention
  if (days <= most_dropped) return 'drop'
  if (announced_at === null || announced_days === null || days > announced_days) return 'announce'
  return now.getTime() - announced_at.getTime() >= noticeMilliseconds ? 'drop' : 'wait'
}

export function dayOf(at: Date): number {
  return Math.floor(at.getTime() / day)
}

/** `history_20260301`: sorts by day. */
export function nameOf(number: number): string {
  return `history_${new Date(number * day).toISOString().slice(0, 10).replaceAll('-', '')}`
}
