import type { Context } from '../../context.ts'
import type { SharedJob } from '../../platform/jobs.ts'
import { publishedAfterSeconds } from '../keys/key-schedule.ts'
import { deleteEndedKeys } from '../store/signing-keys.ts'
import { deleteExpired, type ExpiringTable } from '../store/tokens.ts'

/** Rows a statement: short enough that nobody on the hot path notices it. */
const batch = 1_000

/** A clock of another process may be late, and a partner who asks why still finds the reason for a while. */
const keptSeconds = 600

const tables: ExpiringTable[] = ['access_tokens', 'refresh_tokens', 'authorization_codes', 'authorization_requests']

/**
 * Takes away what can no longer be used. Rotated refresh tokens stay until their own expiry: replay is detected for the
 * whole 90 days. `skip locked` shares the work out among processes.
 */
export function expiryJob(context: Context): SharedJob {
  return {
    name: 'expired tokens and codes',
    everySeconds: 30,
    async runShared() {
      for (const table of tables) {
        while (
          (await deleteExpired(context.sql, table, { now: context.now(), milliseconds: keptSeconds * 1000 }, batch)) ===
          batch
        );
      }
      await deleteEndedKeys(context.sql, { now: context.now(), milliseconds: publishedAfterSeconds * 1000 })
    },
  }
}
