import type { Sql } from '../../platform/database/sql.ts'

interface NewClientSecret {
  id: string
  client_id: string
  digest: Buffer
  hint: string
  created_at: Date
}

/** Enough to recognise a secret, and until when it is valid. */
interface ClientSecret {
  client_id: string
  hint: string
  created_at: Date
  expires_at: Date | null
}

export async function insertClientSecret(sql: Sql, secret: NewClientSecret): Promise<void> {
  await sql`insert into client_secrets ${sql(secret, 'id', 'client_id', 'digest', 'hint', 'created_at')}`
}

/** The current secret expires at `end`; one that was already expiring does so now, so that at most two are valid. */
export async function retireClientSecrets(sql: Sql, clientId: string, at: Date, end: Date): Promise<void> {
  await sql`
    update client_secrets set expires_at = case when expires_at is null then ${end}::timestamptz else ${at}::timestamptz end
    where client_id = ${clientId} and (expires_at is null or expires_at > ${at})`
}

export async function listClientSecrets(sql: Sql, clientIds: string[], at: Date): Promise<ClientSecret[]> {
  return await sql<ClientSecret[]>`
    select client_id, hint, created_at, expires_at from client_secrets
    where client_id = any(${clientIds}) and (expires_at is null or expires_at > ${at})
    order by id`
}
