import type { App } from '../../platform/http/app.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { html } from '../../platform/pages/html.ts'
import { seeOther } from '../../platform/pages/page.ts'
import { findFactors, hasSecondFactor } from '../accounts/factors/factors.ts'
import { hasFreshProof, proofPage } from '../accounts/proof.ts'
import { presentedSession, type Session } from '../accounts/sessions.ts'
import { changePassword } from '../accounts/sign-in.ts'
import { sourceOf } from '../accounts/sign-in-events.ts'
import type { Context } from '../context.ts'
import { type AccountSection, type AccountView, type PostAccountForm, problemOf } from './account-section.ts'
import { choosePassword, passwordFields } from './new-password.ts'

const name = 'password'

export const passwordSection: AccountSection = { name, render, routes }

async function render(context: Context, view: AccountView) {
  if (await lacksProof(context, view.session)) {
    return html`
<h2 id="password">Change password</h2>
<p>Your account has a second factor, so confirm first that it is you.</p>
<p><a class="button" href="${proofPage('/account')}">Confirm your identity</a></p>`
  }
  return html`
<h2 id="password">Change password</h2>
${problemOf(name, view)}
<form method="post" action="/account/password">
<input type="hidden" name="username" autocomplete="username" value="${view.session.email}">
<div class="field"><label>Current password
<input type="password" name="password" autocomplete="current-password" required></label></div>
${passwordFields('new')}
<div class="actions"><button class="primary">Change password</button></div>
</form>`
}

/** The current password, which the form asks for, is enough only where nothing stronger protects the account. */
async function lacksProof(context: Context, session: Session): Promise<boolean> {
  return !hasFreshProof(session, context.now()) && hasSecondFactor(await findFactors(context, session.user_id))
}

function routes(_app: App, context: Context, post: PostAccountForm): void {
  post('/account/password', async ({ request, reply, session, form, show }) => {
    if (await lacksProof(context, session)) return seeOther(reply, proofPage('/account'))
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
