import { locale } from '../../locale.ts'

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_628_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** Always with a number: “yesterday” would be a day of the calendar, which a number of hours is not. */
export function relativeFormat(style: 'long' | 'narrow'): Intl.RelativeTimeFormat {
  return new Intl.RelativeTimeFormat(locale, { numeric: 'always', style })
}

/** To the nearest number of the largest unit that rounds to one: a moment after it began, a week is still seven days. */
export function relativeTime(at: Date, now: number, format: Intl.RelativeTimeFormat): string {
  const seconds = (at.getTime() - now) / 1000
  if (Math.abs(seconds) < 10) return 'just now'
  const fits = ([, size]: (typeof units)[number], index: number) =>
    index === units.length - 1 || Math.abs(seconds) >= size - units[index + 1]![1] / 2
  const [unit, size] = units.find(fits)!
  return format.format(Math.round(Math.abs(seconds) / size) * Math.sign(seconds), unit)
}
