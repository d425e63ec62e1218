// What a long run must not do: grow without end.

/** One figure over time, in the order in which it was taken. */
export type Series = number[]

/**
 * How much a figure still grows when the run should have settled: its median in the last quarter, relative to that in the
 * quarter before. Medians, so that neither a peak nor a collection that has just been made decides.
 */
export function lateGrowth(series: Series): number {
  const quarter = Math.floor(series.length / 4)
  return quarter === 0 ? 0 : growth(median(series.slice(-2 * quarter, -quarter)), median(series.slice(-quarter)))
}

/**
 * For a figure that rises until something cleans up, and then falls: its peaks in the last quarter, relative to all before.
 * Such a wave may be longer than a quarter.
 */
export function latePeakGrowth(series: Series): number {
  const quarter = Math.floor(series.length / 4)
  return quarter === 0 ? 0 : growth(quantile(series.slice(0, -quarter), 0.9), quantile(series.slice(-quarter), 0.9))
}

function growth(before: number, after: number): number {
  return before === 0 ? 0 : after / before - 1
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** The value that a share of all is at most. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
