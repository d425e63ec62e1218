import type { App } from '../../platform/http/app.ts'
import { Parameters, readQuery } from '../../platform/http/form.ts'
import { requireOwnOrigin } from '../../platform/http/origin.ts'
import { html } from '../../platform/pages/html.ts'
import { type Brand, seeOther, sendPage } from '../../platform/pages/page.ts'
import { hasFreshProof, proofPage } from '../accounts/proof.ts'
import { presentedSession, readSession, type Session } from '../accounts/sessions.ts'
import { replacePassword } from '../accounts/sign-in.ts'
import { sourceOf } from '../accounts/sign-in-events.ts'
import { hasWeakPassword, strongerPasswordAddress, strongerPasswordPath } from '../accounts/weak-passwords.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'
import { choosePassword, passwordFields } from './new-password.ts'
import { safeReturnTo } from './return-to.ts'

/** Between a sign-in with a weak password and the page that the person wanted; it can be put off until the next sign-in. */
export function strongerPasswordRoutes(app: App, context: Context): void {
  app.get(strongerPasswordPath, async (request, reply) => {
    const return_to = safeReturnTo(readQuery(request.url).get('return_to'))
    const session = await readSession(context, presentedSession(request))
    if (!session) return seeOther(reply, `/sign-in?return_to=${encodeURIComponent(return_to)}`)
    if (!(await hasWeakPassword(context, session.user_id))) return seeOther(reply, return_to)
    const brand = await brandOfHost(context, request.host)
    return sendPage(reply, 200, strongerPasswordPage({ session, brand, return_to }))
  })

  app.post(strongerPasswordPath, async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    const form = request.body instanceof Parameters ? request.body : new Parameters('')
    const return_to = safeReturnTo(form.get('return_to'))
    const session = await readSession(context, presentedSession(request))
    if (!session) return seeOther(reply, `/sign-in?return_to=${encodeURIComponent(return_to)}`)
    // Whoever finds an open browser must not get the account with it.
    if (!hasFreshProof(session, context.now())) return seeOther(reply, proofPage(strongerPasswordAddress(return_to)))
    if (!(await hasWeakPassword(context, session.user_id))) return seeOther(reply, return_to)
    const { next, problem } = await choosePassword(context, request, form, session)
    if (problem) {
      const brand = await brandOfHost(context, request.host)
      const page = strongerPasswordPage({ session, brand, return_to, problem: problem.sentence })
      return sendPage(reply, problem.status, page)
    }
    const changed = await replacePassword(context, session, { next, host: request.host, from: sourceOf(request) })
    // Otherwise the password was changed at the same moment, elsewhere.
    if (changed.verdict === 'signed_in') reply.header('set-cookie', changed.cookies)
    return seeOther(reply, return_to)
  })
}

interface StrongerPasswordPage {
  session: Session
  brand: Brand
  return_to: string
  problem?: string
}

function strongerPasswordPage({ session, brand, return_to, problem }: StrongerPasswordPage) {
  const title = 'Choose a stronger password'
  const body = html`
<h1>${title}</h1>
<p>You are signed in as ${session.email}. The password you used is easy to guess, so somebody else could sign in as you. Every other browser will be signed out.</p>
${problem && html`<div class="alert" role="alert"><p>${problem}</p></div>`}
<form method="post" action="${strongerPasswordPath}">
<input type="hidden" name="username" autocomplete="username" value="${session.email}">
<input type="hidden" name="return_to" value="${return_to}">
${passwordFields('new')}
<div class="actions"><button class="primary">Change password</button>
<a class="button" href="${return_to}">Not now</a></div>
</form>
<p class="quiet small">If you choose “Not now”, you will be asked again when you next sign in.</p>`
  return { title, body, brand }
}
