import type { App } from '../../platform/http/app.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { html } from '../../platform/pages/html.ts'
import { presentedSession } from '../accounts/sessions.ts'
import { changePassword } from '../accounts/sign-in.ts'
import { sourceOf } from '../accounts/sign-in-events.ts'
import type { Context } from '../context.ts'
import { type AccountSection, type AccountView, type PostAccountForm, problemOf } from './account-section.ts'
import { choosePassword, passwordFields } from './new-password.ts'

const name = 'password'

export const passwordSection: AccountSection = { name, render, routes }

function render(_context: Context, view: AccountView) {
  return html`
<h2>Change password</h2>
${problemOf(name, view)}
<form method="post" action="/account/password">
<input type="hidden" name="username" autocomplete="username" value="${view.session.email}">
<div class="field"><label>Current password
<input type="password" name="password" autocomplete="current-password" required></label></div>
${passwordFields('new')}
<div class="actions"><button class="primary">Change password</button></div>
</form>`
}

function routes(_app: App, context: Context, post: PostAccountForm): void {
  post('/account/password', async ({ request, reply, session, form, show }) => {
    const { next, problem } = await choosePassword(context, request, form, session)
    if (problem) return await show({ status: problem.status, section: name, problem: problem.sentence })
    const result = await changePassword(context, session, {
      current: form.get('password')?.slice(0, 1_024) ?? '',
      next,
      address: limitAddress(request.ip),
      ...presentedSession(request),
      from: sourceOf(request),
    })
    if (result.verdict === 'wrong') {
      return await show({ status: 401, section: name, problem: 'The current password is wrong.' })
    }
    if (result.verdict === 'too_many') {
      return await show({ status: 429, section: name, problem: 'Too many attempts. Wait ten minutes and try again.' })
    }
    reply.header('set-cookie', result.cookies)
    return await show({ done: 'Password changed. Every other browser is signed out.' })
  })
}
