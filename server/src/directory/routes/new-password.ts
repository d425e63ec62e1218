import { type Content, html } from '../../platform/pages/html.ts'

const min = 10
const max = 256

/** A sentence for the person who chose the password; null for a valid one. */
export function passwordProblem(password: string, repeated: string): string | null {
  if (password.length < min) return `The password needs ${min} characters or more.`
  if (password.length > max) return `The password can have at most ${max} characters.`
  if (password !== repeated) return 'The two passwords are different.'
  return null
}

/** Of a first password, or of one that replaces another. */
export function passwordFields(kind: 'first' | 'new'): Content {
  return html`
<div class="field"><label>${kind === 'new' ? 'New password' : 'Password'}
<input type="password" name="new_password" autocomplete="new-password" minlength="${min}" maxlength="${max}" required>
<span class="hint">${min} characters or more. A sentence is easier to remember than a word.</span></label></div>
<div class="field"><label>${kind === 'new' ? 'Repeat new password' : 'Repeat password'}
<input type="password" name="repeated_password" autocomplete="new-password" minlength="${min}" maxlength="${max}" required></label></div>`
}
