import type { DictionaryEntry } from '../api/partner.ts'

interface MeaningFields {
  value: string
  label: string
  alarm: boolean
}

/** An entry as a form has it: a field that is not filled in is empty, and values are text. */
export interface EntryFields {
  key: string
  type: DictionaryEntry['type']
  label: string
  description: string
  unit: string
  decimals: number | string
  min: number | string
  max: number | string
  values: MeaningFields[]
  /** Those of true and false. */
  booleans: MeaningFields[]
  chart: boolean
  settable: boolean
  position: number | string
}

export function fieldsOf(entry: DictionaryEntry | undefined): EntryFields {
  const { key = '', type = 'number', label = '', description = '', unit = '', values = [] } = entry ?? {}
  const meaningOf = (value: unknown) => {
    const { label = '', alarm = false } = values.find((meaning) => meaning.value === value) ?? {}
    return { value: String(value), label, alarm }
  }
  return {
    ...{ key, type, label, description, unit },
    decimals: entry?.decimals ?? '',
    min: entry?.min ?? '',
    max: entry?.max ?? '',
    values: type === 'boolean' ? [] : values.map(({ value }) => meaningOf(value)),
    booleans: [true, false].map(meaningOf),
    chart: entry?.chart ?? false,
    settable: entry?.settable ?? false,
    position: '',
  }
}

export function entryOf(fields: EntryFields): DictionaryEntry {
  const { type } = fields
  const text = (name: 'label' | 'description' | 'unit') => {
    const value = fields[name].trim()
    return value ? { [name]: value } : {}
  }
  const number = (name: 'decimals' | 'min' | 'max') =>
    typeof fields[name] === 'number' ? { [name]: fields[name] } : {}
  const values = meaningsOf(fields)
  return {
    key: fields.key,
    type,
    ...text('label'),
    ...text('description'),
    ...(type === 'number' ? { ...text('unit'), ...number('decimals'), ...number('min'), ...number('max') } : {}),
    ...(values.length > 0 ? { values } : {}),
    ...(fields.chart ? { chart: true } : {}),
    ...(fields.settable ? { settable: true } : {}),
  }
}

function meaningsOf({ type, values, booleans }: EntryFields): NonNullable<DictionaryEntry['values']> {
  // A boolean has both rows; one that says nothing is left out.
  const rows = type === 'boolean' ? booleans.filter(({ label, alarm }) => label.trim() || alarm) : values
  return rows.map(({ value, label, alarm }) => ({
    value: type === 'number' ? Number(value) : type === 'boolean' ? value === 'true' : value,
    ...(label.trim() ? { label: label.trim() } : {}),
    ...(alarm ? { alarm } : {}),
  }))
}

/** By field; the service checks the same and the lengths. */
export function problemsOfFields(fields: EntryFields, otherKeys: ReadonlySet<string>): Record<string, string> {
  const problems: Record<string, string> = {}
  if (fields.key === '') problems.key = 'Required'
  else if (otherKeys.has(fields.key)) problems.key = 'This key is already in the dictionary'
  const { type, min, max, values } = fields
  if (type === 'number' && typeof min === 'number' && typeof max === 'number' && min > max) {
    problems.max = 'Less than the minimum'
  }
  if (type === 'boolean') return problems
  const seen = new Set<string>()
  for (const [index, { value }] of values.entries()) {
    const isNumber = value.trim() !== '' && Number.isFinite(Number(value))
    if (type === 'number' && !isNumber) problems[`values.${index}.value`] = 'Enter a number'
    else if (seen.has(value)) problems[`values.${index}.value`] = 'Listed twice'
    seen.add(value)
  }
  return problems
}
