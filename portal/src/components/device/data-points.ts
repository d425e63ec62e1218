import type { DictionaryEntry } from '../../api/generated.ts'
import type { Value } from '../../api/organization.ts'
import { formatNumber, withUnit } from '../page/numbers.ts'

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
  const positions = new Map([...dictionary.keys()].map((key, index) => [key, index]))
  const positionOf = (key: string) => positions.get(key) ?? dictionary.size
  return [...keys].sort((one, other) => positionOf(one) - positionOf(other) || one.localeCompare(other))
}

/** What a device says about itself and not about the room or machine that it watches. */
const ofItself =
  /(?:^|_)(?:id|seq|sequence|counts?|counter|uptime|rssi|snr|lqi|signal|version|time|timestamp|ts|millis|seconds|heap|memory|errors?|retries|interval|battery)(?:_|$)/

/** The smaller, the more a chart of it tells. Of unknown ones, a fraction was measured and a whole number often counted. */
function positionInChart(dictionary: Dictionary, key: string, value: number | undefined): number {
  const entry = dictionary.get(key)
  if (entry) return entry.unit ? 0 : 1
  if (ofItself.test(key.replaceAll(/([a-z])([A-Z])|[^a-zA-Z]+/g, '$1_$2').toLowerCase())) return 4
  return value === undefined || Number.isInteger(value) ? 3 : 2
}

/** The most telling of some numbers first; where two tell the same, in the order in which they are shown. */
export function sortForChart(dictionary: Dictionary, numbers: ReadonlyMap<string, number | undefined>): string[] {
  const positionOf = (key: string) => positionInChart(dictionary, key, numbers.get(key))
  return sortKeys(dictionary, [...numbers.keys()]).sort((one, other) => positionOf(one) - positionOf(other))
}

/** What the chart of a device opens with: the partner's choice, or the most telling number. */
export function firstChartKeys(dictionary: Dictionary, state: Record<string, { value: Value }>): string[] {
  const chosen = sortKeys(dictionary, Object.keys(state)).filter((key) => dictionary.get(key)?.chart)
  if (chosen.length > 0) return chosen
  const values = Object.entries(state).map(([key, { value }]) => [key, value] as const)
  const numbers = values.filter((pair): pair is readonly [string, number] => typeof pair[1] === 'number')
  return sortForChart(dictionary, new Map(numbers)).slice(0, 1)
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

/** What was sent, where less of it is shown; otherwise undefined. */
export function fullNumber(value: Value, shown: string): string | undefined {
  if (typeof value !== 'number') return undefined
  const full = String(value)
  return shown.replaceAll(',', '').startsWith(full) ? undefined : full
}
