import type { Harness } from './harness.ts'

type Database = Pick<Harness, 'sql' | 'clock'>

/** An app that shows codes, as if its first code had been right. */
export async function giveApp({ sql, clock }: Database, userId: string): Promise<void> {
  await sql`
    insert into totp_factors (user_id, secret, last_step, created_at, enabled_at)
    values (${userId}, '\\x00', 0, ${clock.now()}, ${clock.now()}) on conflict do nothing`
}

export async function givePasskey({ sql, clock }: Database, userId: string, rpId = 'landbridge.test'): Promise<void> {
  await sql`
    insert into passkeys (id, user_id, credential_id, rp_id, public_key, counter, backed_up, name, created_at)
    values (gen_random_uuid(), ${userId}, uuid_send(gen_random_uuid()), ${rpId}, '\\x00', 0, false, 'Laptop', ${clock.now()})`
}

export async function takeFactors({ sql }: Pick<Database, 'sql'>, userId: string): Promise<void> {
  await sql`delete from passkeys where user_id = ${userId}`
  await sql`delete from totp_factors where user_id = ${userId}`
}

/** As if the open sessions of the person had been opened with these. */
export async function openedWith({ sql }: Pick<Database, 'sql'>, userId: string, methods: string[]): Promise<void> {
  await sql`update sessions set methods = ${methods}::text[] where user_id = ${userId}`
}
