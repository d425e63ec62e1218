import type { Sql } from '../../platform/database/sql.ts'

export interface StoredClient {
  client_id: string
  enabled: boolean
  id_token_alg: 'RS256' | 'ES256'
  /** The digests of its valid secrets, concatenated: two while a rotation overlaps. */
  secrets: Buffer | null
}

export async function findClients(sql: Sql, ids: string[], at: Date): Promise<StoredClient[]> {
  return await sql<StoredClient[]>`
    select a.client_id, a.enabled, a.id_token_alg,
      (select string_agg(s.digest, ''::bytea) from directory_client_secrets s
       where s.client_id = a.client_id and (s.expires_at is null or s.expires_at > ${at})) as secrets
    from directory_applications a where a.client_id = any(${ids})`
}
