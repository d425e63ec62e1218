import { locale } from '../../locale.ts'
import { formatNumber, powerOfTen } from '../page/numbers.ts'

/** What a chart computes before it draws: scales, ticks, their labels, and where a line breaks. Times are in seconds. */

/** `[seconds, value]`, or with the least and greatest value that it stands for. */
export type ChartPoint = readonly [at: number, value: number, min?: number, max?: number]

export interface ValueAxis {
  min: number
  max: number
  ticks: { value: number; label: string }[]
}

const roundSteps = [1, 2, 2.5, 5, 10]

/** From a round number below the least value to one above the greatest; no two labels are the same. */
export function valueAxis(least: number, greatest: number, maxTicks: number): ValueAxis {
  const [low, high] = spread(least, greatest)
  // Divided first: the difference of the two may be too large for a number.
  const rough = high / maxTicks - low / maxTicks
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = (roundSteps.find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10) * power
  const first = Math.floor(low / step + 1e-9)
  const last = Math.ceil(high / step - 1e-9)
  const values = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step).filter(Number.isFinite)
  // A multiple of the step may miss the value itself by a rounding.
  return { min: Math.min(values[0]!, low), max: Math.max(values.at(-1)!, high), ticks: labelled(values, step) }
}

/** Makes room where all values are the same, or closer together than a number can tell. */
function spread(least: number, greatest: number): [number, number] {
  const size = Math.max(Math.abs(least), Math.abs(greatest))
  if (greatest - least > size * 2 ** -44) return [least, greatest]
  const margin = size === 0 ? 1 : size * 0.1
  return least >= 0 ? [Math.max(0, least - margin), greatest + margin] : [least - margin, greatest + margin]
}

/** As many decimals as the step needs; far from 1, with an exponent. */
function labelled(values: number[], step: number): ValueAxis['ticks'] {
  const size = Math.max(...values.map(Math.abs))
  const digit = Math.floor(Math.log10(step) + 1e-9)
  const finest = isRound(step / 10 ** digit) ? digit : digit - 1
  const exponent = size >= 1e12 || step < 1e-6
  return values.map((value) => ({
    value,
    label: exponent
      ? value === 0
        ? '0'
        : powerOfTen(value, Math.max(0, Math.floor(Math.log10(size)) - finest), true)
      : formatNumber(value, Math.max(0, -finest)),
  }))
}

function isRound(factor: number): boolean {
  return Math.abs(factor - Math.round(factor)) < 1e-6
}

const minute = 60
const hour = 3_600
const day = 86_400
const timeSteps = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 3, 7, 14, 28, 91, 182, 364, 728, 1820].map((count) => count * day),
]

export interface TimeTick {
  at: number
  label: string
}

const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
const clockSeconds = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const dayOfYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
const dayWithYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: '2-digit' })

/** Round times of the day, or midnights, in the time zone of the reader; the first one of a day shows the day. */
export function timeTicks(from: number, to: number, maxTicks: number): TimeTick[] {
  const rough = (to - from) / Math.max(1, maxTicks)
  const step = timeSteps.find((seconds) => seconds >= rough) ?? timeSteps.at(-1)!
  const format = step >= 91 * day ? dayWithYear : step >= day ? dayOfYear : step >= minute ? clock : clockSeconds
  const ticks: TimeTick[] = []
  for (const at of timesOf(from, step)) {
    if (at > to) break
    if (at < from || at === ticks.at(-1)?.at) continue
    ticks.push({ at, label: (isMidnight(at) && step < day ? dayOfYear : format).format(at * 1000) })
  }
  return ticks
}

/** By the calendar, not by adding seconds: a day may have 23 or 25 hours. */
function* timesOf(from: number, step: number): Generator<number> {
  const start = new Date(from * 1000)
  const [year, month] = [start.getFullYear(), start.getMonth()]
  const days = Math.max(1, step / day)
  // Days are counted from a Monday, so that a range that moves keeps its ticks.
  const count = Math.round(Date.UTC(year, month, start.getDate()) / 86_400_000) + 3
  const offset = -(count % days)
  for (let date = start.getDate() + offset; ; date += days) {
    const midnight = new Date(year, month, date).getTime() / 1000
    if (step >= day) {
      yield midnight
      continue
    }
    const nextMidnight = new Date(year, month, date + 1).getTime() / 1000
    for (let second = 0; second < 25 * hour; second += step) {
      const at = step < hour ? midnight + second : new Date(year, month, date, 0, 0, second).getTime() / 1000
      if (at >= nextMidnight) break
      if (at >= from) yield at
    }
  }
}

function isMidnight(at: number): boolean {
  const date = new Date(at * 1000)
  return date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0
}

/** A line breaks where nothing came for five times the usual distance of its points. */
const gapFactor = 5

/** Seconds without a value after which a line breaks. */
export function gapOf(points: readonly ChartPoint[]): number {
  const distances = points.slice(1).map(([at], index) => at - points[index]![0])
  if (distances.length === 0) return Number.POSITIVE_INFINITY
  distances.sort((a, b) => a - b)
  const usual = distances[Math.floor((distances.length - 1) / 2)]!
  return gapFactor * usual
}

/** The columns of a line, with an empty value within each gap. */
export function withGaps(points: readonly ChartPoint[], gap: number): { at: number[]; values: (number | null)[] } {
  const at: number[] = []
  const values: (number | null)[] = []
  for (const [time, value] of points) {
    const before = at.at(-1)
    if (before !== undefined && time - before > gap) {
      at.push((before + time) / 2)
      values.push(null)
    }
    at.push(time)
    values.push(value)
  }
  return { at, values }
}

/** The point nearest to an instant, if it is within reach. */
export function nearestPoint(points: readonly ChartPoint[], at: number, reach: number): ChartPoint | null {
  let low = 0
  let high = points.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (points[middle]![0] < at) low = middle + 1
    else high = middle
  }
  const near = [points[low - 1], points[low]].filter((point) => point !== undefined)
  near.sort((a, b) => Math.abs(a[0] - at) - Math.abs(b[0] - at))
  return near[0] && Math.abs(near[0][0] - at) <= reach ? near[0] : null
}

export interface AxisGroup<Series> {
  axis: string
  series: Series[]
}

/** One group per axis, and as many panels as are needed for so many axes each. */
export function panelsOf<Series extends { axis?: string | undefined; unit?: string | null; label: string }>(
  series: readonly Series[],
  axesPerPanel: number,
): AxisGroup<Series>[][] {
  const groups = new Map<string, AxisGroup<Series>>()
  for (const one of series) {
    // Without a unit nobody knows whether two series can be compared.
    const axis = one.axis ?? (one.unit ? `unit ${one.unit}` : `label ${one.label}`)
    const group = groups.get(axis) ?? { axis, series: [] }
    group.series.push(one)
    groups.set(axis, group)
  }
  const all = [...groups.values()]
  return Array.from({ length: Math.ceil(all.length / axesPerPanel) }, (_, panel) =>
    all.slice(panel * axesPerPanel, (panel + 1) * axesPerPanel),
  )
}
