import 'uplot/dist/uPlot.min.css'
import { Box, useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import { seriesColor } from '../theme.ts'

export interface Series {
  label: string
  /** `[seconds, value]` in order of time. */
  points: [number, number][]
}

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })
const second = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** Seconds, minutes or days, depending on the distance of the ticks. */
function timesOf(_plot: UPlot, ticks: number[]): string[] {
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0)
  const format = step >= 86_400 ? day : step >= 60 ? clock : second
  return ticks.map((seconds) => format.format(seconds * 1000))
}

interface ChartProps {
  series: Series[]
  from: number
  to: number
  height?: number
  /** Called with the range that was dragged over. */
  onRange?: (from: number, to: number) => void
}

export function Chart({ series, from, to, height = 280, onRange }: ChartProps) {
  const holder = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot | null>(null)
  const range = useRef({ from, to, onRange })
  range.current = { from, to, onRange }
  const dark = useComputedColorScheme('light') === 'dark'
  const labels = series.map(({ label }) => label).join('\n')

  // biome-ignore lint/correctness/useExhaustiveDependencies: the chart is rebuilt only for other series or another colour scheme
  useEffect(() => {
    const element = holder.current!
    const ink = dark ? '#c9ced4' : '#3d444b'
    const grid = { stroke: dark ? '#ffffff14' : '#00000012', width: 1 }
    const axis = { stroke: ink, grid, ticks: { ...grid, size: 4 }, font: '12px system-ui, sans-serif' }
    const chart = new UPlot(
      {
        width: element.clientWidth,
        height,
        cursor: { drag: { x: true, y: false, setScale: false }, focus: { prox: 24 } },
        legend: { live: true },
        scales: { x: { range: () => [range.current.from, range.current.to] } },
        axes: [
          { ...axis, values: timesOf },
          { ...axis, size: 56 },
        ],
        series: [
          { label: 'Time', value: (_plot, seconds) => (seconds === null ? '–' : exact.format(seconds * 1000)) },
          ...series.map(({ label }, index) => ({
            label,
            stroke: seriesColor(index),
            width: 1.6,
            points: { size: 4 },
            spanGaps: true,
          })),
        ],
        hooks: {
          setSelect: [
            (self) => {
              if (self.select.width < 6) return
              const start = self.posToVal(self.select.left, 'x')
              const end = self.posToVal(self.select.left + self.select.width, 'x')
              self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
              range.current.onRange?.(start, end)
            },
          ],
        },
      },
      dataOf(series),
      element,
    )
    plot.current = chart
    const watcher = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    watcher.observe(element)
    return () => {
      watcher.disconnect()
      chart.destroy()
      plot.current = null
    }
  }, [labels, dark, height])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the range is read by the scale itself
  useEffect(() => {
    plot.current?.setData(dataOf(series))
  }, [series, from, to])

  const summary = series.map(({ label, points }) => summaryOf(label, points)).join('; ')
  return <Box ref={holder} className="uplot-holder" role="img" aria-label={`Chart. ${summary}`} />
}

/** uPlot wants one axis of times for all lines. */
function dataOf(series: Series[]): UPlot.AlignedData {
  if (series.length === 1) {
    const { points } = series[0]!
    return [points.map(([at]) => at), points.map(([, value]) => value)]
  }
  const tables = series.map(({ points }) => [points.map(([at]) => at), points.map(([, value]) => value)])
  return series.length === 0 ? [[]] : UPlot.join(tables as UPlot.AlignedData[])
}

function summaryOf(label: string, points: Series['points']): string {
  const values = points.map(([, value]) => value)
  if (values.length === 0) return `${label}: no values in this range`
  const min = values.reduce((a, b) => Math.min(a, b))
  const max = values.reduce((a, b) => Math.max(a, b))
  return `${label}: ${values.length} points, from ${min} to ${max}, last ${values.at(-1)}`
}
