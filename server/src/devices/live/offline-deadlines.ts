import type { Context } from '../../context.ts'
import type { SharedJob } from '../../platform/jobs.ts'
import { settleDeadlines } from '../store/status.ts'

const maxAtOnce = 500

/**
 * Design section 7: a device is offline when nothing came for its model's threshold, told within a second. Every
 * process looks, each at what no other is looking at, so that no process is needed and none is in the way.
 */
export function offlineDeadlinesJob(context: Context): SharedJob {
  return { name: 'offline deadlines', everySeconds: 0.4, runShared: () => settleAllDeadlines(context) }
}

export async function settleAllDeadlines({ sql, now }: Context): Promise<void> {
  while ((await settleDeadlines(sql, now(), maxAtOnce)) === maxAtOnce);
}
