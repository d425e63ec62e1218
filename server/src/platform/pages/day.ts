import { type Html, html } from './html.ts'

const format = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** `16 Nov 2026`: these pages run no script, so they cannot know the reader's time zone. */
export function day(at: Date): Html {
  return html`<time datetime="${at.toISOString()}">${format.format(at)}</time>`
}
