import type { Fragment, Sql } from '../../platform/database/sql.ts'
import { belongsTo, type EffectiveStatus, type Owner } from './devices.ts'

export interface DeviceFilter {
  space_ids?: string[] | undefined
  no_space?: boolean | undefined
  model_id?: string | undefined
  status?: EffectiveStatus | undefined
  claimed?: boolean | undefined
  tag?: string | undefined
  /** Patterns of LIKE, of which one must match the device's text. */
  patterns?: string[] | undefined
  /** Whether trigrams of the patterns narrow a search down. */
  selective?: boolean | undefined
}

/** The conditions of the filter on `device`, apart from its owner. */
export function filterConditions(sql: Sql, owner: Owner, filter: DeviceFilter): Fragment[] {
  const { space_ids, no_space, model_id, status, claimed } = filter
  const conditions = looseConditions(sql, owner, filter)
  if (space_ids) conditions.push(sql`device.space_id = any(${space_ids}::uuid[])`)
  if (no_space) conditions.push(sql`device.space_id is null`)
  if (model_id) conditions.push(sql`device.model_id = ${model_id}`)
  if (status) conditions.push(sql`device.status = ${status}`)
  if (claimed !== undefined) conditions.push(sql`(device.claimed_at is not null) = ${claimed}`)
  return conditions
}

/** Those that no index of devices serves. */
export function looseConditions(sql: Sql, owner: Owner, { tag, patterns }: DeviceFilter): Fragment[] {
  const conditions: Fragment[] = []
  if (tag !== undefined) {
    conditions.push(
      'customer_id' in owner
        ? sql`exists (
            select from device_tags tagged
            where tagged.customer_id = ${owner.customer_id} and tagged.tag = ${tag} and tagged.device_id = device.id)`
        : sql`false`,
    )
  }
  if (patterns) {
    // A partner does not know the name (contract 1.5), so it cannot search for it.
    const name = 'customer_id' in owner ? sql`device.name` : sql`null`
    conditions.push(likeAny(sql, sql`device_text(${name}, device.mac, device.sn)`, patterns))
  }
  return conditions
}

/** The patterns are folded by Postgres too: JavaScript folds some letters differently. */
export function likeAny(sql: Sql, text: Fragment, patterns: string[]): Fragment {
  const likes = patterns.map((pattern) => sql`${text} like lower(${pattern}::text collate "default")`)
  return sql`(${likes.map((like, index) => (index === 0 ? like : sql`or ${like}`))})`
}

export function allOf(sql: Sql, conditions: Fragment[]): Fragment {
  return conditions.length === 0
    ? sql`true`
    : sql`${conditions.map((one, index) => (index === 0 ? one : sql`and ${one}`))}`
}

/** From `from` on: finds a bounded set of devices by what narrows it down most. */
export function matchingDevices(sql: Sql, owner: Owner, filter: DeviceFilter): Fragment {
  const own = sql`${belongsTo(sql, owner)} and device.removed_at is null`
  if (filter.patterns && filter.selective) {
    const { patterns, ...rest } = filter
    const [scope, text] =
      'customer_id' in owner
        ? [sql`text.customer_id = ${owner.customer_id}`, sql`text.customer_text`]
        : [sql`text.partner_id = ${owner.partner_id}`, sql`text.partner_text`]
    return sql`
      from device_texts text join devices device on device.id = text.device_id
      where ${scope} and ${likeAny(sql, text, patterns)} and ${own}
        and ${allOf(sql, filterConditions(sql, owner, rest))}`
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
