import { type Content, html } from '../../platform/pages/html.ts'

/** For a code that was mailed. `left`: tries after a wrong one. */
export function codeField(left?: number): Content {
  const problem = left !== undefined && `This code is wrong. You have ${left === 1 ? 'one try' : `${left} tries`} left.`
  return html`
${problem && html`<div class="alert" role="alert"><p>${problem}</p></div>`}
<div class="field"><label>Code
<input name="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 \\-]*" maxlength="20" required autofocus>
<span class="hint">Eight digits</span></label></div>`
}
