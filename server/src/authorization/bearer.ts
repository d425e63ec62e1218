import type { Context } from '../context.ts'
import { coalesce } from '../platform/database/coalesce.ts'
import { perContext } from '../platform/database/per-context.ts'
import { digest, isWellFormed } from '../platform/secrets/secrets.ts'
import { touchGrant } from './last-used.ts'
import { scopeValues } from './scope.ts'
import { type Bearer, findBearers } from './store/access-tokens.ts'

export type { Bearer } from './store/access-tokens.ts'

/** What this access token opens, or null when it is not good (7.5, 7.7). Never cached: revocation is felt at once on every process. */
export async function checkBearer(context: Context, token: string): Promise<Bearer | null> {
  if (!isWellFormed('access_token', token)) return null
  return await lookUp(context)(digest(token))
}

const lookUp = perContext((context: Context) =>
  coalesce<Buffer, Bearer | null>(
    async (digests) => {
      const at = context.now()
      const found = await findBearers(context.sql, digests, at)
      const byDigest = new Map(found.map((bearer) => [bearer.digest.toString('latin1'), bearer]))
      return digests.map((wanted) => {
        const row = byDigest.get(wanted.toString('latin1'))
        if (!row) return null
        const { digest: _, last_used_at, ...bearer } = row
        touchGrant(context, bearer.grant_id, last_used_at, at)
        return { ...bearer, scope: scopeValues(row.scope) }
      })
    },
    { lanes: 2 },
  ),
)
