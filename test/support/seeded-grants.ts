import type { Pool } from '../../server/src/platform/database/sql.ts'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'
import { digest, mintSecret } from '../../server/src/platform/secrets/secrets.ts'

/** A client and the newest refresh token it was given. */
export interface Chain {
  client_id: string
  client_secret: string
  refresh_token: string
}

/** Many connections at once, straight into the tables: what hundreds of consents would have left. */
export interface Seeded {
  chains: Chain[]
  accessTokens: string[]
  grantIds: string[]
}

/** Applications with one connected customer each, a refresh token and an access token. */
export async function seedGrants(sql: Pool, count: number, alg: 'RS256' | 'ES256'): Promise<Seeded> {
  const partnerId = newId()
  const now = new Date()
  await sql`insert into partners (id, name, created_at) values (${partnerId}, 'Seeded', ${now})`
  const seeded: Seeded = { chains: [], accessTokens: [], grantIds: [] }
  for (let from = 0; from < count; from += 500) {
    const rows = Array.from({ length: Math.min(500, count - from) }, () => ({
      client_id: newId(),
      client_secret: mintSecret('client_secret'),
      refresh_token: mintSecret('refresh_token'),
      access_token: mintSecret('access_token'),
      customer_id: newId(),
      user_id: newId(),
      grant_id: newId(),
    }))
    const insert = (table: string, values: object[]) => sql`insert into ${sql(table)} ${sql(values as never)}`
    await insert(
      'applications',
      rows.map(({ client_id }) => ({
        ...{ client_id, partner_id: partnerId, name: 'Seeded', redirect_uris: ['https://app.example.com/cb'] },
        ...{ id_token_alg: alg, created_at: now },
      })),
    )
    await insert(
      'client_secrets',
      rows.map(({ client_id, client_secret }) => ({
        ...{ id: newId(), client_id, digest: digest(client_secret), hint: 'lbs_', created_at: now },
      })),
    )
    await insert(
      'users',
      rows.map(({ user_id }) => ({ id: user_id, email: `${user_id}@example.com`, name: 'Ada', created_at: now })),
    )
    await insert(
      'customers',
      rows.map(({ customer_id }) => ({ id: customer_id, partner_id: partnerId, name: 'Acme', created_at: now })),
    )
    await insert(
      'grants',
      rows.map(({ grant_id, client_id, customer_id }) => ({ id: grant_id, client_id, customer_id, created_at: now })),
    )
    const token = (grant_id: string, user_id: string, secret: string) => ({
      ...{ digest: digest(secret), grant_id, user_id, scope: 'openid profile email' },
      expires_at: new Date(now.getTime() + 90 * 24 * 3600_000),
    })
    await insert(
      'refresh_tokens',
      rows.map((row) => ({ ...token(row.grant_id, row.user_id, row.refresh_token), auth_time: now })),
    )
    await insert(
      'access_tokens',
      rows.map((row) => token(row.grant_id, row.user_id, row.access_token)),
    )
    seeded.chains.push(
      ...rows.map(({ client_id, client_secret, refresh_token }) => ({ client_id, client_secret, refresh_token })),
    )
    seeded.accessTokens.push(...rows.map(({ access_token }) => access_token))
    seeded.grantIds.push(...rows.map(({ grant_id }) => grant_id))
  }
  await sql`analyze`
  return seeded
}
