import { NumberInput, Select, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { DictionaryEntry } from '../../api/generated.ts'
import { rangeOf, titleOf, toDictionary } from '../device/data-points.ts'
import { choicesOf, type Typed } from './setting-values.ts'

interface SettingFieldProps {
  entry: DictionaryEntry
  value: Typed
  onChange: (value: Typed) => void
  error?: ReactNode
  disabled?: boolean
  /** The name is beside it. */
  hideLabel?: boolean
}

/** A field for one settable data point, by its type and limits; empty: nothing is wanted. */
export function SettingField({
  entry,
  value,
  onChange,
  error,
  disabled = false,
  hideLabel = false,
}: SettingFieldProps) {
  const dictionary = toDictionary([entry])
  const title = titleOf(dictionary, entry.key)
  const range = rangeOf(dictionary, entry.key)
  const look = {
    ...(hideLabel ? { 'aria-label': title } : { label: title }),
    ...(hideLabel || !range ? {} : { description: range }),
    placeholder: 'Not set',
    error,
    disabled,
  }
  const choices = choicesOf(entry)
  if (choices) {
    return (
      <Select
        {...look}
        data={choices}
        clearable
        value={value === '' ? null : String(value)}
        onChange={(next) => onChange(next ?? '')}
      />
    )
  }
  if (entry.type === 'number') {
    // A number out of range is said, not silently changed to another one.
    return (
      <NumberInput
        {...look}
        clampBehavior="none"
        hideControls
        suffix={entry.unit ? ` ${entry.unit}` : ''}
        value={value}
        onChange={onChange}
      />
    )
  }
  return (
    <TextInput {...look} maxLength={1_024} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
  )
}
