import type { Fragment, PageRange, Sql } from '../../platform/database/sql.ts'
import type { CustomerOwner } from './devices-sql.ts'
import type { Value } from './dictionaries.ts'

export interface SettingTemplate {
  id: string
  model_id: string
  model_name: string
  space_id: string | null
  values: Record<string, Value>
  created_at: Date
  changed_at: Date
}

const columns = (sql: Sql) => sql`
  template.id, template.model_id, model.name as model_name, template.space_id, template.desired as values,
  template.created_at, template.changed_at`

/** Everywhere, or in a space that is reached. */
function isReached(sql: Sql, { within }: CustomerOwner): Fragment {
  return within
    ? sql`and (template.space_id is null or spaces_above(template.space_id) && ${[...within]}::uuid[])`
    : sql``
}

export interface TemplateFilter {
  model_id?: string | undefined
  space_id?: string | undefined
}

export async function listTemplates(
  sql: Sql,
  owner: CustomerOwner,
  { model_id, space_id }: TemplateFilter,
  { after, limit }: PageRange,
): Promise<SettingTemplate[]> {
  return await sql<SettingTemplate[]>`
    select ${columns(sql)} from setting_templates template join models model on model.id = template.model_id
    where template.customer_id = ${owner.customer_id} and template.id > ${after} ${isReached(sql, owner)}
      ${model_id ? sql`and template.model_id = ${model_id}` : sql``}
      ${space_id ? sql`and template.space_id = ${space_id}` : sql``}
    order by template.id limit ${limit}`
}

/** Locked, when it is to be changed. */
export async function findTemplate(
  sql: Sql,
  owner: CustomerOwner,
  id: string,
  lock = false,
): Promise<SettingTemplate | undefined> {
  const [row] = await sql<SettingTemplate[]>`
    select ${columns(sql)} from setting_templates template join models model on model.id = template.model_id
    where template.customer_id = ${owner.customer_id} and template.id = ${id} ${isReached(sql, owner)}
    ${lock ? sql`for update of template` : sql``}`
  return row
}

export async function countTemplates(sql: Sql, customerId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from setting_templates where customer_id = ${customerId}`
  return row!.count
}

type NewTemplate = Omit<SettingTemplate, 'model_name'>

export async function insertTemplate(sql: Sql, customerId: string, template: NewTemplate): Promise<void> {
  const { id, model_id, space_id, values, created_at, changed_at } = template
  await sql`
    insert into setting_templates (id, customer_id, model_id, space_id, desired, created_at, changed_at)
    values (${id}, ${customerId}, ${model_id}, ${space_id}, ${sql.json(values)}, ${created_at}, ${changed_at})`
}

export async function updateTemplate(sql: Sql, { id, space_id, values, changed_at }: NewTemplate): Promise<void> {
  await sql`
    update setting_templates set space_id = ${space_id}, desired = ${sql.json(values)}, changed_at = ${changed_at}
    where id = ${id}`
}

export async function deleteTemplate(sql: Sql, id: string): Promise<void> {
  await sql`delete from setting_templates where id = ${id}`
}

/** Of these customers and models: what their devices should have. */
export interface PlacedTemplate {
  id: string
  customer_id: string
  model_id: string
  space_id: string | null
  desired: Record<string, Value>
}

export async function listPlaced(
  sql: Sql,
  customerIds: readonly string[],
  modelIds: readonly string[],
): Promise<PlacedTemplate[]> {
  return await sql<PlacedTemplate[]>`
    select id, customer_id, model_id, space_id, desired from setting_templates
    where customer_id = any(${[...customerIds]}::uuid[]) and model_id = any(${[...modelIds]}::uuid[])`
}
