// What a long run must not do: grow without end.

/** One figure over time, in the order in which it was taken. */
export type Series = number[]

/**
 * How much a figure still grows when the run should have settled: its median in the last quarter, relative to that in the
 * quarter before. Medians, so that neither a peak nor a collection that has just been made decides.
 */
export function lateGrowth(series: Series): number {
  return growthBy(median, series)
}

/** The same of its peaks, for a figure that rises until something cleans up, and then falls: where in this wave a quarter has its median is chance. */
export function latePeakGrowth(series: Series): number {
  return growthBy((values) => quantile(values, 0.9), series)
}

function growthBy(typical: (values: number[]) => number, series: Series): number {
  const quarter = Math.floor(series.length / 4)
  if (quarter === 0) return 0
  const before = typical(series.slice(-2 * quarter, -quarter))
  return before === 0 ? 0 : typical(series.slice(-quarter)) / before - 1
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
