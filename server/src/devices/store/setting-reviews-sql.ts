import type { Sql } from '../../platform/database/sql.ts'

/** Stands for the devices of every customer. */
export const everyCustomer = '00000000-0000-0000-0000-000000000000'

/** Has the settings of a model's devices judged again, of one customer or of all. */
export async function requestReview(sql: Sql, modelId: string, customerId = everyCustomer): Promise<void> {
  await sql`select review_settings(${modelId}, ${customerId})`
}

export async function findNextReview(sql: Sql): Promise<Date | null> {
  const [row] = await sql<{ due_at: Date | null }[]>`select min(due_at) as due_at from setting_reviews`
  return row!.due_at
}

export interface Review {
  model_id: string
  customer_id: string
  after: string
  repeated: boolean
}

/** Locks one that no other process has; undefined when none is due. */
export async function takeReview(sql: Sql, at: Date): Promise<Review | undefined> {
  const [row] = await sql<Review[]>`
    select model_id, customer_id, after, repeated from setting_reviews
    where due_at <= ${at} order by due_at limit 1 for update skip locked`
  return row
}

export async function continueReview(sql: Sql, { model_id, customer_id, after, repeated }: Review, dueAt: Date) {
  await sql`
    update setting_reviews set after = ${after}, repeated = ${repeated}, due_at = ${dueAt}
    where model_id = ${model_id} and customer_id = ${customer_id}`
}

export async function endReview(sql: Sql, { model_id, customer_id }: Review): Promise<void> {
  await sql`delete from setting_reviews where model_id = ${model_id} and customer_id = ${customer_id}`
}

/** The devices of a customer's model, by id; removed ones are left out. */
export async function listOfCustomersModel(
  sql: Sql,
  { model_id, customer_id, after }: Review,
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select page.id
    from unnest(array['never_seen', 'online', 'offline', 'error']) as wanted (status)
    cross join lateral (
      select device.id from devices device
      where device.customer_id = ${customer_id} and device.model_id = ${model_id} and device.status = wanted.status
        and device.removed_at is null and device.id > ${after}
      order by device.id limit ${limit}
    ) page
    order by page.id limit ${limit}`
  return rows.map(({ id }) => id)
}
