import { digestArray, type Sql } from '../../platform/database/sql.ts'

/** What a live access token opens. */
export interface Bearer {
  grant_id: string
  client_id: string
  customer_id: string
  user_id: string
  scope: string[]
}

interface FoundBearer extends Omit<Bearer, 'scope'> {
  digest: Buffer
  /** Space-separated, as on the wire. */
  scope: string
  last_used_at: Date | null
}

/** Live is: not expired, its grant not revoked, its application enabled. Read anew each time, so that revocation is felt at once. */
export async function findBearers(sql: Sql, digests: Buffer[], at: Date): Promise<FoundBearer[]> {
  return await sql<FoundBearer[]>`
    select t.digest, t.grant_id, g.client_id, g.customer_id, t.user_id, t.scope, g.last_used_at
    from access_tokens t
    join grants g on g.id = t.grant_id
    join applications a on a.client_id = g.client_id
    where t.digest = any(${digestArray(sql, digests)}) and t.expires_at > ${at} and g.revoked_at is null and a.enabled`
}
