import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../directory/context.ts'
import { findSpacePaths, keepSpaces } from '../../directory/organization/spaces.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { isUniqueViolation, transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { requireRoom } from '../../platform/quotas.ts'
import { conflict, found, invalid, notFound, Refusal } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import type { CustomerOwner } from '../store/devices-sql.ts'
import { findDictionary } from '../store/dictionaries.ts'
import { requestReview } from '../store/setting-reviews-sql.ts'
import * as store from '../store/setting-templates-sql.ts'
import { isTooLarge, type Value } from './setting-values.ts'
import { changeMany, type SettingsOutcome } from './settings-changes.ts'
import { problemsWith } from './settings-refusals.ts'

export interface Template extends store.SettingTemplate {
  /** The names of its space and those above it, from the top. */
  space_path: string[]
}

export interface NewTemplate {
  model_id: string
  space_id: string | null
  values: Record<string, Value>
}

/** One per model and space. */
export async function createTemplate(
  context: Context,
  actor: Actor,
  owner: CustomerOwner,
  input: NewTemplate,
): Promise<Template> {
  const at = context.now()
  const template = { id: newId(), ...input, created_at: at, changed_at: at }
  return await uniquePlace(
    transaction(context.sql, async (sql) => {
      const { customer_id } = owner
      await requirePlace(sql, owner, input.space_id)
      await requireValues(sql, owner, input)
      const count = () => store.countTemplates(sql, customer_id)
      await requireRoom(context, sql, 'setting_templates', { tenant: { customer_id }, count })
      await store.insertTemplate(sql, customer_id, template)
      await record(sql, actor, owner, template, 'created')
      return await withPath(sql, owner, (await store.findTemplate(sql, owner, template.id))!)
    }),
  )
}

export async function listTemplates(
  { sql }: Context,
  owner: CustomerOwner,
  { model_id, space_id, ...request }: PageRequest & store.TemplateFilter,
): Promise<Page<Template>> {
  const range = pageRange(request)
  const page = toPage(await store.listTemplates(sql, owner, { model_id, space_id }, range), range, ({ id }) => id)
  const paths = await findSpacePaths(sql, owner, [...new Set(page.items.flatMap(({ space_id }) => space_id ?? []))])
  const items = page.items.map((item) => ({ ...item, space_path: (item.space_id && paths.get(item.space_id)) || [] }))
  return { ...page, items }
}

export async function getTemplate({ sql }: Context, owner: CustomerOwner, id: string): Promise<Template> {
  return await withPath(sql, owner, found(await store.findTemplate(sql, owner, id), 'template'))
}

/** Devices keep what they were given; from now on they may differ from the template. */
export async function changeTemplate(
  context: Context,
  actor: Actor,
  owner: CustomerOwner,
  { id, ifMatch }: { id: string; ifMatch: string | undefined },
  change: Partial<Omit<NewTemplate, 'model_id'>>,
): Promise<Template> {
  return await uniquePlace(
    transaction(context.sql, async (sql) => {
      const before = await requireOwnTemplate(sql, owner, id)
      requireMatch(ifMatch, await withPath(sql, owner, before))
      const after = { ...before, ...change, changed_at: context.now() }
      if (isDeepStrictEqual({ ...after, changed_at: before.changed_at }, before))
        return await withPath(sql, owner, before)
      await requirePlace(sql, owner, after.space_id)
      await requireValues(sql, owner, after)
      await store.updateTemplate(sql, after)
      await record(sql, actor, owner, after, 'changed')
      return await withPath(sql, owner, (await store.findTemplate(sql, owner, id))!)
    }),
  )
}

export async function deleteTemplate(context: Context, actor: Actor, owner: CustomerOwner, id: string): Promise<void> {
  await transaction(context.sql, async (sql) => {
    const template = await requireOwnTemplate(sql, owner, id)
    await store.deleteTemplate(sql, id)
    await record(sql, actor, owner, { ...template, changed_at: context.now() }, 'deleted')
  })
}

/**
 * Has devices want what the template says, but for the settings that a template of a nearer space decides about. A device
 * of another model, or outside the space of the template, is refused.
 */
export async function applyTemplate(
  context: Context,
  actor: Actor,
  owner: CustomerOwner,
  id: string,
  deviceIds: readonly string[],
): Promise<SettingsOutcome[]> {
  const template = found(await store.findTemplate(context.sql, owner, id), 'template')
  return await changeMany(context, actor, owner, deviceIds, {
    source: 'template',
    changeOf(_, { template: merged, covering }) {
      if (!covering.includes(template.id)) throw notCovered()
      const own = [...merged].filter(([, { template_id }]) => template_id === template.id)
      return new Map(own.map(([key, { value }]) => [key, value]))
    },
  })
}

function notCovered(): Refusal {
  const sentence = 'The template is not for this device: it is of another model, or outside the space of the template.'
  return new Refusal(422, 'not_covered', sentence)
}

/** To change one that is everywhere, or in a space that is not reached, more than some spaces are needed. */
async function requireOwnTemplate(sql: Sql, owner: CustomerOwner, id: string): Promise<store.SettingTemplate> {
  const template = found(await store.findTemplate(sql, owner, id, true), 'template')
  await requirePlace(sql, owner, template.space_id)
  return template
}

async function requirePlace(sql: Sql, owner: CustomerOwner, spaceId: string | null): Promise<void> {
  if (spaceId !== null) {
    if (!(await keepSpaces(sql, owner, [spaceId])).has(spaceId)) throw notFound('space')
  } else if (owner.within) {
    const sentence = 'A template without a space counts everywhere. Name one of your spaces.'
    throw new Refusal(403, 'not_permitted', sentence, { missing: 'devices: command' })
  }
}

/** A model of which the customer has no device is unknown, as its dictionary is. */
async function requireValues(sql: Sql, owner: CustomerOwner, { model_id, values }: NewTemplate): Promise<void> {
  const { customer_id } = owner
  const dictionary = found(await findDictionary(sql, { customer_id }, model_id), 'model')
  const settable = dictionary.filter((entry) => entry.settable).map((entry) => [entry.key, entry] as const)
  const wanted = new Map(Object.entries(values))
  const problems = problemsWith(new Map(settable), wanted)
  if (isTooLarge(wanted)) problems.push({ field: 'values', message: 'must be at most 200 settings of 16 KiB in all' })
  if (problems.length > 0) throw invalid(...problems)
}

/** With the devices that may differ from now on, or no longer; names of settings, never values. */
async function record(
  sql: Sql,
  actor: Actor,
  { customer_id }: CustomerOwner,
  { id, model_id, space_id, values, changed_at: at }: Omit<store.SettingTemplate, 'model_name'>,
  change: 'created' | 'changed' | 'deleted',
): Promise<void> {
  await requestReview(sql, model_id, customer_id)
  const details = { template_id: id, model_id, space_id, change, keys: Object.keys(values) }
  await recordAudit(sql, { type: 'settings.template_changed', at, actor, customer_id, details })
}

async function withPath(sql: Sql, owner: CustomerOwner, template: store.SettingTemplate): Promise<Template> {
  const { space_id } = template
  const paths = await findSpacePaths(sql, owner, space_id ? [space_id] : [])
  return { ...template, space_path: (space_id && paths.get(space_id)) || [] }
}

async function uniquePlace<Result>(saving: Promise<Result>): Promise<Result> {
  return await saving.catch((error) => {
    if (isUniqueViolation(error)) {
      throw conflict('template_exists', 'There is already a template for this model and space. Change that one.')
    }
    throw error
  })
}
