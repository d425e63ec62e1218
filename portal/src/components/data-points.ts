import type { DictionaryEntry } from '../api/generated.ts'
import type { Value } from '../api/organization.ts'
import { locale } from '../locale.ts'

/**
 * How data points are named and written, wherever they are shown. Everything works without a dictionary, for keys that
 * it does not have, and for values of another type than it says: telemetry is stored whatever the dictionary says.
 */
export type Dictionary = ReadonlyMap<string, DictionaryEntry>

/** In the partner's order. */
export function toDictionary(entries: readonly DictionaryEntry[]): Dictionary {
  return new Map(entries.map((entry) => [entry.key, entry]))
}

/** The name for people, or the key itself. */
export function labelOf(dictionary: Dictionary, key: string): string {
  return dictionary.get(key)?.label ?? key
}

/** Empty where there is none. */
export function unitOf(dictionary: Dictionary, key: string): string {
  return dictionary.get(key)?.unit ?? ''
}

/** `Temperature (°C)`, for headers and axes. */
export function titleOf(dictionary: Dictionary, key: string): string {
  const unit = unitOf(dictionary, key)
  return unit ? `${labelOf(dictionary, key)} (${unit})` : labelOf(dictionary, key)
}

/** Known ones in the partner's order, then the others by name. */
export function sortKeys(dictionary: Dictionary, keys: readonly string[]): string[] {
  const places = new Map([...dictionary.keys()].map((key, index) => [key, index]))
  const placeOf = (key: string) => places.get(key) ?? dictionary.size
  return [...keys].sort((one, other) => placeOf(one) - placeOf(other) || one.localeCompare(other))
}

/** What the chart of a device opens with: the partner's choice, or the first number. */
export function firstChartKeys(dictionary: Dictionary, state: Record<string, { value: Value }>): string[] {
  const keys = sortKeys(dictionary, Object.keys(state))
  const chosen = keys.filter((key) => dictionary.get(key)?.chart)
  return chosen.length > 0 ? chosen : keys.filter((key) => typeof state[key]?.value === 'number').slice(0, 1)
}

/** What the value means in the partner's words, if it says so. */
export function meaningOf(dictionary: Dictionary, key: string, value: Value): string | undefined {
  return findMeaning(dictionary, key, value)?.label
}

/** The value as people read it: its meaning, or the number with its decimals and unit. */
export function formatValue(dictionary: Dictionary, key: string, value: Value): string {
  const meaning = meaningOf(dictionary, key, value)
  if (meaning !== undefined) return meaning
  if (typeof value !== 'number') return String(value)
  return withUnit(formatNumber(value, dictionary.get(key)?.decimals), unitOf(dictionary, key))
}

export function withUnit(number: string, unit: string | null | undefined): string {
  if (!unit) return number
  return /^[%°′″]$/.test(unit) ? number + unit : `${number}\u00a0${unit}`
}

/** `5 to 35 °C`, `5 °C or more`; empty without a range. */
export function rangeOf(dictionary: Dictionary, key: string): string {
  const { min, max, unit } = dictionary.get(key) ?? {}
  const text = (value: number) => withUnit(formatNumber(value), unit)
  if (min !== undefined && max !== undefined) return `${formatNumber(min)} to ${text(max)}`
  if (min !== undefined) return `${text(min)} or more`
  return max === undefined ? '' : `${text(max)} or less`
}

/** Whether a value needs attention. Only the dictionary knows: without it, `true` is neither good nor bad. */
export function concernOf(dictionary: Dictionary, key: string, value: Value): 'alarm' | 'out_of_range' | null {
  if (findMeaning(dictionary, key, value)?.alarm) return 'alarm'
  if (typeof value !== 'number') return null
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = dictionary.get(key) ?? {}
  return value < min || value > max ? 'out_of_range' : null
}

function findMeaning(dictionary: Dictionary, key: string, value: Value) {
  return dictionary.get(key)?.values?.find((meaning) => meaning.value === value)
}

/** All digits that a device meant; those behind them are noise of its floating-point numbers. */
const plain = new Intl.NumberFormat(locale, { maximumSignificantDigits: 15 })
const scientific = new Intl.NumberFormat(locale, { notation: 'scientific', maximumSignificantDigits: 15 })
const fixed = Array.from(
  { length: 11 },
  (_, digits) =>
    new Intl.NumberFormat(locale, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      signDisplay: 'negative',
    }),
)

export function formatNumber(value: number, decimals?: number): string {
  const size = Math.abs(value)
  if (size >= 1e15 || (decimals === undefined && size > 0 && size < 1e-6)) return scientific.format(value)
  return (fixed[decimals ?? -1] ?? plain).format(value)
}
