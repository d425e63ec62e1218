// What the API document and decisions 7.36 to 7.38 say about a model's data dictionary.
import { type Match, type Verdict, verdict } from './verdict.ts'

export interface Entry {
  key: string
  type: 'number' | 'boolean' | 'text'
  label?: string
  unit?: string
  decimals?: number
  min?: number
  max?: number
  values?: { value: number | string | boolean; label?: string; alarm?: boolean }[]
  chart?: boolean
}

export interface Dictionaries {
  /** In the order in which they are shown. */
  entries: Entry[]
  /** Whether the organization has a device of the model. */
  hasDevice: boolean
  /** How often the dictionary became another one: each has its audit event. */
  changes: number
}

export const maxEntries = 200
export const maxCharts = 20

/** The model's partner with its key or in the portal, another partner, the organization with and without a right to look. */
export const partners = ['partner', 'portal', 'rival'] as const
export const readers = [...partners, 'session', 'bearer', 'viewer', 'removed', 'stranger'] as const
export type Partner = (typeof partners)[number]
export type Reader = (typeof readers)[number]

const isRepeated = <Item>(items: readonly Item[]) => new Set(items).size < items.length
const typeOf = (value: unknown) => (typeof value === 'string' ? 'text' : typeof value)

function isWrong({ type, unit, decimals, min, max, values = [] }: Entry): boolean {
  const ofNumbers = [unit, decimals, min, max].some((field) => field !== undefined)
  return (
    (type !== 'number' && ofNumbers) ||
    (min !== undefined && max !== undefined && min > max) ||
    isRepeated(values.map(({ value }) => value)) ||
    values.some(({ value }) => typeOf(value) !== type)
  )
}

export function replacing({ who, entries, match }: { who: Partner; entries: Entry[]; match: Match }): Verdict {
  const invalid =
    entries.length > maxEntries ||
    entries.filter(({ chart }) => chart).length > maxCharts ||
    isRepeated(entries.map(({ key }) => key)) ||
    entries.some(isWrong)
  return verdict(200, {
    '422 invalid': invalid,
    '404 not_found': who === 'rival',
    '412 changed_meanwhile': who !== 'rival' && match === 'stale',
  })
}

export function reading({ hasDevice }: Dictionaries, who: Reader): Verdict {
  const isPartner = who === 'partner' || who === 'portal'
  const isCustomer = who === 'session' || who === 'bearer' || who === 'viewer'
  return verdict(200, {
    '403 administrators_only': who === 'removed',
    '404 not_found': who !== 'removed' && !isPartner && !(isCustomer && hasDevice),
  })
}

/** The first value of a device that the dictionary calls an alarm needs attention. */
export const isAlarm = ({ entries }: Dictionaries, key: string, value: unknown): boolean =>
  entries.some((entry) => entry.key === key && entry.values?.some((each) => each.value === value && each.alarm))
