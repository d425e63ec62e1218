import 'uplot/dist/uPlot.min.css'
import './chart.css'
import './chart-language.ts'
import { Group, Text } from '@mantine/core'
import { useLayoutEffect, useRef } from 'react'
import UPlot from 'uplot'
import { formatNumber } from '../page/numbers.ts'
import { type AxisGroup, type ChartPoint, type TimeTick, type ValueAxis, withGaps } from './chart-axis.ts'

export interface ChartSeries {
  label: string
  unit?: string | null
  /** Of its values where they are shown; by default every digit. */
  decimals?: number | null
  /** In order of time. */
  points: readonly ChartPoint[]
  /** Series with the same name share an axis: by default those with the same unit; one without a unit has its own. */
  axis?: string
}

export interface DrawnSeries extends ChartSeries {
  color: string
  dashed: boolean
  gap: number
}

export interface DrawnAxis extends AxisGroup<DrawnSeries>, ValueAxis {}

/** Where the lines are within the width of the chart: the same in every panel. */
export interface PlotArea {
  left: number
  right: number
  width: number
}

interface ChartPanelProps {
  /** One or two: on the left, and on the right. */
  axes: DrawnAxis[]
  from: number
  to: number
  ticks: TimeTick[]
  height: number
  plotArea: PlotArea
  dark: boolean
}

/** Room for the half of a line above the uppermost and below the lowest tick. */
const margin = { top: 6, bottom: 4 }

/** uPlot draws the lines; labels are text of the page, which is never cut off, follows the theme and can be read aloud. */
export function ChartPanel({ axes, from, to, ticks, height, plotArea, dark }: ChartPanelProps) {
  const holder = useRef<HTMLDivElement>(null)
  const { width } = plotArea
  useLayoutEffect(() => {
    const plot = new UPlot(optionsOf({ axes, from, to, ticks, width, height, dark }), dataOf(axes), holder.current!)
    return () => plot.destroy()
  }, [axes, from, to, ticks, width, height, dark])
  const series = axes.flatMap((axis) => axis.series)
  const y = ({ min, max }: DrawnAxis, value: number) =>
    margin.top + (1 - (value - min) / (max - min)) * (height - margin.top - margin.bottom)
  return (
    <div className="chart-panel">
      <Group justify="space-between" gap="md" wrap="nowrap" align="flex-start" mb={4} mih={20}>
        {axes.map((axis) => (
          <Group key={axis.axis} gap="0 12px">
            {axis.series.map((one) => (
              <Legend key={one.label} series={one} />
            ))}
          </Group>
        ))}
      </Group>
      <div
        role="img"
        aria-label={`Chart. ${series.map(summaryOf).join('; ')}`}
        className="chart-plot"
        style={{ height, paddingLeft: plotArea.left }}
      >
        {axes.map((axis, side) =>
          axis.ticks.map(({ value, label }) => (
            <Text
              span
              key={`${axis.axis}${value}`}
              className={`chart-label ${side === 0 ? 'chart-label-left' : 'chart-label-right'}`}
              style={{
                top: y(axis, value),
                [side === 0 ? 'right' : 'left']:
                  `calc(100% - ${side === 0 ? plotArea.left - 6 : plotArea.right - 6}px)`,
              }}
            >
              {label}
            </Text>
          )),
        )}
        <div ref={holder} />
      </div>
    </div>
  )
}

function Legend({ series: { label, unit, color, dashed } }: { series: DrawnSeries }) {
  return (
    <Group gap={6} wrap="nowrap" component="span">
      <span className={`chart-line ${dashed ? 'chart-line-dashed' : ''}`} style={{ borderColor: color }} />
      <Text span size="xs" style={{ overflowWrap: 'anywhere' }}>
        {label}
        {unit && (
          <Text span inherit c="dimmed">
            {` ${unit}`}
          </Text>
        )}
      </Text>
    </Group>
  )
}

type Drawing = Omit<ChartPanelProps, 'plotArea'> & { width: number }

