import type { BaseContext } from '../../platform/context.ts'
import { type Job, runJob, type SharedJob } from '../../platform/jobs.ts'
import { isPacked, listPartitions, packDay } from '../telemetry-store/telemetry-store.ts'
import { day, dayOf, nameOf } from './partitions.ts'

/** Whole days that stay as they are written: what arrives late is mostly not later than this. */
const daysUnpacked = 2
/** Writing a day again takes as long as its messages are many. */
const packingSeconds = 6 * 60 * 60

/** On a distributed database, writes days that are over again by columns, the oldest first, one in each run (decision 3.16). */
export function packHistoryJob({ sql, now, log }: Pick<BaseContext, 'sql' | 'now' | 'log'>): SharedJob {
  const job: Job = {
    name: 'pack history',
    everySeconds: 600,
    async run(tx) {
      const first = dayOf(now()) - daysUnpacked
      for (const name of await listPartitions(tx)) {
        if (name >= nameOf(first) || (await isPacked(tx, name))) continue
        sql.shards?.requireAll()
        const from = startOf(name)
        await packDay(tx, name, from, new Date(from.getTime() + day))
        log.info({ day: name }, 'history packed')
        return
      }
    },
  }
  return {
    name: job.name,
    everySeconds: job.everySeconds,
    async runShared() {
      if (!sql.shards) return
      const own = sql.alongside({ max: 1, statementSeconds: packingSeconds, applicationName: 'landbridge packing' })
      try {
        await runJob(own, job)
      } finally {
        await own.end({ timeout: 1 })
      }
    },
  }
}

/** Whether a message may belong to a day that is packed: with a day to spare, since the clocks of processes differ. */
export function mayBePacked({ timestamp, arrived_at }: { timestamp: number; arrived_at: number }): boolean {
  return timestamp < (dayOf(new Date(arrived_at)) - daysUnpacked + 1) * day
}

function startOf(name: string): Date {
  return new Date(name.replace(/^history_(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3T00:00:00.000Z'))
}
