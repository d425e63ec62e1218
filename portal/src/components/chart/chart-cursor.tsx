import { Group, Stack, Text } from '@mantine/core'
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react'
import { formatNumber, withUnit } from '../page/numbers.ts'
import { exactTime } from '../page/when.tsx'
import { type ChartPoint, nearestPoint } from './chart-axis.ts'
import type { DrawnAxis, DrawnSeries, PlotArea } from './chart-panel.tsx'
import type { ChartStates } from './chart-states.tsx'

interface ChartCursorProps {
  axes: DrawnAxis[]
  states: readonly ChartStates[]
  from: number
  to: number
  plotArea: PlotArea
  onZoom?: (from: number, to: number) => void
}

interface Cursor {
  at: number
  /** Of the pointer, within the chart. */
  y: number
}

/** A narrower drag is a click. */
const leastDrag = 6
/** A value counts as near the pointer within so many pixels, even where values are dense. */
const reachPixels = 12
/** Of a plot in which the tooltip has no room beside the line. */
const narrow = 420

/**
 * Lies over all panels: a line and the values at the pointer, finger or keyboard focus, and the range that is dragged
 * over. For a screen reader it is a slider over the time.
 */
export function ChartCursor({ axes, states, from, to, plotArea, onZoom }: ChartCursorProps) {
  const [cursor, setCursor] = useState<Cursor | null>(null)
  const [drag, setDrag] = useState<{ start: number; end: number } | null>(null)
  const overlay = useRef<HTMLDivElement>(null)
  const series = useMemo(() => axes.flatMap((axis) => axis.series), [axes])
  const secondsPerPixel = (to - from) / Math.max(1, plotArea.width)
  const position = (at: number) => (at - from) / secondsPerPixel

  const instantOf = ({ clientX }: PointerEvent) => {
    const { left } = overlay.current!.getBoundingClientRect()
    return Math.min(to, Math.max(from, from + (clientX - left) * secondsPerPixel))
  }
  const move = (event: PointerEvent) => {
    const at = instantOf(event)
    if (drag) setDrag({ ...drag, end: at })
    setCursor({ at: snap(series, at, reachPixels * secondsPerPixel), y: event.nativeEvent.offsetY })
  }
  const release = () => {
    if (!drag) return
    setDrag(null)
    const [start, end] = [Math.min(drag.start, drag.end), Math.max(drag.start, drag.end)]
    if ((end - start) / secondsPerPixel >= leastDrag) onZoom?.(start, end)
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key]
    const times = timesOf(series, from, to)
    const at = cursor?.at ?? to
    const y = cursor?.y ?? 20
    if (step !== undefined) setCursor({ at: times[stepIndex(times, at, step)] ?? at + step * 20 * secondsPerPixel, y })
    else if (event.key === 'Home') setCursor({ at: times[0] ?? from, y })
    else if (event.key === 'End') setCursor({ at: times.at(-1) ?? to, y })
    else if (event.key === 'Escape') setCursor(null)
    else if (event.key === '+') onZoom?.(at - (at - from) / 2, at + (to - at) / 2)
    else if (event.key === '-') onZoom?.(from - (to - from) / 2, to + (to - from) / 2)
    else return
    event.preventDefault()
  }

  const rows = cursor ? rowsAt({ axes, states }, cursor.at, reachPixels * secondsPerPixel) : []
  const time = cursor && exactTime(new Date(cursor.at * 1000))
  const texts = rows.map(({ label, text }) => `${label} ${text}`)
  return (
    <div
      ref={overlay}
      className="chart-cursor"
      style={{ left: plotArea.left, width: plotArea.width }}
      role="slider"
      tabIndex={0}
      aria-label="Time in the chart"
      aria-valuemin={Math.round(from)}
      aria-valuemax={Math.round(to)}
      aria-valuenow={Math.round(Math.min(to, Math.max(from, cursor?.at ?? to)))}
      aria-valuetext={time ? [time, ...texts].join(', ') : 'Use the arrow keys to read values'}
      onPointerMove={move}
      // What a finger chose stays until the next touch elsewhere.
      onPointerLeave={({ pointerType }) => !drag && pointerType !== 'touch' && setCursor(null)}
      onPointerDown={(event) => {
        move(event)
        // A finger moves along the values; a range is chosen with the buttons.
        if (!onZoom || event.button !== 0 || event.pointerType === 'touch') return
        event.currentTarget.setPointerCapture(event.pointerId)
        const at = instantOf(event)
        setDrag({ start: at, end: at })
      }}
      onPointerUp={release}
      onPointerCancel={() => setDrag(null)}
      onKeyDown={press}
      onBlur={() => setCursor(null)}
    >
      {drag && (
        <div
          className="chart-selection"
          style={{
            left: position(Math.min(drag.start, drag.end)),
            width: Math.abs(position(drag.end) - position(drag.start)),
          }}
        />
      )}
      {cursor && <div className="chart-crosshair" style={{ left: position(cursor.at) }} />}
      {cursor && !drag && (
        <Stack
          gap={2}
          className={`chart-tooltip ${tooltipSide(position(cursor.at), plotArea)}`}
          style={{ left: plotArea.width < narrow ? 0 : position(cursor.at), top: Math.max(0, cursor.y - 16) }}
        >
          <Text size="xs" fw={600} className="one-line">
            {time}
          </Text>
          {rows.map(({ label, text, color }) => (
            <Group key={label} gap={6} wrap="nowrap">
              <span className="status-dot" style={{ background: color }} />
              <Text size="xs" flex={1} miw={72} lineClamp={2}>
                {label}
              </Text>
              <Text size="xs" fw={500} className="numbers" ta="right" lineClamp={2}>
                {text}
              </Text>
            </Group>
          ))}
          {rows.length === 0 && (
            <Text size="xs" c="dimmed">
              No values
            </Text>
          )}
        </Stack>
      )}
    </div>
  )
}

