import type { Parameters } from '../../platform/http/form.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import { type ReadText, readText } from '../../platform/texts.ts'

const max = 200

/** Of a person who creates an account. */
export function nameField(name: string | null | undefined): Content {
  return html`
<div class="field"><label>Your name
<input name="name" autocomplete="name" maxlength="${max}" required value="${name}"></label></div>`
}

export function readName(form: Parameters): ReadText {
  const typed = form.get('name') ?? ''
  return typed.trim() ? readText('line', typed, max) : { problem: 'must not be empty' }
}
