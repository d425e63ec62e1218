import type { Fragment, Sql } from '../../platform/database/sql.ts'
import { belongsTo, type EffectiveStatus, type Owner } from './devices-sql.ts'

export type SettingsFilter = 'in_sync' | 'pending' | 'rejected' | 'unsupported' | 'differs'

export interface DeviceFilter {
  space_ids?: string[] | undefined
  /** Devices of other spaces are passed over on the way, instead of one index range per space. */
  spaces_loosely?: boolean | undefined
  no_space?: boolean | undefined
  model_id?: string | undefined
  /** Any of these. */
  statuses?: EffectiveStatus[] | undefined
  claimed?: boolean | undefined
  /** The worst state of its settings, or that they differ from the templates. */
  settings?: SettingsFilter | undefined
  tag?: string | undefined
  /** Of which one must be in the device's text. */
  texts?: string[] | undefined
  /** Whether trigrams of the texts narrow a search down. */
  selective?: boolean | undefined
  /** Of each text, the parts by which the index is searched. */
  parts?: string[][] | undefined
  /** Whether the index is searched by the owner too. */
  by_owner?: boolean | undefined
}

/** The conditions of the filter on `device`, apart from its owner. */
export function filterConditions(sql: Sql, owner: Owner, filter: DeviceFilter): Fragment[] {
  const { space_ids, no_space, model_id, statuses, claimed } = filter
  const conditions = looseConditions(sql, owner, { ...filter, spaces_loosely: false })
  if (space_ids) conditions.push(sql`device.space_id = any(${space_ids}::uuid[])`)
  if (no_space) conditions.push(sql`device.space_id is null`)
  if (model_id) conditions.push(sql`device.model_id = ${model_id}`)
  if (statuses) conditions.push(sql`device.status = any(${statuses}::text[])`)
  if (claimed !== undefined) conditions.push(sql`(device.claimed_at is not null) = ${claimed}`)
  return conditions
}

/** Those that no index of the orders serves. */
export function looseConditions(sql: Sql, owner: Owner, filter: DeviceFilter): Fragment[] {
  const { tag, texts, settings, space_ids, spaces_loosely } = filter
  const conditions: Fragment[] = []
  if (space_ids && spaces_loosely) conditions.push(sql`device.space_id = any(${space_ids}::uuid[])`)
  if (settings)
    conditions.push(settings === 'differs' ? sql`device.settings_differ` : sql`device.settings = ${settings}`)
  if (tag !== undefined) {
    conditions.push(
      'customer_id' in owner
        ? // Not “exists”, for which Postgres may read all devices of a tag instead of looking up these.
          sql`(
            select true from device_tags tagged
            where tagged.customer_id = ${owner.customer_id} and tagged.tag = ${tag} and tagged.device_id = device.id limit 1)`
        : sql`false`,
    )
  }
  if (texts) {
    // A partner does not know the name (contract 1.5), so it cannot search for it.
    const name = 'customer_id' in owner ? sql`device.name` : sql`null`
    conditions.push(
      anyOf(
        sql,
        texts.map((text) => contains(sql, sql`device_text(${name}, device.mac, device.sn)`, text)),
      ),
    )
  }
  return conditions
}

/** Folded by Postgres too: JavaScript folds some letters differently. Not LIKE, which would search the index for all of it. */
function contains(sql: Sql, whole: Fragment, text: string): Fragment {
  return sql`strpos(${whole}, lower(${text}::text collate "default")) > 0`
}

function anyOf(sql: Sql, conditions: Fragment[]): Fragment {
  return sql`(${conditions.map((one, index) => (index === 0 ? one : sql`or ${one}`))})`
}

export function allOf(sql: Sql, conditions: Fragment[]): Fragment {
  return conditions.length === 0
    ? sql`true`
    : sql`${conditions.map((one, index) => (index === 0 ? one : sql`and ${one}`))}`
}

/** From `from` on: finds a bounded set of devices by what narrows it down most. */
export function matchingDevices(sql: Sql, owner: Owner, filter: DeviceFilter): Fragment {
  const own = sql`${belongsTo(sql, owner)} and device.removed_at is null`
  if (filter.texts && filter.selective) {
    const { texts, ...rest } = filter
    return sql`
      from device_texts text join devices device on device.id = text.device_id
      where ${matchingTexts(sql, owner, filter)} and ${own} and ${allOf(sql, filterConditions(sql, owner, rest))}`
  }
  if (filter.tag !== undefined && 'customer_id' in owner) {
    const { tag, ...rest } = filter
    return sql`
      from device_tags tagged join devices device on device.id = tagged.device_id
      where tagged.customer_id = ${owner.customer_id} and tagged.tag = ${tag} and ${own}
        and ${allOf(sql, filterConditions(sql, owner, rest))}`
  }
  return sql`from devices device where ${own} and ${allOf(sql, filterConditions(sql, owner, filter))}`
}

/** Whether the table of texts alone tells what matches: it has no removed device. */
export function isTextOnly({ texts, selective, parts, by_owner, ...rest }: DeviceFilter): boolean {
  return texts !== undefined && selective === true && Object.values(rest).every((value) => value === undefined)
}

/** Conditions on `text`, by the index of texts. */
export function matchingTexts(sql: Sql, owner: Owner, { texts = [], parts, by_owner }: DeviceFilter): Fragment {
  const [column, id, text] =
    'customer_id' in owner
      ? [sql`text.customer_id`, owner.customer_id, sql`text.customer_text`]
      : [sql`text.partner_id`, owner.partner_id, sql`text.partner_text`]
  // “is not distinct from” has no operator that an index could serve.
  const scope = by_owner === false ? sql`${column} is not distinct from ${id}::uuid` : sql`${column} = ${id}`
  const found = texts.map((one, index) => {
    const likes = (parts?.[index] ?? [one]).map((part) => {
      const pattern = `%${part.replace(/[\\%_]/g, '\\$&')}%`
      return sql`${text} like lower(${pattern}::text collate "default")`
    })
    return sql`(${allOf(sql, [...likes, contains(sql, text, one)])})`
  })
  return sql`${scope} and ${anyOf(sql, found)}`
}
