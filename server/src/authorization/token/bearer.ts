import type { BaseContext } from '../../platform/context.ts'
import { coalesceSame } from '../../platform/database/coalesce-same.ts'
import { digest, isWellFormed } from '../../platform/secrets/secrets.ts'
import { type Bearer, findBearers, findTokenExpiry, type InvalidBearer } from '../store/tokens.ts'
import { grantUseStaleAt } from './grants.ts'

export interface BearerLookUp {
  findBearer: ReturnType<typeof createBearerLookUp>
}

/** What this access token gives access to, or why it is no longer valid; null for an unknown one (contract 7.5, 7.7). */
export function checkBearer(context: BearerLookUp, token: string): Promise<Bearer | InvalidBearer | null> {
  return isWellFormed('access_token', token) ? context.findBearer(token) : Promise.resolve(null)
}

/** When the token expires, which never changes; null for an unknown one. */
export function tokenExpiry(context: BaseContext, token: string): Promise<Date | null> {
  return findTokenExpiry(context.sql, digest(token))
}

/** An application sends one token with all its concurrent requests for a customer, so it is looked up once for them. */
export function createBearerLookUp(context: BaseContext, recordGrantUse: (grantId: string) => void) {
  return coalesceSame<string, Bearer | InvalidBearer | null>(
    (token) => token,
    async (tokens) => {
      const at = context.now()
      const bearers: (Bearer | InvalidBearer | null)[] = tokens.map(() => null)
      const found = await findBearers(context.hot, tokens.map(digest), { at, usedBefore: grantUseStaleAt(at) })
      for (const bearer of found) {
        bearers[bearer.position] = bearer
        if (bearer.use_is_stale && bearer.invalid_because === null) recordGrantUse(bearer.grant_id)
      }
      return bearers
    },
  )
}
