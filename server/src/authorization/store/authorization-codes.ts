import type { Sql } from '../../platform/sql.ts'

export interface NewCode {
  digest: Buffer
  grant_id: string
  client_id: string
  user_id: string
  redirect_uri: string
  code_challenge: string
  nonce: string | null
  scope: string[]
  auth_time: Date
  expires_at: Date
}

export async function insertCode(sql: Sql, code: NewCode): Promise<void> {
  await sql`insert into authorization_codes ${sql(code)}`
}
