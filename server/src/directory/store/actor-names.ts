import type { Sql } from '../../platform/database/sql.ts'

/** Of people, applications and API keys; an id of anything else has none. */
export async function namesOf(sql: Sql, ids: string[]): Promise<{ id: string; name: string }[]> {
  return await sql<{ id: string; name: string }[]>`
    select id, name from users where id = any(${ids}::uuid[])
    union all select client_id, name from applications where client_id = any(${ids}::uuid[])
    union all select id, name from api_keys where id = any(${ids}::uuid[])`
}
