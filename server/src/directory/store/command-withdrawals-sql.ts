import type { Sql } from '../../platform/database/sql.ts'

export interface NewCommandWithdrawal {
  id: string
  /** The application or API key. */
  client_id: string
  /** Null: every customer. */
  customer_id: string | null
  /** The spaces in which it still may command, with everything below them. */
  within: readonly string[]
  /** As audit events have it. */
  actor: object
}

export interface CommandWithdrawal extends NewCommandWithdrawal {
  /** By the database's clock. */
  at: Date
  /** The last device whose commands were canceled, with its customer. */
  after_customer: string
  after_device: string
}

const firstId = '00000000-0000-0000-0000-000000000000'

/** With its commit, the job that cancels the commands is notified. */
export async function insertCommandWithdrawal(
  sql: Sql,
  { id, client_id, customer_id, within, actor }: NewCommandWithdrawal,
): Promise<void> {
  await sql`
    with inserted as (
      insert into command_withdrawals (id, client_id, customer_id, within, actor, after_customer)
      values (${id}, ${client_id}, ${customer_id}, ${[...within]}::uuid[], ${JSON.stringify(actor)}::text::jsonb,
        ${customer_id ?? firstId})
      returning id
    )
    select pg_notify('landbridge.commands.withdrawn', id::text) from inserted`
}

export async function hasCommandWithdrawals(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`select exists (select from command_withdrawals) as found`
  return row!.found
}

export async function listCommandWithdrawals(sql: Sql, clientIds: readonly string[]): Promise<CommandWithdrawal[]> {
  return await sql<CommandWithdrawal[]>`
    select ${columns(sql)} from command_withdrawals where client_id = any(${[...clientIds]}::uuid[]) order by id`
}

/** Locks one that no other process has: the newest of this client, or the oldest of all. */
export async function takeCommandWithdrawal(
  sql: Sql,
  clientId: string | null = null,
): Promise<CommandWithdrawal | undefined> {
  const which = clientId === null ? sql`order by id` : sql`where client_id = ${clientId} order by id desc`
  const [row] = await sql<CommandWithdrawal[]>`
    select ${columns(sql)} from command_withdrawals ${which} limit 1 for update skip locked`
  return row
}

export async function continueCommandWithdrawal(
  sql: Sql,
  { id, after_customer, after_device }: Pick<CommandWithdrawal, 'id' | 'after_customer' | 'after_device'>,
): Promise<void> {
  await sql`
    update command_withdrawals set after_customer = ${after_customer}, after_device = ${after_device} where id = ${id}`
}

export async function endCommandWithdrawal(sql: Sql, id: string): Promise<void> {
  await sql`delete from command_withdrawals where id = ${id}`
}

function columns(sql: Sql) {
  return sql`id, client_id, customer_id, within, actor, at, after_customer, after_device`
}
