import { messageLimits, settingLimits } from '../../platform/own-limits.ts'
import type { DictionaryEntry, Value } from '../store/dictionaries.ts'

export type { Value } from '../store/dictionaries.ts'

/** By key, the entries of the data points that customers may set. */
export type Settable = ReadonlyMap<string, DictionaryEntry>

const types = { number: 'a number', boolean: 'true or false', text: 'text' }
/** Values that a refusal lists. */
const namedValues = 10

/** What is wrong with a value for a setting, as the rest of a sentence; null: nothing. */
export function problemWith(entry: DictionaryEntry | undefined, value: unknown): string | null {
  if (!entry) return 'is no setting of this model'
  const { type, min, max, values = [] } = entry
  if (typeof value !== (type === 'text' ? 'string' : type)) return `must be ${types[type]}`
  if (typeof value === 'number') {
    // What has a meaning of its own may be out of range, such as −1 for “off”.
    if (values.some((known) => known.value === value)) return null
    if (!Number.isFinite(value)) return 'must be a number'
    if (min !== undefined && value < min) return `must not be less than ${min}`
    if (max !== undefined && value > max) return `must not be more than ${max}`
  }
  return typeof value === 'string' ? problemWithText(entry, value) : null
}

function problemWithText({ values = [] }: DictionaryEntry, value: string): string | null {
  if (Buffer.byteLength(value) > messageLimits.stringBytes) return 'must be text of at most 1,024 bytes'
  if (!value.isWellFormed() || value.includes('\0')) return 'must be text without U+0000 and lone surrogates'
  if (values.length === 0 || values.some((known) => known.value === value)) return null
  const named = values.slice(0, namedValues).map((known) => JSON.stringify(known.value))
  return `must be one of ${named.join(', ')}${values.length > namedValues ? ', …' : ''}`
}

/** Whether a device can be given as much. */
export function isTooLarge(config: ReadonlyMap<string, Value>): boolean {
  return (
    config.size > settingLimits.keys ||
    Buffer.byteLength(JSON.stringify(Object.fromEntries(config))) > settingLimits.bytes
  )
}
