import { Box, Text, useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useMemo } from 'react'
import { seriesColor } from '../../theme.ts'
import { gapOf, panelsOf, timeTicks, valueAxis } from './chart-axis.ts'
import { ChartCursor } from './chart-cursor.tsx'
import { ChartPanel, type ChartSeries, type DrawnAxis, type DrawnSeries } from './chart-panel.tsx'
import { type ChartStates, ChartTimeline } from './chart-states.tsx'

export type { ChartPoint } from './chart-axis.ts'
export type { ChartSeries } from './chart-panel.tsx'
export type { ChartStates, StatePeriod } from './chart-states.tsx'

interface ChartProps {
  series: readonly ChartSeries[]
  /** Timelines of what is no number, below the lines. */
  states?: readonly ChartStates[]
  /** Seconds since 1970. */
  from: number
  to: number
  /** Of one panel; several are a little lower. */
  height?: number
  /** Called with the range that was dragged over, or asked for with the keyboard. */
  onZoom?: (from: number, to: number) => void
}

const font = '12px system-ui, sans-serif'
/** On a phone a second axis would take too much of the width. */
const narrow = 560

/** Lines on one or two axes per panel, timelines of states below, and one cursor for all of them. */
export function Chart({ series, states = [], from, to, height = 260, onZoom }: ChartProps) {
  const { ref, width } = useElementSize()
  const dark = useComputedColorScheme('light') === 'dark'
  const axesPerPanel = width < narrow ? 1 : 2
  const panels = useMemo(() => {
    const drawn = series.map(
      (one, index): DrawnSeries => ({
        ...one,
        color: seriesColor(index),
        dashed: index >= 6,
        gap: gapOf(one.points),
      }),
    )
    const groups = panelsOf(drawn, axesPerPanel)
    const low = groups.length > 1
    const panelHeight = low ? Math.max(120, Math.round(height * 0.7)) : height
    return groups.map((axes) => ({
      height: panelHeight,
      axes: axes.map((group): DrawnAxis => ({ ...group, ...rangeOf(group.series, panelHeight) })),
    }))
  }, [series, axesPerPanel, height])

  const left = gutterOf(panels.map(({ axes }) => axes[0]))
  const right = panels.some(({ axes }) => axes.length > 1) ? gutterOf(panels.map(({ axes }) => axes[1])) : 10
  const plotWidth = Math.max(0, Math.floor(width) - left - right)
  const ticks = useMemo(() => timeTicks(from, to, Math.max(2, Math.floor(plotWidth / 76))), [from, to, plotWidth])
  const position = (at: number) => ((at - from) / (to - from)) * plotWidth
  const plotArea = { left, right, width: plotWidth }
  return (
    <Box ref={ref} className="chart" mih={series.length > 0 ? height : 64}>
      {width > 0 && (
        <>
          {panels.map(({ axes, height: panelHeight }) => (
            <ChartPanel
              key={axes.map(({ axis }) => axis).join('\n')}
              {...{ axes, from, to, ticks, dark, plotArea, height: panelHeight }}
            />
          ))}
          {states.map((timeline) => (
            <ChartTimeline key={timeline.label} timeline={timeline} {...{ from, to, plotArea }} />
          ))}
          <div className="chart-times" aria-hidden style={{ marginLeft: left, marginRight: right }}>
            {ticks.map(({ at, label }) => (
              <Text span key={at} className="chart-label" style={{ left: position(at) }}>
                {label}
              </Text>
            ))}
          </div>
          <ChartCursor
            {...{ from, to, plotArea, states }}
            axes={panels.flatMap(({ axes }) => axes)}
            {...(onZoom ? { onZoom } : {})}
          />
        </>
      )}
    </Box>
  )
}

function rangeOf(series: readonly DrawnSeries[], height: number): Omit<DrawnAxis, 'axis' | 'series'> {
  let least = Number.POSITIVE_INFINITY
  let greatest = Number.NEGATIVE_INFINITY
  for (const { points } of series) {
    for (const [, value, min = value, max = value] of points) {
      least = Math.min(least, min)
      greatest = Math.max(greatest, max)
    }
  }
  // An empty chart has no numbers on its axis.
  if (least > greatest) return { min: 0, max: 1, ticks: [] }
  return valueAxis(least, greatest, Math.max(2, Math.floor(height / 44)))
}

let measuring: CanvasRenderingContext2D | null | undefined

/** The width of the longest label of these axes, so that none is cut off and all panels have the same plot area. */
function gutterOf(axes: (DrawnAxis | undefined)[]): number {
  if (measuring === undefined) measuring = document.createElement('canvas').getContext('2d')
  if (measuring) measuring.font = font
  const widths = axes.flatMap((axis) => axis?.ticks ?? []).map(({ label }) => measuring?.measureText(label).width ?? 0)
  return Math.ceil(Math.max(14, ...widths)) + 12
}
