import type { Context } from '../context.ts'
import { coalesce } from '../platform/database/coalesce.ts'
import { perContext } from '../platform/database/per-context.ts'
import { digest, isWellFormed } from '../platform/secrets/secrets.ts'
import { grantUseStaleAt, noteGrantUse } from './last-used.ts'
import { type Bearer, findBearers } from './store/access-tokens.ts'

export type { Bearer } from './store/access-tokens.ts'

/** What this access token opens, or null when it is not good (7.5, 7.7). Never cached: revocation is felt at once on every process. */
export function checkBearer(context: Context, token: string): Promise<Bearer | null> {
  return isWellFormed('access_token', token) ? lookUp(context)(digest(token)) : Promise.resolve(null)
}

const lookUp = perContext((context: Context) =>
  coalesce<Buffer, Bearer | null>(async (digests) => {
    const at = context.now()
    const bearers: (Bearer | null)[] = digests.map(() => null)
    for (const found of await findBearers(context.hot, digests, { at, usedBefore: grantUseStaleAt(at) })) {
      bearers[found.place] = found
      if (found.use_to_note) noteGrantUse(context, found.grant_id)
    }
    return bearers
  }),
)
