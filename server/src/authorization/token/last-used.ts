import type { Context } from '../../context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { perContext } from '../../platform/database/per-context.ts'
import { touchGrants } from '../store/grants.ts'

/** "Last used" is for people to read: true to a minute is true enough, and most requests write nothing. */
const staleAfterMilliseconds = 60_000

/** A use noted before this moment is to be noted anew. */
export function grantUseStaleAt(at: Date): Date {
  return new Date(at.getTime() - staleAfterMilliseconds)
}

/** Notes that a grant was used. Nobody waits for it, and a failure costs a date. */
export function noteGrantUse(context: Context, grantId: string): void {
  touch(context)(grantId).catch((error) => context.log.warn({ err: error }, 'last use of a grant not noted'))
}

const touch = perContext((context: Context) =>
  coalesce<string, null>(async (ids) => {
    await touchGrants(context.sql, [...new Set(ids)], context.now())
    return ids.map(() => null)
  }),
)
