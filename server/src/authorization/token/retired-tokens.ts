import { missingMonths, monthsOlderThan, waitBriefly } from '../../platform/database/month-partitions.ts'
import type { Job } from '../../platform/jobs.ts'
import type { Context } from '../context.ts'
import {
  createRetiredMonth,
  deleteRetiredStrays,
  dropRetiredMonth,
  retiredTokensTable,
} from '../store/retired-tokens-sql.ts'
import { refreshTokenSeconds } from './lifetimes.ts'

/**
 * A rotated refresh token stays until it would have expired, so that its replay is detected for all 90 days. It leaves
 * with the month of its rotation: dropping a table costs the same for a million rows as for one.
 */
export function retiredTokensJob({ now }: Pick<Context, 'now'>): Job {
  return {
    name: 'months of retired refresh tokens',
    everySeconds: 3_600,
    async run(sql) {
      await waitBriefly(sql)
      for (const { name, from, to } of await missingMonths(sql, retiredTokensTable, now())) {
        await createRetiredMonth(sql, name, from, to)
      }
      const age = { now: now(), milliseconds: refreshTokenSeconds * 1000 }
      for (const { name } of await monthsOlderThan(sql, retiredTokensTable, age)) await dropRetiredMonth(sql, name)
      await deleteRetiredStrays(sql, age, 1_000)
    },
  }
}