function optionsOf({ axes, from, to, ticks, width, height, dark }: Drawing): UPlot.Options {
  const grid = { stroke: dark ? '#ffffff17' : '#00000012', width: 1 }
  const blank = {
    size: 0,
    gap: 0,
    ticks: { show: false },
    values: (_: UPlot, splits: number[]) => splits.map(() => ''),
  }
  const series = axes.flatMap((axis, side) => axis.series.map((one) => ({ ...one, scale: `y${side}` })))
  return {
    width,
    height,
    padding: [margin.top, 0, margin.bottom, 0],
    cursor: { show: false },
    legend: { show: false },
    scales: {
      x: { time: false, range: [from, to] },
      ...Object.fromEntries(axes.map(({ min, max }, side) => [`y${side}`, { range: [min, max] }])),
    },
    axes: [
      { ...blank, grid, splits: () => ticks.map(({ at }) => at) },
      ...axes.map((axis, side) => ({
        ...blank,
        scale: `y${side}`,
        // A second grid would be a maze.
        grid: side === 0 ? grid : { show: false },
        splits: () => axis.ticks.map(({ value }) => value),
      })),
    ],
    series: [
      {},
      ...series.map(({ scale, color, dashed }) => ({
        scale,
        stroke: color,
        width: 1.75,
        ...(dashed ? { dash: [6, 4] } : {}),
        points: { size: 5, fill: color, filter: shownPoints },
      })),
    ],
    hooks: { drawClear: [(plot) => drawRanges(plot, series)] },
  }
}

/** Few points are all marked; of many, only those that no line would show. */
function shownPoints(plot: UPlot, index: number, show: boolean): number[] | null {
  if (show) return null
  const values = plot.data[index]!
  const isBreak = (at: number, step: number) => {
    let other = at + step
    while (values[other] === undefined && other >= 0 && other < values.length) other += step
    return values[other] === null || values[other] === undefined
  }
  return Array.from(values.keys()).filter((at) => typeof values[at] === 'number' && isBreak(at, -1) && isBreak(at, 1))
}

/** A shade from the least to the greatest value that each point stands for: an average alone would hide every peak. */
function drawRanges(plot: UPlot, series: (DrawnSeries & { scale: string })[]): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  for (const { points, gap, color, scale } of series) {
    const x = (at: number) => plot.valToPos(at, 'x', true)
    const y = (value: number) => plot.valToPos(value, scale, true)
    ctx.fillStyle = color
    ctx.globalAlpha = 0.16
    points.forEach(([at, value, min = value, max = value], index) => {
      const next = points[index + 1]
      if (!next || next[0] - at > gap) return
      const [nextAt, nextValue, nextMin = nextValue, nextMax = nextValue] = next
      if (min === max && nextMin === nextMax) return
      ctx.beginPath()
      ctx.moveTo(x(at), y(min))
      ctx.lineTo(x(at), y(max))
      ctx.lineTo(x(nextAt), y(nextMax))
      ctx.lineTo(x(nextAt), y(nextMin))
      ctx.fill()
    })
  }
  ctx.restore()
}

/** uPlot wants one column of times for all lines. */
function dataOf(axes: DrawnAxis[]): UPlot.AlignedData {
  const tables = axes.flatMap((axis) => axis.series).map(({ points, gap }) => withGaps(points, gap))
  if (tables.length === 0) return [[]]
  return UPlot.join(tables.map(({ at, values }) => [at, values] as UPlot.AlignedData))
}

function summaryOf({ label, unit, points }: DrawnSeries): string {
  if (points.length === 0) return `${label}: no values in this range`
  const least = points.reduce((least, [, value, min = value]) => Math.min(least, min), Number.POSITIVE_INFINITY)
  const greatest = points.reduce((most, [, value, , max = value]) => Math.max(most, max), Number.NEGATIVE_INFINITY)
  const text = (value: number) => formatNumber(value) + (unit ? ` ${unit}` : '')
  return `${label}: ${points.length} points, from ${text(least)} to ${text(greatest)}, last ${text(points.at(-1)![1])}`
}
