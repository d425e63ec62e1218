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

/**
 * A person with a second factor, whose reset can be asked for; or, if it waits already, by another administrator of the
 * customer or, without a customer, by the operator.
 */
export async function loseFactors(
  { sql, clock }: Database,
  userId: string,
  waiting: { customer_id: string | null } | null,
): Promise<void> {
  await sql`delete from factor_resets`
  await giveApp({ sql, clock }, userId)
  if (!waiting) return
  const { customer_id } = waiting
  const [other] = await sql`
    select id from users where id not in (select user_id from memberships where customer_id = ${customer_id}) limit 1`
  if (customer_id)
    await sql`
      insert into memberships (customer_id, user_id, role, created_at)
      values (${customer_id}, ${other!.id}, 'administrator', ${clock.now()})`
  const inADay = new Date(clock.now().getTime() + 86_400_000)
  await sql`
    insert into factor_resets (user_id, customer_id, asked_by, asked_at, takes_effect_at)
    values (${userId}, ${customer_id}, ${customer_id && other!.id}, ${clock.now()}, ${inADay})`
}
