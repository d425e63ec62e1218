import { Checkbox, Table, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { DataPoint } from '../../api/organization.ts'
import { seriesColor } from '../../theme.ts'
import { When } from '../page/when.tsx'
import { DataPointValue } from './data-point-value.tsx'
import { type Dictionary, labelOf, sortKeys } from './data-points.ts'
import { maxLines } from './device-chart.tsx'

interface DeviceValuesProps {
  dictionary: Dictionary
  state: Record<string, DataPoint>
  /** The data points in the chart. */
  chartKeys: string[]
  onChart: (change: (keys: string[]) => string[]) => void
}

/** The latest value of every data point; new ones are highlighted for a moment. */
export function DeviceValues({ dictionary, state, chartKeys, onChart }: DeviceValuesProps) {
  const keys = sortKeys(dictionary, Object.keys(state))
  const fresh = useFresh(state)
  // The colours of the chart count its lines only.
  const lines = chartKeys.filter((key) => typeof state[key]?.value === 'number')
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
      <Table aria-label="Latest values" verticalSpacing={5} horizontalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            {/* Without a share of its own, a long text beside it would leave one letter per line. */}
            <Table.Th w="40%">Data point</Table.Th>
            <Table.Th ta="right">Value</Table.Th>
            <Table.Th visibleFrom="xs" w="24%">
              Updated
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => {
            const { value, at } = state[key]!
            const chosen = chartKeys.indexOf(key)
            return (
              <Table.Tr key={key}>
                <Table.Td>
                  <Checkbox
                    size="xs"
                    styles={{ label: { fontSize: 'var(--mantine-font-size-sm)', overflowWrap: 'anywhere' } }}
                    label={labelOf(dictionary, key)}
                    title={dictionary.get(key)?.description ?? key}
                    checked={chosen >= 0}
                    disabled={chosen < 0 && chartKeys.length >= maxLines}
                    {...(chosen >= 0 ? { color: seriesColor(lines.indexOf(key)) } : {})}
                    onChange={({ currentTarget: { checked } }) =>
                      onChart((now) => [...now.filter((other) => other !== key), ...(checked ? [key] : [])])
                    }
                  />
                </Table.Td>
                <Table.Td ta="right" key={`${key}${at}`} className={fresh.has(key) ? 'arrived' : ''} data-key={key}>
                  <DataPointValue {...{ dictionary, name: key, value }} />
                </Table.Td>
                <Table.Td visibleFrom="xs" fz="xs">
                  <When at={at} short />
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
