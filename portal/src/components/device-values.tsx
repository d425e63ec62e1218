import { Checkbox, Table, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { maxLines } from '../api/history.ts'
import type { DataPoint } from '../api/organization.ts'
import { seriesColor } from './series-color.ts'
import { ValueText } from './value.tsx'
import { When } from './when.tsx'

interface DeviceValuesProps {
  state: Record<string, DataPoint>
  /** The data points that are drawn. */
  drawn: string[]
  onDrawn: (keys: string[]) => void
}

/** The latest value of every data point. What has just changed lights up for a moment. */
export function DeviceValues({ state, drawn, onDrawn }: DeviceValuesProps) {
  const keys = Object.keys(state).sort((a, b) => a.localeCompare(b))
  const fresh = useFresh(state)
  if (keys.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing has arrived yet. Values appear here by themselves as soon as the device sends them.
      </Text>
    )
  }
  return (
    <>
      {drawn.length >= maxLines && (
        <Text size="xs" c="dimmed" mb={4} role="status">
          A chart draws at most {maxLines} data points. Clear one to choose another.
        </Text>
      )}
      <Table aria-label="Latest values" verticalSpacing={5}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Data point</Table.Th>
            <Table.Th ta="right">Value</Table.Th>
            <Table.Th visibleFrom="xs">Since</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => {
            const { value, at } = state[key]!
            const chosen = drawn.indexOf(key)
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
                      disabled={chosen < 0 && drawn.length >= maxLines}
                      {...(chosen >= 0 ? { color: seriesColor(chosen) } : {})}
                      onChange={(event) =>
                        onDrawn(event.currentTarget.checked ? [...drawn, key] : drawn.filter((other) => other !== key))
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

/** The keys whose instant moved since the last look; nothing on the first. */
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
