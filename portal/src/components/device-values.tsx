import { Checkbox, Table, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { DataPoint, Value } from '../api/organization.ts'
import { seriesColor } from '../theme.ts'
import { maxLines } from './device-chart.tsx'
import { When } from './when.tsx'

interface DeviceValuesProps {
  state: Record<string, DataPoint>
  /** The data points in the chart. */
  chartKeys: string[]
  onChart: (keys: string[]) => void
}

/** The latest value of every data point; new ones are highlighted for a moment. */
export function DeviceValues({ state, chartKeys, onChart }: DeviceValuesProps) {
  const keys = Object.keys(state).sort((a, b) => a.localeCompare(b))
  const fresh = useFresh(state)
  if (keys.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No values yet. They appear here as soon as the device sends them.
      </Text>
    )
  }
  return (
    <>
      {chartKeys.length >= maxLines && (
        <Text size="xs" c="dimmed" mb={4} role="status">
          The chart shows up to {maxLines} data points. Clear one to choose another.
        </Text>
      )}
      <Table aria-label="Latest values" verticalSpacing={5}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Data point</Table.Th>
            <Table.Th ta="right">Value</Table.Th>
            <Table.Th visibleFrom="xs">Updated</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => {
            const { value, at } = state[key]!
            const chosen = chartKeys.indexOf(key)
            return (
              <Table.Tr key={key}>
                <Table.Td>
                  {typeof value !== 'number' ? (
                    <Text size="sm" pl={28} style={{ overflowWrap: 'anywhere' }}>
                      {key}
                    </Text>
                  ) : (
                    <Checkbox
                      size="xs"
                      styles={{ label: { fontSize: 'var(--mantine-font-size-sm)' } }}
                      label={key}
                      checked={chosen >= 0}
                      disabled={chosen < 0 && chartKeys.length >= maxLines}
                      {...(chosen >= 0 ? { color: seriesColor(chosen) } : {})}
                      onChange={(event) =>
                        onChart(
                          event.currentTarget.checked
                            ? [...chartKeys, key]
                            : chartKeys.filter((other) => other !== key),
                        )
                      }
                    />
                  )}
                </Table.Td>
                <Table.Td ta="right" key={`${key}${at}`} className={fresh.has(key) ? 'arrived' : ''} data-key={key}>
                  <ValueText value={value} />
                </Table.Td>
                <Table.Td visibleFrom="xs" fz="xs">
                  <When at={at} />
                </Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
    </>
  )
}

/** The keys with a new value since the last render. */
function useFresh(state: Record<string, DataPoint>): ReadonlySet<string> {
  const before = useRef<Record<string, DataPoint> | null>(null)
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const last = before.current
    before.current = state
    if (last && last !== state) setFresh(new Set(Object.keys(state).filter((key) => state[key]?.at !== last[key]?.at)))
  }, [state])
  return fresh
}

/** Rounded for reading; the raw messages have the exact number. */
function valueText(value: Value): string {
  if (typeof value === 'number')
    return Number.isInteger(value) ? value.toLocaleString('en') : String(Number(value.toPrecision(8)))
  return String(value)
}

function ValueText({ value }: { value: Value }) {
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
