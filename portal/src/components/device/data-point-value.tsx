import { Group, Text } from '@mantine/core'
import type { Value } from '../../api/organization.ts'
import { Icon } from '../page/icon.tsx'
import { concernOf, type Dictionary, formatValue, fullNumber, rangeOf } from './data-points.ts'

interface DataPointValueProps {
  dictionary: Dictionary
  /** The key of the data point. */
  name: string
  value: Value
}

/** A value as people read it. What needs attention has a sign and a reason too: colour alone is not accessible. */
export function DataPointValue({ dictionary, name, value }: DataPointValueProps) {
  const concern = concernOf(dictionary, name, value)
  const shown = formatValue(dictionary, name, value)
  const full = fullNumber(value, shown)
  const text = (
    <Text
      span
      size="sm"
      className="numbers"
      c={concern ? 'var(--mantine-color-error)' : undefined}
      fw={500}
      // Half a number would be read as another one.
      style={typeof value === 'number' ? { whiteSpace: 'nowrap' } : { overflowWrap: 'anywhere' }}
      {...(full ? { 'data-tooltip': full } : {})}
    >
      {shown}
    </Text>
  )
  if (!concern) return text
  const reason = concern === 'alarm' ? 'Alarm' : `Out of range: ${rangeOf(dictionary, name)}`
  return (
    <Group
      component="span"
      display="inline-flex"
      gap={4}
      wrap="nowrap"
      c="var(--mantine-color-error)"
      data-tooltip={reason}
    >
      <Icon name="alert" size={14} />
      {text}
      <span className="visually-hidden">, {reason}</span>
    </Group>
  )
}
