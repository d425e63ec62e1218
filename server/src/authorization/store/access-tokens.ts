import { digestRows, type Sql } from '../../platform/database/sql.ts'

/** What a live access token opens. */
export interface Bearer {
  lapsed: null
  grant_id: string
  client_id: string
  customer_id: string
  user_id: string
  /** Space-separated, as on the wire. */
  scope: string
}

/** Whose token it was, and why it opens nothing any more: for the partner's integration log. */
export interface LapsedBearer {
  lapsed: 'application_disabled' | 'grant_revoked' | 'token_expired'
  client_id: string
}

type FoundBearer = (Bearer | LapsedBearer) & {
  /** Which of the digests it was found for, from 0. */
  place: number
  grant_id: string
  /** Its grant's last use was noted before `usedBefore`, or never. */
  use_to_note: boolean
}

/**
 * Live is: not expired, its grant not revoked, its application enabled. Read anew each time, so that revocation is felt
 * at once. `offset 0` keeps it a look-up a digest, whatever the planner thinks of the tables' sizes.
 */
export async function findBearers(
  sql: Sql,
  digests: Buffer[],
  { at, usedBefore }: { at: Date; usedBefore: Date },
): Promise<FoundBearer[]> {
  return await sql<FoundBearer[]>`
    select place, bearer.*
    from ${digestRows(sql, digests)} as wanted (place, digest), lateral (
      select t.grant_id, g.client_id, g.customer_id, t.user_id, t.scope,
        (g.last_used_at >= ${usedBefore}) is not true as use_to_note,
        case
          when not a.enabled then 'application_disabled'
          when g.revoked_at is not null then 'grant_revoked'
          when t.expires_at <= ${at} then 'token_expired'
        end as lapsed
      from access_tokens t
      join grants g on g.id = t.grant_id
      join directory_applications a on a.client_id = g.client_id
      where t.digest = wanted.digest
      offset 0
    ) bearer`
}
