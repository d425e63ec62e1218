import type { Context } from '../../context.ts'
import { coalesceSame } from '../../platform/database/coalesce-same.ts'
import { perContext } from '../../platform/database/per-context.ts'
import { digest, isWellFormed } from '../../platform/secrets/secrets.ts'
import { type Bearer, findBearers, type LapsedBearer } from '../store/access-tokens.ts'
import { grantUseStaleAt, noteGrantUse } from './last-used.ts'

export type { Bearer, LapsedBearer } from '../store/access-tokens.ts'

/**
 * What this access token opens, or why it does no longer; null when there is no such token (7.5, 7.7). Never cached:
 * revocation is felt at once on every process.
 */
export function checkBearer(context: Context, token: string): Promise<Bearer | LapsedBearer | null> {
  return isWellFormed('access_token', token) ? lookUp(context)(token) : Promise.resolve(null)
}

/** An application has one token for all it asks of a customer at a moment: it is looked up once. */
const lookUp = perContext((context: Context) =>
  coalesceSame<string, Bearer | LapsedBearer | null>(
    (token) => token,
    async (tokens) => {
      const at = context.now()
      const bearers: (Bearer | LapsedBearer | null)[] = tokens.map(() => null)
      const found = await findBearers(context.hot, tokens.map(digest), { at, usedBefore: grantUseStaleAt(at) })
      for (const bearer of found) {
        bearers[bearer.place] = bearer
        if (bearer.use_to_note && bearer.lapsed === null) noteGrantUse(context, bearer.grant_id)
      }
      return bearers
    },
  ),
)
