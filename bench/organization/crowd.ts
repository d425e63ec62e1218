// Customers with people, written straight into the tables.
import { openDatabase } from '../../server/src/platform/database/database.ts'
import { migrate } from '../../server/src/platform/database/migrate.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'
import { digest, mintSecret } from '../../server/src/platform/secrets/secrets.ts'

/** One customer, and the tokens of applications it is connected to. */
export async function createTenant(
  databaseUrl: string,
  { users, applications, narrowed = false }: { users: number; applications: number; narrowed?: boolean },
): Promise<{ customer_id: string; access_tokens: string[] }> {
  const sql = openDatabase({ url: databaseUrl, max: 1, statementSeconds: 3_600 })
  await migrate(sql)
  const { partnerId, customerId } = await createCustomer(sql)
  const userIds = await addUsers(sql, customerId, users)
  const groupId = newId()
  await sql`insert into groups (id, customer_id, name, created_at) values (${groupId}, ${customerId}, 'Crew', now())`
  await sql`
    insert into group_members (customer_id, group_id, user_id)
    select ${customerId}, ${groupId}, id from unnest(${userIds.slice(0, 3)}::uuid[]) as u (id)`
  const access_tokens: string[] = []
  for (let n = 0; n < applications; n += 1) {
    const [clientId, grantId, token] = [newId(), newId(), mintSecret('access_token')]
    await sql`
      insert into applications (client_id, partner_id, name, redirect_uris, id_token_alg, created_at)
      values (${clientId}, ${partnerId}, ${`App ${n}`}, ${['https://app.example.com/']}, 'RS256', now())`
    await sql`
      insert into grants (id, client_id, customer_id, created_at) values (${grantId}, ${clientId}, ${customerId}, now())`
    const permissions = narrowed ? { devices: 'read', spaces: 'read', people: 'read', audit: 'none' } : null
    await sql`
      insert into approvals (client_id, customer_id, approved_at, permissions, within)
      values (${clientId}, ${customerId}, now(), ${permissions && JSON.stringify(permissions)}::jsonb,
        ${narrowed ? [newId()] : null}::uuid[])`
    await sql`
      insert into access_tokens ${sql({
        digest: digest(token),
        grant_id: grantId,
        user_id: userIds[0]!,
        scope: 'openid',
        expires_at: new Date(Date.now() + 86_400_000),
      })}`
    access_tokens.push(token)
  }
  await sql`vacuum analyze`
  await sql.end()
  return { customer_id: customerId, access_tokens }
}

export interface Crowd {
  customer_id: string
  /** From where a page in the middle starts. */
  middle: { user: string; event: string }
}

/** One customer with as many users, and as many audit events, ten of them of a rare type. Inserted by Postgres itself. */
export async function createCrowd(databaseUrl: string, size: number): Promise<Crowd> {
  const sql = openDatabase({ url: databaseUrl, max: 1, statementSeconds: 3_600 })
  await migrate(sql)
  const { customerId } = await createCustomer(sql)
  await sql`
    insert into users (id, email, name, created_at)
    select lpad(to_hex(n), 32, '0')::uuid, 'person-' || n || '@example.com', 'Person ' || n, now()
    from generate_series(1, ${size}::int) as n`
  await sql`
    insert into memberships (customer_id, user_id, role, created_at) select ${customerId}, id, 'member', now() from users`
  await sql`
    insert into audit_events (id, type, at, actor, customer_id)
    select lpad(to_hex(n), 32, '0')::uuid, case when n % ${size / 10} = 1 then 'rare' else 'bench' end, now(),
      '{"kind":"system"}', ${customerId}
    from generate_series(1, ${size}::int) as n`
  await sql`vacuum analyze`
  await sql.end()
  const middle = (size >> 1)
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return { customer_id: customerId, middle: { user: middle, event: middle } }
}

async function createCustomer(sql: Pool): Promise<{ partnerId: string; customerId: string }> {
  const [partnerId, customerId] = [newId(), newId()]
  await sql`insert into partners (id, name, created_at) values (${partnerId}, 'Bench', now())`
  await sql`
    insert into customers (id, partner_id, name, created_at) values (${customerId}, ${partnerId}, 'Customer', now())`
  return { partnerId, customerId }
}

async function addUsers(sql: Pool, customerId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId)
  const emails = ids.map((id, n) => `person-${n}-${id}@example.com`)
  await sql`
    insert into users (id, email, name, created_at)
    select id, email, 'Person ' || email, now() from unnest(${ids}::uuid[], ${emails}::text[]) as u (id, email)`
  await sql`
    insert into memberships (customer_id, user_id, role, created_at)
    select ${customerId}, id, 'member', now() from unnest(${ids}::uuid[]) as u (id)`
  return ids
}
