import type { Context } from '../../directory/context.ts'
import type { Actor } from '../../events/audit.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { found } from '../../platform/refusal.ts'
import type { CustomerOwner } from '../store/devices-sql.ts'
import { findOwnSubjects } from '../store/settings-sql.ts'
import { mergeState } from '../telemetry/state.ts'
import { findState, listConfigs } from '../telemetry-store/telemetry-store.ts'
import { valuesOf } from './setting-documents.ts'
import type { SettingState } from './setting-states.ts'
import type { Value } from './setting-values.ts'
import { changeMany, requireBase, type SettingsOutcome } from './settings-changes.ts'
import { desiredOf, judgeFacts, readFacts } from './settings-judgement.ts'
import type { Config } from './settings-refusals.ts'

/** One setting of a device, as its customer sees it. */
export interface DeviceSetting {
  key: string
  /** Null: nothing is wanted. */
  desired: Value | null
  /** Null: the device does not report it. */
  reported: Value | null
  reported_at: Date | null
  /** Null while nothing is wanted. */
  state: SettingState | null
  message: string | null
  /** What the nearest template says; null: none does. */
  template: { id: string; value: Value } | null
  differs: boolean
}

export interface DeviceSettings {
  version: number
  reported_version: number | null
  reported_at: Date | null
  state: SettingState | null
  differs: boolean
  source: 'customer' | 'device' | 'template' | null
  changed_at: Date | null
  changed_by: Actor | null
  values: DeviceSetting[]
}

/** Every setting that the model has, that is wanted, or that a template names. */
export async function getSettings(context: Context, owner: CustomerOwner, id: string): Promise<DeviceSettings> {
  const [subject] = await findOwnSubjects(context.sql, owner, [id])
  const facts = (await readFacts(context.sql, [found(subject, 'device')])).get(subject!.id)!
  const row = await findState(context.sql, subject!.id)
  const state = new Map(Object.entries(row ? mergeState(row) : {}))
  const reported = new Map([...state].map(([key, { value }]) => [key, value]))
  const { settings, differs, ...judgement } = judgeFacts({ ...facts, reported })
  const { document, template, settable } = facts
  const keys = new Set([...settable.keys(), ...document.desired.keys(), ...template.keys()])
  const values = [...keys].map((key): DeviceSetting => {
    const point = state.get(key)
    const judged = settings.get(key)
    const of = template.get(key)
    return {
      key,
      desired: document.desired.get(key)?.value ?? null,
      reported: (point?.value as Value | undefined) ?? null,
      reported_at: point?.at ?? null,
      state: judged?.state ?? null,
      message: judged?.message ?? null,
      template: of ? { id: of.template_id, value: of.value } : null,
      differs: differs.has(key),
    }
  })
  return {
    version: document.version,
    reported_version: document.reported_version,
    reported_at: facts.row?.reported_at ?? null,
    state: judgement.state,
    differs: differs.size > 0,
    source: facts.row?.source ?? null,
    changed_at: facts.row?.changed_at ?? null,
    changed_by: (facts.row?.changed_by as Actor | undefined) ?? null,
    values,
  }
}

export interface SettingsChange {
  /** Null no longer wants the setting. */
  values: Record<string, Value | null>
  base_version?: number | undefined
}

/** 409 `settings_changed` where the newest version is another than the one that the caller knows. */
export async function changeSettings(
  context: Context,
  actor: Actor,
  owner: CustomerOwner,
  id: string,
  { values, base_version }: SettingsChange,
): Promise<DeviceSettings> {
  const [outcome] = await changeMany(context, actor, owner, [id], {
    source: 'customer',
    changeOf(_, facts) {
      requireBase(facts, base_version)
      return new Map(Object.entries(values))
    },
  })
  if ('refusal' in outcome!) throw outcome.refusal
  return await getSettings(context, owner, id)
}

/** The same for many devices, each judged by its own model. */
export async function changeSettingsOfMany(
  context: Context,
  actor: Actor,
  owner: CustomerOwner,
  deviceIds: readonly string[],
  values: Record<string, Value | null>,
): Promise<SettingsOutcome[]> {
  const change = new Map(Object.entries(values))
  return await changeMany(context, actor, owner, deviceIds, { source: 'customer', changeOf: () => change })
}

export const noConfig: Config = { version: 0, config: {}, last_updated: null }

/** Of the devices of which anything was ever wanted, by id. */
export async function readConfig({ sql }: { sql: Sql }, deviceIds: readonly string[]): Promise<Map<string, Config>> {
  const rows = await listConfigs(sql, deviceIds)
  return new Map(
    rows.map((row) => {
      const config = Object.fromEntries(valuesOf(desiredOf(row)))
      return [row.device_id, { version: row.version, config, last_updated: row.changed_at }]
    }),
  )
}
