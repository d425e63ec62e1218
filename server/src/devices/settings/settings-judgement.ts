import { spacesAboveEach } from '../../directory/organization/spaces.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { listPlaced, type PlacedTemplate } from '../store/setting-templates-sql.ts'
import { listSettable, type SettingsSubject } from '../store/settings-sql.ts'
import { listSettings, type ReportedSettingsRow } from '../telemetry-store/telemetry-store.ts'
import { type Document, emptyDocument } from './setting-documents.ts'
import {
  type Desired,
  type JudgedSetting,
  judgeSettings,
  type SettingState,
  type Wanted,
  worstOf,
} from './setting-states.ts'
import type { Settable } from './setting-values.ts'
import { coveringTemplates, differences, mergeTemplates, type TemplateValue } from './template-merges.ts'

/** Everything on which the settings of a device depend. */
export interface SettingsFacts {
  document: Document
  /** As it is stored; undefined while nobody ever wanted anything. */
  row: ReportedSettingsRow | undefined
  reported: ReadonlyMap<string, unknown>
  settable: Settable
  template: ReadonlyMap<string, TemplateValue>
  /** The templates that count for it. */
  covering: readonly string[]
}

/** Of each device, by id, in the same few statements for one and for a thousand. */
export async function readFacts(sql: Sql, subjects: readonly SettingsSubject[]): Promise<Map<string, SettingsFacts>> {
  if (subjects.length === 0) return new Map()
  const rows = await listSettings(
    sql,
    subjects.map(({ id }) => id),
  )
  const found = new Map(rows.map((row) => [row.device_id, row]))
  const settable = await readSettable(
    sql,
    subjects.map(({ model_id }) => model_id),
  )
  const templates = await templatesFor(sql, subjects)
  return new Map(
    subjects.map(({ id, model_id }) => {
      const row = found.get(id)
      const document = row ? documentOf(row) : emptyDocument
      const reported = new Map(Object.entries(row?.reported ?? {}))
      return [id, { document, row, reported, settable: settable.get(model_id)!, ...templates(id) }]
    }),
  )
}

export function documentOf(row: Pick<ReportedSettingsRow, 'version' | 'desired' | 'reported_version'>): Document {
  return { version: row.version, desired: desiredOf(row), reported_version: row.reported_version }
}

export function desiredOf({ desired }: Pick<ReportedSettingsRow, 'desired'>): Desired {
  return new Map(Object.entries(desired as Record<string, Wanted>))
}

/** By model. */
export async function readSettable(sql: Sql, modelIds: readonly string[]): Promise<Map<string, Settable>> {
  const rows = await listSettable(sql, [...new Set(modelIds)])
  return new Map(rows.map(({ model_id, settable }) => [model_id, new Map(settable.map((entry) => [entry.key, entry]))]))
}

/** What the templates of its customer say about each device. */
async function templatesFor(sql: Sql, subjects: readonly SettingsSubject[]) {
  const customers = new Set(subjects.map(({ customer_id }) => customer_id))
  const models = new Set(subjects.map(({ model_id }) => model_id))
  const templates = await listPlaced(sql, [...customers], [...models])
  const of = Map.groupBy(templates, groupOf)
  const placed = subjects.filter((subject) => of.has(groupOf(subject)))
  const above = await spacesAboveEach(sql, [...new Set(placed.flatMap(({ space_id }) => space_id ?? []))])
  const merged = new Map(
    placed.map((subject) => {
      const spaces = (subject.space_id && above.get(subject.space_id)) || []
      const templates = of.get(groupOf(subject))!
      const covering = coveringTemplates(templates, spaces).map(({ id }) => id)
      return [subject.id, { template: mergeTemplates(templates, spaces), covering }]
    }),
  )
  return (id: string): Pick<SettingsFacts, 'template' | 'covering'> =>
    merged.get(id) ?? { template: new Map(), covering: [] }
}

function groupOf({ customer_id, model_id }: Pick<PlacedTemplate, 'customer_id' | 'model_id'>): string {
  return `${customer_id} ${model_id}`
}

export interface Judgement {
  settings: ReadonlyMap<string, JudgedSetting>
  /** Of the device as a whole; null: nothing is wanted of it. */
  state: SettingState | null
  /** The keys in which it differs from its templates. */
  differs: ReadonlySet<string>
}

export function judgeFacts({ document, settable, reported, template }: SettingsFacts, desired?: Desired): Judgement {
  const judged = desired ?? document.desired
  const settings = judgeSettings(judged, settable, reported)
  return { settings, state: worstOf(settings.values()), differs: differences(template, judged, settable) }
}
