import type { Sql } from '../../platform/database/sql.ts'
import type { Owner } from './devices.ts'

export type Value = number | string | boolean

export interface ValueMeaning {
  value: Value
  label?: string
  alarm?: boolean
}

/** What a data point of a model means. */
export interface DictionaryEntry {
  key: string
  type: 'number' | 'boolean' | 'text'
  label?: string
  description?: string
  unit?: string
  decimals?: number
  min?: number
  max?: number
  values?: ValueMeaning[]
  chart?: boolean
}

/** The dictionary of a partner's model, or of a model of which the customer has a device. */
export async function findDictionary(sql: Sql, owner: Owner, modelId: string): Promise<DictionaryEntry[] | undefined> {
  const [row] = await sql<{ dictionary: DictionaryEntry[] }[]>`
    select dictionary from models
    where id = ${modelId} and ${
      'partner_id' in owner
        ? sql`partner_id = ${owner.partner_id}`
        : sql`exists (
            select from devices
            where customer_id = ${owner.customer_id} and model_id = ${modelId} and removed_at is null)`
    }`
  return row?.dictionary
}

export async function updateDictionary(
  sql: Sql,
  modelId: string,
  entries: readonly DictionaryEntry[],
): Promise<DictionaryEntry[]> {
  const [row] = await sql<{ dictionary: DictionaryEntry[] }[]>`
    update models set dictionary = ${sql.json(entries)} where id = ${modelId} returning dictionary`
  return row!.dictionary
}
