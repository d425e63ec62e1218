import { dictionaryLimits } from '../../platform/own-limits.ts'
import type { Detail } from '../../platform/refusal.ts'
import type { DictionaryEntry, Value } from '../store/dictionaries.ts'

const typeNames = { number: 'a number', boolean: 'true or false', text: 'text' }

/** What is wrong between the fields of a dictionary; its schema has checked each of them. */
export function problemsOf(entries: readonly DictionaryEntry[]): Detail[] {
  const seen = new Set<string>()
  const problems = entries.flatMap((entry, index) => {
    const at = `data_points.${index}`
    const own = problemsOfEntry(entry).map(({ field, message }) => ({ field: `${at}.${field}`, message }))
    const repeated = seen.has(entry.key) ? [{ field: `${at}.key`, message: 'must not be listed twice' }] : []
    seen.add(entry.key)
    return [...repeated, ...own]
  })
  if (entries.filter(({ chart }) => chart).length > dictionaryLimits.chart) {
    const message = `must not have more than ${dictionaryLimits.chart} data points with chart`
    problems.push({ field: 'data_points', message })
  }
  return problems
}

const ofNumbers = ['unit', 'decimals', 'min', 'max'] as const

function problemsOfEntry(entry: DictionaryEntry): Detail[] {
  const { type, min, max, values = [] } = entry
  const problems: Detail[] = []
  if (type !== 'number') {
    const out = ofNumbers.filter((field) => entry[field] !== undefined)
    problems.push(...out.map((field) => ({ field, message: 'is only for numbers' })))
  }
  if (min !== undefined && max !== undefined && min > max) {
    problems.push({ field: 'max', message: 'must not be less than min' })
  }
  const seen = new Set<unknown>()
  for (const [index, { value }] of values.entries()) {
    const field = `values.${index}.value`
    if (seen.has(value)) problems.push({ field, message: 'must not be listed twice' })
    if (typeOf(value) !== type) problems.push({ field, message: `must be ${typeNames[type]}, as the type says` })
    seen.add(value)
  }
  return problems
}

export function typeOf(value: Value): DictionaryEntry['type'] {
  return typeof value === 'string' ? 'text' : (typeof value as 'number' | 'boolean')
}
