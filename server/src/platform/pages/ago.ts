import { type Html, html } from './html.ts'

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** `3 hours ago`, with the exact time on hover; in UTC, since these pages cannot know the reader's time zone. */
export function ago(at: Date, now: Date): Html {
  const passed = now.getTime() - at.getTime()
  const [unit, length] = units.find(([, length]) => passed >= length) ?? []
  const text = unit ? relative.format(-Math.floor(passed / length!), unit) : 'just now'
  return html`<time datetime="${at.toISOString()}" title="${exact.format(at)} UTC">${text}</time>`
}
