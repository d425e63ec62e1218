const units: [number, string][] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
]

/** `2 min`, `90 days`; in seconds where no larger unit fits. */
export function duration(seconds: number): string {
  const [size, unit] = units.find(([length]) => seconds >= length && seconds % length === 0) ?? [1, 's']
  const count = seconds / size
  return unit === 'd' ? `${count} ${count === 1 ? 'day' : 'days'}` : `${count} ${unit}`
}
