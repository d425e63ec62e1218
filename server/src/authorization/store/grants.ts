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

/** The tokens and codes of a grant are good only while it is not revoked: one row ends them all. */
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

/** Never waits: a grant that is being revoked right now needs no newer date. */
export async function touchGrants(sql: Sql, ids: string[], at: Date): Promise<void> {
  await sql`
    update grants set last_used_at = ${at}
    where id in (select id from grants where id = any(${ids}) and revoked_at is null for no key update skip locked)`
}

export async function countActiveGrants(sql: Sql, clientId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from grants where client_id = ${clientId} and revoked_at is null`
  return row!.count
}

/** The application's one active grant of this customer, found or made: the partial unique index settles any race. */
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

export async function holdGrant(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`select 1 from grants where id = ${id} and revoked_at is null for share`
  return rows.length > 0
}
