import type { Context } from '../context.ts'
import type { Job } from '../platform/jobs.ts'
import * as store from './store/partitions.ts'

const day = 24 * 60 * 60 * 1000
/** A message may be a week late; a process may be down over a long weekend. */
const daysBack = 8
const daysAhead = 7

/** Makes the partitions of the days to come. A day that has none still takes messages, in the default one. */
export function keepHistory({ now, config }: Pick<Context, 'now' | 'config'>): Job {
  return {
    name: 'keep history',
    everySeconds: 600,
    async run(sql) {
      const today = dayOf(now())
      const existing = new Set(await store.listPartitions(sql))
      await store.waitBriefly(sql)
      for (let number = today - Math.min(daysBack, config.historyDays); number <= today + daysAhead; number += 1) {
        const name = nameOf(number)
        if (existing.has(name)) continue
        await store.createPartition(sql, name, new Date(number * day), new Date((number + 1) * day))
      }
    },
  }
}

/** Drops the days past retention: no row is touched one by one. */
export function dropHistory({ now, config }: Pick<Context, 'now' | 'config'>): Job {
  return {
    name: 'drop history',
    everySeconds: 600,
    async run(sql) {
      const oldest = dayOf(now()) - config.historyDays
      const existing = await store.listPartitions(sql)
      await store.waitBriefly(sql)
      for (const name of existing) if (name < nameOf(oldest)) await store.dropPartition(sql, name)
      await store.deleteStrays(sql, new Date(oldest * day))
    },
  }
}

function dayOf(at: Date): number {
  return Math.floor(at.getTime() / day)
}

/** `history_20260301`: in the order of the days. */
function nameOf(number: number): string {
  return `history_${new Date(number * day).toISOString().slice(0, 10).replaceAll('-', '')}`
}
