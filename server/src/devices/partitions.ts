import type { Context } from '../context.ts'
import type { Job } from '../platform/jobs.ts'
import * as store from './store/partitions.ts'

const day = 24 * 60 * 60 * 1000
/** A message may be a week late; a process may be down over a long weekend. */
const daysBack = 8
const daysAhead = 7

/** Makes the partitions of the days to come and drops those past retention. A day without one still takes messages. */
export function keepHistory({ now, config }: Pick<Context, 'now' | 'config'>): Job {
  return {
    name: 'keep history',
    everySeconds: 600,
    async run(sql) {
      const today = Math.floor(now().getTime() / day)
      const oldest = today - config.historyDays
      const existing = new Set(await store.listPartitions(sql))
      for (let number = Math.max(today - daysBack, oldest); number <= today + daysAhead; number += 1) {
        const name = nameOf(number)
        if (!existing.has(name)) await store.createPartition(sql, name, new Date(number * day), new Date((number + 1) * day))
      }
      for (const name of existing) if (name < nameOf(oldest)) await store.dropPartition(sql, name)
      await store.deleteStrays(sql, new Date(oldest * day))
    },
  }
}

/** `history_20260301`: in the order of the days. */
function nameOf(number: number): string {
  return `history_${new Date(number * day).toISOString().slice(0, 10).replaceAll('-', '')}`
}
