// What is typed into the fields of settings, and what is sent of it.
import type { DictionaryEntry } from '../../api/generated.ts'
import type { SettingState } from '../../api/settings.ts'
import { formatNumber } from '../page/numbers.ts'

export type Scalar = number | string | boolean
/** As a field has it: empty where nothing is wanted. Booleans and choices are text. */
export type Typed = string | number

export function typedOf(value: Scalar | null | undefined): Typed {
  if (value === null || value === undefined) return ''
  return typeof value === 'boolean' ? String(value) : value
}

/** Null where nothing is wanted. */
export function settingValue({ type }: DictionaryEntry, typed: Typed): Scalar | null {
  if (typed === '') return null
  if (type === 'number') return Number(typed)
  return type === 'boolean' ? typed === 'true' : String(typed)
}

/** The service checks the same. */
export function settingProblem(entry: DictionaryEntry, typed: Typed): string | undefined {
  const value = settingValue(entry, typed)
  if (typeof value !== 'number') return undefined
  const { min, max, values = [] } = entry
  if (!Number.isFinite(value)) return 'Enter a number'
  // What has a meaning of its own may be out of range.
  if (values.some((known) => known.value === value)) return undefined
  if (min !== undefined && value < min) return `Enter ${formatNumber(min)} or more`
  if (max !== undefined && value > max) return `Enter ${formatNumber(max)} or less`
  return undefined
}

/** The values to choose from; undefined where any can be typed. */
export function choicesOf({ type, values = [], min, max, unit }: DictionaryEntry) {
  const named = (value: Scalar, usual: string) => ({
    value: String(value),
    label: values.find((known) => known.value === value)?.label ?? usual,
  })
  if (type === 'boolean') return [named(true, 'Yes'), named(false, 'No')]
  const isScale = type === 'number' && (min !== undefined || max !== undefined || unit !== undefined)
  if (values.length === 0 || isScale) return undefined
  return values.map(({ value }) => named(value as Scalar, String(value)))
}

export const settingLooks: Record<SettingState, { label: string; color: string }> = {
  in_sync: { label: 'In sync', color: 'green' },
  pending: { label: 'Waiting for the device', color: 'brand' },
  rejected: { label: 'Refused by the device', color: 'red' },
  unsupported: { label: 'Not supported', color: 'yellow' },
}

/** For the filter of a list, where a device counts with the worst of its settings. */
export const settingFilters = [
  ...(Object.keys(settingLooks) as SettingState[]).map((value) => ({ value, label: settingLooks[value].label })),
  { value: 'differs', label: 'Differs from template' },
]
