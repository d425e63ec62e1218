import { Text } from '@mantine/core'
import type { CSSProperties } from 'react'
import type { PlotArea } from './chart-panel.tsx'

/** What a data point or status was, from one instant to another. Seconds since 1970. */
export interface StatePeriod {
  from: number
  to: number
  label: string
  color: string
  /** It changed so often in this time that single values cannot be drawn. */
  mixed?: boolean
}

export interface ChartStates {
  label: string
  periods: readonly StatePeriod[]
}

interface ChartTimelineProps {
  timeline: ChartStates
  from: number
  to: number
  plotArea: PlotArea
}

/** A bar per period; a time without one is empty. */
export function ChartTimeline({ timeline: { label, periods }, from, to, plotArea }: ChartTimelineProps) {
  const shown = periods.filter((period) => period.to >= from && period.from <= to)
  const position = (at: number) => (Math.min(1, Math.max(0, (at - from) / (to - from))) * 100).toFixed(3)
  return (
    <div role="img" aria-label={`Timeline. ${label}: ${summaryOf(shown)}`} className="chart-timeline">
      <Text size="xs" truncate>
        {label}
      </Text>
      <div className="chart-bars" style={{ marginLeft: plotArea.left, marginRight: plotArea.right }}>
        {shown.map((period) => (
          <div
            key={period.from}
            className={`chart-bar ${period.mixed ? 'chart-bar-mixed' : ''}`}
            style={{
              ...({ '--state': period.color } as CSSProperties),
              left: `${position(period.from)}%`,
              width: `max(2px, ${Number(position(period.to)) - Number(position(period.from))}%)`,
            }}
          >
            {hasRoom(period, ((period.to - period.from) / (to - from)) * plotArea.width) && <span>{period.label}</span>}
          </div>
        ))}
      </div>
    </div>
  )
}

/** Half a word says less than none: the tooltip has it. */
function hasRoom({ label, mixed = false }: StatePeriod, pixels: number): boolean {
  return !mixed && pixels >= label.length * 7 + 10
}

function summaryOf(periods: readonly StatePeriod[]): string {
  if (periods.length === 0) return 'no values in this range'
  const seconds = new Map<string, number>()
  for (const { from, to, label } of periods) seconds.set(label, (seconds.get(label) ?? 0) + to - from)
  const longest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, 5)
  const last = periods.at(-1)!.label
  return `${periods.length} periods, mostly ${longest.map(([label]) => label).join(', ')}; last ${last}`
}
