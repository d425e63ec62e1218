import type { Fragment, PageRange, Sql } from '../../platform/database/sql.ts'

/** Contract 2.4. */
export const authenticationMethod = 'MAC & Serial Number'

export interface Model {
  id: string
  partner_id: string
  name: string
  authentication_method: typeof authenticationMethod
  offline_after_seconds: number
  created_at: Date
}

export async function insertModel(sql: Sql, model: Model): Promise<void> {
  await sql`
    insert into models ${sql(model, 'id', 'partner_id', 'name', 'authentication_method', 'offline_after_seconds', 'created_at')}`
}

const columns = (sql: Sql) => sql`id, partner_id, name, authentication_method, offline_after_seconds, created_at`

export async function countModels(sql: Sql, partnerId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from models where partner_id = ${partnerId}`
  return row!.count
}

export async function findModel(sql: Sql, partnerId: string, id: string): Promise<Model | undefined> {
  const [row] = await sql<Model[]>`
    select ${columns(sql)} from models where id = ${id} and partner_id = ${partnerId}`
  return row
}

export async function listModels(sql: Sql, partnerId: string, { after, limit }: PageRange): Promise<Model[]> {
  return await sql<Model[]>`
    select ${columns(sql)} from models
    where partner_id = ${partnerId} and id > ${after}
    order by id limit ${limit}`
}

/** How a name fits a search; the index of the partner, or the whole table where any partner's model is looked for. */
const hasWords = (sql: Sql, text: Fragment, words: string[]) =>
  sql`not exists (select from unnest(${words}::text[]) word where position(lower(word) in lower(${text})) = 0)`

/** Models whose name has every word, the shortest names first. */
export async function searchModels(sql: Sql, partnerId: string, words: string[], limit: number): Promise<Model[]> {
  return await sql<Model[]>`
    select ${columns(sql)} from models
    where partner_id = ${partnerId} and ${hasWords(sql, sql`name`, words)}
    order by length(name), name, id limit ${limit}`
}

export interface FoundModel {
  /** Null where the model itself was asked for. */
  device_id: string | null
  model_id: string
  partner_id: string
}

/** The models with these ids, and those of these devices, removed or not. */
export async function findModelsOf(
  sql: Sql,
  { model_ids, device_ids }: { model_ids: string[]; device_ids: string[] },
): Promise<FoundModel[]> {
  return await sql<FoundModel[]>`
    select null as device_id, id as model_id, partner_id from models where id = any(${model_ids}::uuid[])
    union all
    select id, model_id, partner_id from devices where id = any(${device_ids}::uuid[])`
}

export async function findModelNames(sql: Sql, ids: string[]): Promise<{ id: string; name: string }[]> {
  return await sql<{ id: string; name: string }[]>`select id, name from models where id = any(${ids}::uuid[])`
}

export interface ClaimableModel {
  id: string
  name: string
  partner_name: string
}

/** Of every partner: a customer may claim devices of any model (decision 6.8). */
export async function listAllModels(sql: Sql, { after, limit }: PageRange): Promise<ClaimableModel[]> {
  return await sql<ClaimableModel[]>`
    select model.id, model.name, partner.name as partner_name
    from models model join directory_partners partner on partner.id = model.partner_id
    where model.id > ${after}
    order by model.id limit ${limit}`
}

export async function findClaimableModel(sql: Sql, id: string): Promise<ClaimableModel | undefined> {
  const [row] = await sql<ClaimableModel[]>`
    select model.id, model.name, partner.name as partner_name
    from models model join directory_partners partner on partner.id = model.partner_id
    where model.id = ${id}`
  return row
}

/** The same of every partner, whose name may have some of the words. */
export async function searchAllModels(sql: Sql, words: string[], limit: number): Promise<ClaimableModel[]> {
  return await sql<ClaimableModel[]>`
    select model.id, model.name, partner.name as partner_name
    from models model join directory_partners partner on partner.id = model.partner_id
    where ${hasWords(sql, sql`model.name || ' ' || partner.name`, words)}
    order by length(model.name), model.name, model.id limit ${limit}`
}

export interface ModelChange {
  name?: string | undefined
  offline_after_seconds?: number | undefined
}

export async function lockModel(sql: Sql, partnerId: string, id: string): Promise<boolean> {
  const rows = await sql`select from models where id = ${id} and partner_id = ${partnerId} for no key update`
  return rows.length === 1
}

export async function updateModel(sql: Sql, id: string, change: ModelChange): Promise<Model> {
  const [row] = await sql<Model[]>`
    update models set
      name = coalesce(${change.name ?? null}, name),
      offline_after_seconds = coalesce(${change.offline_after_seconds ?? null}, offline_after_seconds)
    where id = ${id}
    returning ${columns(sql)}`
  return row!
}
