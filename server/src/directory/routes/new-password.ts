import type { FastifyRequest } from 'fastify'
import { limitAddress } from '../../platform/http/client-address.ts'
import type { Parameters } from '../../platform/http/form.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import {
  findPasswordProblem,
  type PasswordOwner,
  type PasswordProblem,
  passwordLength,
} from '../accounts/new-passwords.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'

const { min, max } = passwordLength

/** The password that a form with `passwordFields` has, and what is wrong with it. */
export async function choosePassword(
  context: Context,
  request: FastifyRequest,
  form: Parameters,
  owner: Omit<PasswordOwner, 'brand'>,
): Promise<{ next: string; problem: PasswordProblem | null }> {
  const password = form.get('new_password') ?? ''
  const repeated = form.get('repeated_password') ?? ''
  const { name: brand } = await brandOfHost(context, request.host)
  const { name, email } = owner
  const address = limitAddress(request.ip)
  const problem = await findPasswordProblem(context, { password, repeated, address, owner: { name, email, brand } })
  return { next: password, problem }
}

/** Of a first password, or of one that replaces another. */
export function passwordFields(kind: 'first' | 'new'): Content {
  return html`
<div class="field"><label>${kind === 'new' ? 'New password' : 'Password'}
<input type="password" name="new_password" autocomplete="new-password" minlength="${min}" maxlength="${max}" required>
<span class="hint">${min} characters or more. Three or four words that do not belong together are hard to guess and easy to remember.</span></label></div>
<div class="field"><label>${kind === 'new' ? 'Repeat new password' : 'Repeat password'}
<input type="password" name="repeated_password" autocomplete="new-password" minlength="${min}" maxlength="${max}" required></label></div>`
}