/** Beside the line, on its wider side; where there is no room beside it, above the finger. */
function tooltipSide(x: number, { width }: PlotArea): string {
  if (width < narrow) return 'chart-tooltip-above'
  return x > width / 2 ? 'chart-tooltip-left' : ''
}

/** To the nearest point of any series, so that the time shown is that of a value. */
function snap(series: readonly DrawnSeries[], at: number, reach: number): number {
  const times = series.flatMap(({ points }) => nearestPoint(points, at, reach)?.[0] ?? [])
  return times.sort((a, b) => Math.abs(a - at) - Math.abs(b - at))[0] ?? at
}

function timesOf(series: readonly DrawnSeries[], from: number, to: number): number[] {
  const times = series.flatMap(({ points }) => points.map(([at]) => at)).filter((at) => at >= from && at <= to)
  return [...new Set(times)].sort((a, b) => a - b)
}

function stepIndex(times: number[], at: number, step: number): number {
  const here = step > 0 ? times.findLastIndex((time) => time <= at) : times.findIndex((time) => time >= at)
  const start = here === -1 ? (step > 0 ? -1 : times.length) : here
  return Math.min(times.length - 1, Math.max(0, start + step))
}

function rowsAt({ axes, states }: { axes: DrawnAxis[]; states: readonly ChartStates[] }, at: number, reach: number) {
  const numbers = axes.flatMap((axis) =>
    axis.series.flatMap((one) => {
      const point = nearestPoint(one.points, at, Math.max(reach, Number.isFinite(one.gap) ? one.gap / 2 : 0))
      return point ? { label: one.label, color: one.color, text: pointText(axis, one, point) } : []
    }),
  )
  const periods = states.flatMap(({ label, periods }) => {
    const period = periods.findLast(({ from, to }) => from <= at && at <= to)
    return period ? { label, color: period.color, text: period.label } : []
  })
  return [...numbers, ...periods]
}

/** An average is rounded and shows what it stands for; a single value is as in the list of values. */
function pointText(axis: DrawnAxis, series: DrawnSeries, [, value, min = value, max = value]: ChartPoint): string {
  const decimals = series.decimals ?? undefined
  if (min === max) return withUnit(formatNumber(value, decimals), series.unit)
  const step = Math.abs((axis.ticks[1]?.value ?? 1) - (axis.ticks[0]?.value ?? 0))
  const enough = Math.min(10, Math.max(0, 2 - Math.floor(Math.log10(step))))
  const range = `${formatNumber(min, decimals)} to ${formatNumber(max, decimals)}`
  return `${withUnit(formatNumber(value, decimals ?? enough), series.unit)} (${range})`
}
