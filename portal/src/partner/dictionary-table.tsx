import { ActionIcon, Badge, Checkbox, Group, Table, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { type DragEvent, type KeyboardEvent, useState } from 'react'
import type { DictionaryEntry } from '../api/partner.ts'
import { formatValue, rangeOf, toDictionary } from '../components/device/data-points.ts'
import { Icon } from '../components/page/icon.tsx'

interface DictionaryTableProps {
  entries: DictionaryEntry[]
  /** Shows only some of them; they cannot be moved then. */
  fits?: (entry: DictionaryEntry) => boolean
  onChange: (entries: DictionaryEntry[]) => void
  onEdit: (index: number) => void
}

export const typeLabels = { number: 'Number', boolean: 'True/false', text: 'Text' }

export function DictionaryTable({ entries, fits, onChange, onEdit }: DictionaryTableProps) {
  const [dragged, setDragged] = useState<number | null>(null)
  const [over, setOver] = useState<number | null>(null)
  const move = (from: number, to: number) => onChange(moved(entries, from, to))
  const endDrag = () => {
    setDragged(null)
    setOver(null)
  }
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table aria-label="Data points" verticalSpacing={5}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th visibleFrom="sm" w={36}>
              <span className="visually-hidden">Order</span>
            </Table.Th>
            <Table.Th>Data point</Table.Th>
            <Table.Th visibleFrom="sm">Type</Table.Th>
            <Table.Th>Shown as</Table.Th>
            <Table.Th visibleFrom="md">Range</Table.Th>
            <Table.Th ta="center" title="The chart of a device opens with these">
              Chart
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry, index) => {
            if (fits && !fits(entry)) return null
            return (
              <Table.Tr
                key={entry.key}
                data-key={entry.key}
                {...(over === index && dragged !== index ? { bg: 'var(--mantine-color-default-hover)' } : {})}
                onDragOver={(event: DragEvent) => {
                  if (dragged === null) return
                  event.preventDefault()
                  setOver(index)
                }}
                onDrop={() => {
                  if (dragged !== null) move(dragged, index)
                  endDrag()
                }}
              >
                <Table.Td visibleFrom="sm" pr={0}>
                  {!fits && (
                    <Handle
                      label={entry.label ?? entry.key}
                      onStep={(step) => move(index, index + step)}
                      onDragStart={() => setDragged(index)}
                      onDragEnd={endDrag}
                    />
                  )}
                </Table.Td>
                <Table.Td>
                  <UnstyledButton onClick={() => onEdit(index)} mih={24}>
                    <VisuallyHidden>Edit </VisuallyHidden>
                    <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }} c="var(--mantine-color-anchor)">
                      {entry.label ?? entry.key}
                    </Text>
                    {entry.settable && <Badge color="gray">Can be set</Badge>}
                    {entry.label !== undefined && (
                      <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                        {entry.key}
                      </Text>
                    )}
                  </UnstyledButton>
                </Table.Td>
                <Table.Td visibleFrom="sm">
                  <Text size="sm" c="dimmed">
                    {typeLabels[entry.type]}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <ShownAs entry={entry} />
                </Table.Td>
                <Table.Td visibleFrom="md">
                  <Text size="sm">{rangeOf(toDictionary([entry]), entry.key)}</Text>
                </Table.Td>
                <Table.Td>
                  <Group justify="center">
                    <Checkbox
                      aria-label={`Open the chart with ${entry.label ?? entry.key}`}
                      checked={entry.chart ?? false}
                      onChange={(event) => onChange(entries.with(index, withChart(entry, event.currentTarget.checked)))}
                    />
                  </Group>
                </Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

/** Unchanged where there is no such position. */
export function moved<Item>(items: Item[], from: number, to: number): Item[] {
  if (to < 0 || to >= items.length) return items
  const item = items[from]!
  return items.toSpliced(from, 1).toSpliced(to, 0, item)
}

function withChart({ chart: _, ...entry }: DictionaryEntry, chart: boolean): DictionaryEntry {
  return chart ? { ...entry, chart } : entry
}

interface HandleProps {
  label: string
  onStep: (step: 1 | -1) => void
  onDragStart: () => void
  onDragEnd: () => void
}

/** Dragged with a pointer, or moved with the arrow keys. */
function Handle({ label, onStep, onDragStart, onDragEnd }: HandleProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key] as 1 | -1 | undefined
    if (step === undefined) return
    event.preventDefault()
    onStep(step)
  }
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={26}
      aria-label={`Move ${label}`}
      title="Drag, or use the arrow keys"
      draggable
      onDragStart={onDragStart}
      onDragEnd={onDragEnd}
      onKeyDown={onKeyDown}
      style={{ cursor: 'grab' }}
    >
      <Icon name="grip" size={14} />
    </ActionIcon>
  )
}

/** How an ordinary value looks, or what single values mean. */
function ShownAs({ entry }: { entry: DictionaryEntry }) {
  const { values = [] } = entry
  if (values.length === 0) {
    return (
      <Text size="sm" className="numbers">
        {sampleText(entry)}
      </Text>
    )
  }
  return (
    <Group gap={4}>
      {values.slice(0, 4).map(({ value, label, alarm }) => (
        <Badge key={String(value)} color={alarm ? 'red' : 'gray'} title={`${value}${alarm ? ', alarm' : ''}`}>
          {label ?? String(value)}
        </Badge>
      ))}
      {values.length > 4 && (
        <Text size="xs" c="dimmed">
          and {values.length - 4} more
        </Text>
      )}
    </Group>
  )
}

export function sampleText(entry: DictionaryEntry): string {
  const { key, type, min, max } = entry
  const middle = min !== undefined && max !== undefined ? (min + max) / 2 : (min ?? max ?? 1234.5678)
  const sample = type === 'number' ? middle : type === 'boolean' ? true : 'text'
  return formatValue(toDictionary([entry]), key, sample)
}
