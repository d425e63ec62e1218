import type { Context } from './context.ts'
import type { Job, SharedJob } from './platform/jobs.ts'

/** The one list of everything that happens without being asked: expiry, partitions, deadlines, deliveries. */
export function backgroundJobs(_context: Context): (Job | SharedJob)[] {
  return []
}
