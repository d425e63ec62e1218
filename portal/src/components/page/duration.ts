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

/** The largest first. */
export const durationUnits = [
  { seconds: 86_400, name: 'day' },
  { seconds: 3_600, name: 'hour' },
  { seconds: 60, name: 'minute' },
  { seconds: 1, name: 'second' },
]

/** The largest unit of which it is a whole number. */
export function durationUnit(seconds: number) {
  return durationUnits.find((unit) => seconds >= unit.seconds && seconds % unit.seconds === 0) ?? durationUnits.at(-1)!
}

/** `1 hour`, `90 seconds` */
export function durationWords(seconds: number): string {
  const unit = durationUnit(seconds)
  const count = seconds / unit.seconds
  return `${count} ${unit.name}${count === 1 ? '' : 's'}`
}
