import type { SharedJob } from '../../platform/jobs.ts'
import type { Context } from '../context.ts'
import { publishedAfterSeconds } from '../keys/key-schedule.ts'
import { deleteUnpublishedKeys } from '../store/signing-keys-sql.ts'
import { deleteExpired, type ExpiringTable } from '../store/tokens.ts'

/** Rows per statement: few enough not to slow down the hot path. */
const batch = 1_000

/** Other processes' clocks may be late, and for a while the response can still say "expired" instead of "unknown". */
const keptSeconds = 600

const tables: ExpiringTable[] = ['access_tokens', 'refresh_tokens', 'authorization_codes', 'authorization_requests']

/** Rotated refresh tokens leave with their month: `retired-tokens.ts`. */
export function expiryJob(context: Context): SharedJob {
  return {
    name: 'expired tokens and codes',
    everySeconds: 30,
    async runShared() {
      for (const table of tables) {
        const age = { now: context.now(), milliseconds: keptSeconds * 1000 }
        while ((await deleteExpired(context.sql, table, age, batch)) === batch);
      }
      await deleteUnpublishedKeys(context.sql, { now: context.now(), milliseconds: publishedAfterSeconds * 1000 })
    },
  }
}
