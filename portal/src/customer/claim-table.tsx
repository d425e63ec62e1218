import { Anchor, Badge, Group, SegmentedControl, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { Link, useParams } from 'react-router'
import { Empty } from '../components/page/page.tsx'
import { type Column, DataTable } from '../components/table/table.tsx'
import type { CheckedLine } from './claim-check.ts'
import { parseMac } from './claim-lines.ts'
import type { LineResult, LineResults } from './claim-list.ts'

type State = 'failed' | 'remaining' | 'claimed'

interface Row {
  line: CheckedLine
  result: LineResult | undefined
  state: State
}

/** What needs attention comes first. */
const order: State[] = ['failed', 'remaining', 'claimed']

interface ClaimTableProps {
  lines: readonly CheckedLine[]
  results: LineResults
  started: boolean
}

export function ClaimTable({ lines, results, started }: ClaimTableProps) {
  const { customerId } = useParams()
  const [filter, setFilter] = useState<State | 'all'>('all')
  const rows = useMemo(() => {
    const all = lines.map((line) => toRow(line, results.get(line.line)))
    return all.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || a.line.line - b.line.line)
  }, [lines, results])
  const counts = Map.groupBy(rows, ({ state }) => state)
  const shown = filter === 'all' ? rows : rows.filter(({ state }) => state === filter)
  const words: Record<State, string> = {
    failed: started ? 'Failed' : 'To correct',
    remaining: 'Ready',
    claimed: 'Claimed',
  }
  const offered = order.filter((state) => counts.has(state))

  const columns: Column<Row>[] = [
    { label: 'Line', width: 62, cell: ({ line }) => line.line.toLocaleString('en') },
    {
      label: 'Device',
      width: 172,
      mono: true,
      cell: ({ line, result }) => (
        <>
          {result && result.kind !== 'failed' ? (
            <Anchor component={Link} to={`/customer/${customerId}/devices/${result.device_id}`} fz="inherit">
              {macOf(line)}
            </Anchor>
          ) : (
            macOf(line)
          )}
          <br />
          {line.sn || '–'}
        </>
      ),
    },
    { label: 'Name', wide: true, cell: ({ line }) => line.name || '–' },
    { label: 'Space', wide: true, cell: ({ line }) => line.space || '–' },
    { label: 'Result', cell: (row) => <Result {...row} /> },
  ]
  return (
    <>
      {offered.length > 1 && (
        <Group>
          <SegmentedControl
            aria-label="Show"
            size="xs"
            value={filter}
            onChange={(value) => setFilter(value as State | 'all')}
            data={[
              { value: 'all', label: 'All' },
              ...offered.map((state) => ({
                value: state,
                label: `${words[state]} ${counts.get(state)!.length.toLocaleString('en')}`,
              })),
            ]}
          />
        </Group>
      )}
      <DataTable
        list={{ items: shown }}
        label="Lines to claim"
        unit="line"
        columns={columns}
        rowKey={({ line }) => String(line.line)}
        empty={<Empty icon="check" title="No such lines" />}
      />
    </>
  )
}

function toRow(line: CheckedLine, result: LineResult | undefined): Row {
  if (line.problem !== null || result?.kind === 'failed') return { line, result, state: 'failed' }
  return { line, result, state: result ? 'claimed' : 'remaining' }
}

function macOf({ mac }: CheckedLine): string {
  return parseMac(mac) ?? (mac || '–')
}

function Result({ line, result }: Row) {
  if (result?.kind === 'claimed') return <Badge color="green">Claimed</Badge>
  if (result?.kind === 'already_yours') return <Badge color="gray">Already claimed</Badge>
  const reason = result?.kind === 'failed' ? result.reason : line.problem
  return (
    <Text size="xs" c={reason ? 'var(--mantine-color-error)' : 'dimmed'} style={{ whiteSpace: 'normal' }}>
      {reason ?? 'Ready'}
    </Text>
  )
}
