import { Group, Paper, SimpleGrid, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import type { DeviceCounts, Status, TrendPoint } from '../../api/organization.ts'
import { Sparkline } from '../chart/sparkline.tsx'
import { formatNumber } from '../page/numbers.ts'
import { statusColor, statuses } from './status.tsx'

/** The service stops counting here. */
const maxCounted = 100_000

export function countText(count: number): string {
  return count >= maxCounted ? `${formatNumber(maxCounted)}+` : formatNumber(count)
}

export function sumOf(counts: DeviceCounts): number {
  return statuses.reduce((sum, { value }) => sum + counts[value], 0)
}

interface StatusTilesProps {
  counts: DeviceCounts | undefined
  /** Where the list of these devices is. */
  to: (status: Status) => string
  trend?: TrendPoint[]
}

/** How many devices have which status, each with its last day and a link to the list. */
export function StatusTiles({ counts, to, trend = [] }: StatusTilesProps) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      {statuses.map(({ value, label }) => (
        <Paper
          key={value}
          withBorder
          p="sm"
          component={Link}
          to={to(value)}
          style={{ color: 'inherit', textDecoration: 'none' }}
          className="clickable-row"
        >
          <Group gap={6}>
            <span className="status-dot" style={{ background: statusColor(value) }} />
            <Text size="sm" c="dimmed">
              {label}
            </Text>
          </Group>
          <Title order={3} component="div" fz={26} mt={2} className="numbers">
            {counts ? countText(counts[value]) : '…'}
          </Title>
          {counts && trend.length > 0 && <StatusTrend status={value} now={counts[value]} trend={trend} />}
        </Paper>
      ))}
    </SimpleGrid>
  )
}

function StatusTrend({ status, now, trend }: { status: Status; now: number; trend: TrendPoint[] }) {
  const points = trend.map((point): [number, number] => [Date.parse(point.at) / 1000, point[status]])
  const before = points[0]![1]
  const hours = Math.max(1, Math.round((Date.now() / 1000 - points[0]![0]) / 3600))
  const since = hours === 1 ? 'the last hour' : `${hours} hours`
  const change = now - before
  const said =
    change === 0 ? `No change in ${since}` : `${change > 0 ? '+' : '−'}${countText(Math.abs(change))} in ${since}`
  return (
    <>
      <Sparkline
        points={[...points, [Date.now() / 1000, now]]}
        color={statusColor(status)}
        label={`From ${countText(before)} to ${countText(now)} in ${since}`}
      />
      <Text size="xs" c="dimmed" className="numbers">
        {said}
      </Text>
    </>
  )
}
