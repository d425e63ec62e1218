import type { Sql } from '../../platform/sql.ts'

export interface NewUser {
  id: string
  email: string
  name: string
  password_hash: string | null
  created_at: Date
}

/** A known email keeps its name and password: they belong to the person, not to whoever adds them. */
export async function findOrInsertUser(sql: Sql, user: NewUser): Promise<{ id: string; known: boolean }> {
  const [row] = await sql<{ id: string; known: boolean }[]>`
    insert into users ${sql(user, 'id', 'email', 'name', 'password_hash', 'created_at')}
    on conflict (lower(email)) do update set email = users.email
    returning id, id <> ${user.id} as known`
  return row!
}
