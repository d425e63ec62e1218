import { Text } from '@mantine/core'
import type { Value } from '../api/organization.ts'

/** A number as people read it; the exact one is in the raw messages. */
export function valueText(value: Value): string {
  if (typeof value === 'number')
    return Number.isInteger(value) ? value.toLocaleString('en') : String(Number(value.toPrecision(8)))
  return String(value)
}

export function ValueText({ value }: { value: Value }) {
  return (
    <Text
      span
      size="sm"
      className="numbers"
      c={typeof value === 'boolean' ? (value ? 'green' : 'dimmed') : undefined}
      fw={500}
      style={{ overflowWrap: 'anywhere' }}
    >
      {valueText(value)}
    </Text>
  )
}
