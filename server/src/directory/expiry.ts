import type { Context } from '../context.ts'
import type { SharedJob } from '../platform/jobs.ts'
import { idleMilliseconds } from './sessions.ts'
import { signInLimits } from './sign-in-limits.ts'
import { deleteLinksEndedBefore } from './store/links.ts'
import { deleteSessionsIdleSince } from './store/sessions.ts'
import { deleteAttemptsBefore } from './store/sign-in.ts'

const batch = 1_000

/** Sessions that nobody has used for their idle time are over, whatever their age; attempts count for one window; links end. */
export function forgetSessions(context: Context): SharedJob {
  return {
    name: 'ended sessions, one-time links and old sign-in attempts',
    everySeconds: 300,
    async runShared() {
      const ago = (milliseconds: number) => new Date(context.now().getTime() - milliseconds)
      while ((await deleteSessionsIdleSince(context.sql, ago(idleMilliseconds), batch)) === batch);
      while ((await deleteLinksEndedBefore(context.sql, ago(0), batch)) === batch);
      while ((await deleteAttemptsBefore(context.sql, ago(signInLimits.windowMilliseconds), batch)) === batch);
    },
  }
}
