import { Group, Input, NumberInput, Select } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { durationUnit, durationUnits, durationWords } from '../page/duration.ts'

interface DurationFieldProps {
  label: string
  description?: string
  /** In seconds; empty while nothing is entered. */
  value?: number | ''
  onChange: (seconds: number | '') => void
  /** In seconds. */
  min: number
  max: number
  error?: ReactNode
}

/** A number and its unit: `1 hour`. */
export function DurationField({ label, description, value = '', onChange, min, max, error }: DurationFieldProps) {
  const [unit, setUnit] = useState(() => durationUnit(value === '' ? 60 : value))
  // A problem of the length is that of both fields.
  const count = value === '' ? '' : value / unit.seconds
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={description ?? `From ${durationWords(min)} to ${durationWords(max)}`}
      error={error}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    >
      <Group gap={6} wrap="nowrap" role="group" aria-label={label} mb={5}>
        <NumberInput
          aria-label={label}
          value={count}
          min={0}
          hideControls
          error={Boolean(error)}
          style={{ flex: 1, minWidth: 60 }}
          onChange={(next) => onChange(typeof next === 'number' ? Math.round(next * unit.seconds) : '')}
        />
        <Select
          aria-label={`Unit of ${label}`}
          w={118}
          allowDeselect={false}
          data={durationUnits.map(({ name }) => ({ value: name, label: `${name}s` }))}
          value={unit.name}
          onChange={(name) => {
            const next = durationUnits.find((one) => one.name === name) ?? unit
            setUnit(next)
            // The number stays as it was typed.
            if (count !== '') onChange(Math.round(count * next.seconds))
          }}
        />
      </Group>
    </Input.Wrapper>
  )
}
