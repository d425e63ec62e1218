import type { SharedJob } from '../../platform/jobs.ts'
import { signInLimits } from '../../platform/own-limits.ts'
import type { Context } from '../context.ts'
import { deleteExpiredLinks } from '../store/links-sql.ts'
import { deleteIdleSessions } from '../store/sessions-sql.ts'
import { deleteOldAttempts } from '../store/sign-in-sql.ts'

const batch = 1_000

export function deleteExpiredSessionsJob(context: Context): SharedJob {
  return {
    name: 'expired sessions, one-time links and sign-in attempts',
    everySeconds: 300,
    async runShared() {
      const age = (milliseconds: number) => ({ now: context.now(), milliseconds })
      while ((await deleteIdleSessions(context.sql, age(context.config.sessionIdleMilliseconds), batch)) === batch);
      while ((await deleteExpiredLinks(context.sql, age(0), batch)) === batch);
      while ((await deleteOldAttempts(context.sql, age(signInLimits.windowMilliseconds), batch)) === batch);
    },
  }
}
