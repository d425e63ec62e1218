import { html } from '../../platform/pages/html.ts'

const least = 10
const most = 256

/** What is wrong with a new password, in words for the person who chose it; null when nothing is. */
export function passwordFault(password: string, repeated: string): string | null {
  if (password.length < least) return `The new password needs ${least} characters or more.`
  if (password.length > most) return `The new password can have ${most} characters at most.`
  if (password !== repeated) return 'The two new passwords differ.'
  return null
}

export const newPasswordFields = html`
<div class="field"><label>New password
<input type="password" name="new_password" autocomplete="new-password" minlength="${least}" maxlength="${most}" required>
<span class="hint">${least} characters or more. A sentence is easier to remember than a word.</span></label></div>
<div class="field"><label>New password again
<input type="password" name="repeated_password" autocomplete="new-password" minlength="${least}" maxlength="${most}" required></label></div>`
