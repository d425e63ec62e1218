import { askedMailLimits } from '../../platform/own-limits.ts'
import { digest } from '../../platform/secrets/secrets.ts'
import type { Context } from '../context.ts'
import { countAttempts } from '../store/sign-in-sql.ts'

/** What is counted, and how often within an hour. */
export interface HourlyLimit {
  of: readonly string[]
  max: number
}

/** Counts one under each, and returns whether all are within their limits. */
export async function takeWithinHour(context: Context, ...limits: HourlyLimit[]): Promise<boolean> {
  const at = context.now()
  const windowStart = new Date(at.getTime() - askedMailLimits.windowMilliseconds)
  const keys = limits.map(({ of }) => digest(JSON.stringify(['hourly', ...of])).toString('base64url'))
  const counts = await countAttempts(context.sql, keys, at, windowStart)
  return counts.every((count, index) => count <= limits[index]!.max)
}
