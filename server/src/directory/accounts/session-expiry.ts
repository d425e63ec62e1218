import type { SharedJob } from '../../platform/jobs.ts'
import { askedMailLimits, signInLimits } from '../../platform/own-limits.ts'
import type { Context } from '../context.ts'
import { deleteExpiredCodes } from '../store/email-codes-sql.ts'
import { deleteExpiredChallenges } from '../store/factors-sql.ts'
import { deleteExpiredLinks } from '../store/links-sql.ts'
import { deleteIdleSessions } from '../store/sessions-sql.ts'
import { deleteOldAttempts } from '../store/sign-in-sql.ts'

const batch = 1_000
/** The longer of the windows in which they are counted. */
const attemptMilliseconds = Math.max(signInLimits.windowMilliseconds, askedMailLimits.windowMilliseconds)

export function deleteExpiredSessionsJob(context: Context): SharedJob {
  return {
    name: 'expired sessions, one-time links, codes and sign-in attempts',
    everySeconds: 300,
    async runShared() {
      const age = (milliseconds: number) => ({ now: context.now(), milliseconds })
      while ((await deleteIdleSessions(context.sql, age(context.config.sessionIdleMilliseconds), batch)) === batch);
      while ((await deleteExpiredChallenges(context.sql, age(0), batch)) === batch);
      while ((await deleteExpiredLinks(context.sql, age(0), batch)) === batch);
      while ((await deleteExpiredCodes(context.sql, age(0), batch)) === batch);
      while ((await deleteOldAttempts(context.sql, age(attemptMilliseconds), batch)) === batch);
    },
  }
}
