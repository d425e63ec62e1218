import type { Sql } from '../../platform/database/sql.ts'

export interface RevokedGrant {
  id: string
  client_id: string
  customer_id: string
  partner_id: string
}

/** The partner is the one its event goes to. */
const revoked = (sql: Sql) => sql`
  id, client_id, customer_id,
  (select a.partner_id from directory_applications a where a.client_id = grants.client_id) as partner_id`

/** Tokens and codes are valid only while their grant is: one row revokes them all (decision 9.3). */
export async function revokeGrant(sql: Sql, id: string, at: Date, because: string): Promise<RevokedGrant | undefined> {
  const [row] = await sql<RevokedGrant[]>`
    update grants set revoked_at = ${at}, revoked_because = ${because}
    where id = ${id} and revoked_at is null
    returning ${revoked(sql)}`
  return row
}

export async function revokeGrantsOfApplication(
  sql: Sql,
  clientId: string,
  at: Date,
  because: string,
): Promise<RevokedGrant[]> {
  return await sql<RevokedGrant[]>`
    update grants set revoked_at = ${at}, revoked_because = ${because}
    where client_id = ${clientId} and revoked_at is null
    returning ${revoked(sql)}`
}

/** Skips locked rows: a grant that is being revoked needs no newer date. */
export async function touchGrants(sql: Sql, ids: string[], at: Date): Promise<void> {
  await sql`
    update grants set last_used_at = ${at}
    where id in (select id from grants where id = any(${ids}) and revoked_at is null for no key update skip locked)`
}

/** How many customers the application is connected to. */
export async function countActiveGrants(sql: Sql, clientId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from grants where client_id = ${clientId} and revoked_at is null`
  return row!.count
}

/** The application's one active grant for this customer; a partial unique index decides any race to create it. */
export async function findOrInsertGrant(
  sql: Sql,
  grant: { id: string; client_id: string; customer_id: string; created_at: Date },
): Promise<{ id: string; opened: boolean }> {
  const [row] = await sql<{ id: string; opened: boolean }[]>`
    insert into grants ${sql(grant, 'id', 'client_id', 'customer_id', 'created_at')}
    on conflict (client_id, customer_id) where revoked_at is null do update set created_at = grants.created_at
    returning id, id = ${grant.id} as opened`
  return row!
}

export async function upsertGrantUser(
  sql: Sql,
  user: { grant_id: string; user_id: string; connected_at: Date },
): Promise<void> {
  await sql`
    insert into grant_users ${sql(user, 'grant_id', 'user_id', 'connected_at')}
    on conflict (grant_id, user_id) do update set connected_at = excluded.connected_at`
}

export async function findActiveGrant(sql: Sql, clientId: string, customerId: string): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from grants where client_id = ${clientId} and customer_id = ${customerId} and revoked_at is null`
  return row?.id ?? null
}

/** True while the grant is not revoked; it cannot be revoked before the transaction ends. */
export async function holdGrant(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`select 1 from grants where id = ${id} and revoked_at is null for share`
  return rows.length > 0
}

/** The grant of a live token of this client: not expired, not rotated, grant not revoked. */
export async function findGrantOfToken(
  sql: Sql,
  digest: Buffer,
  clientId: string,
  at: Date,
): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select g.id from (
      select grant_id from access_tokens where digest = ${digest} and expires_at > ${at}
      union all
      select grant_id from refresh_tokens where digest = ${digest} and expires_at > ${at}
    ) token
    join grants g on g.id = token.grant_id
    where g.client_id = ${clientId} and g.revoked_at is null`
  return row?.id
}
