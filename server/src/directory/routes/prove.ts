import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { Parameters, readQuery } from '../../platform/http/form.ts'
import { requireOwnOrigin } from '../../platform/http/origin.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import { seeOther, sendPage } from '../../platform/pages/page.ts'
import { findFactors, hasSecondFactor } from '../accounts/factors/factors.ts'
import { requestOptions } from '../accounts/factors/passkeys.ts'
import { proofPage, proveByFactor, proveByPassword } from '../accounts/proof.ts'
import { presentedSession, readSession, type Session } from '../accounts/sessions.ts'
import { sourceOf } from '../accounts/sign-in-events.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'
import { factorForms, factorSentences, presentedFactor } from './factor-forms.ts'
import { scriptPolicy } from './passkey-form.ts'
import { safeReturnTo } from './return-to.ts'

const path = '/account/prove'

/** Asks a signed-in person for the strongest factor of the account, before something that could lock them out. */
export function proofRoutes(app: App, context: Context): void {
  app.get(path, async (request, reply) => {
    const return_to = safeReturnTo(readQuery(request.url).get('return_to'))
    const session = await readSession(context, presentedSession(request))
    if (!session) return seeOther(reply, signInFirst(return_to))
    return await sendForms(context, request, reply, { session, return_to, status: 200 })
  })

  app.post(path, async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    const form = request.body instanceof Parameters ? request.body : new Parameters('')
    const return_to = safeReturnTo(form.get('return_to'))
    const session = await readSession(context, presentedSession(request))
    if (!session) return seeOther(reply, signInFirst(return_to))
    const attempt = { address: limitAddress(request.ip), ...presentedSession(request), from: sourceOf(request) }
    const factor = presentedFactor(form)
    const password = form.get('password')?.slice(0, 1_024) ?? ''
    const verdict = factor
      ? await proveByFactor(context, session, { ...attempt, factor })
      : await proveByPassword(context, session, { ...attempt, password })
    if (verdict === 'proved') return seeOther(reply, return_to)
    const wrong = factor ? factorSentences.wrong[factor.kind] : 'The password is wrong. Try again.'
    const tooMany = factor ? factorSentences.too_many : 'Too many attempts. Wait ten minutes and try again.'
    const [status, problem] = verdict === 'wrong' ? [401, wrong] : [429, tooMany]
    return await sendForms(context, request, reply, { session, return_to, status, problem })
  })
}

function signInFirst(returnTo: string): string {
  return `/sign-in?return_to=${encodeURIComponent(proofPage(returnTo))}`
}

interface Asking {
  session: Session
  return_to: string
  status: number
  problem?: string
}

async function sendForms(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, return_to, status, problem }: Asking,
) {
  const { user_id, name, email } = session
  const factors = await findFactors(context, user_id)
  const options = await requestOptions(context, request.host, { to: 'prove', user_id })
  // Where a passkey works, a code of an app is not enough; a recovery code is for who has lost the passkey.
  const strongest = options ? { ...factors, totp: false } : factors
  const body = html`
<h1>Confirm that it is you</h1>
<p class="quiet">${name} · ${email}</p>
<p>What you are about to do concerns the safety of your account. Confirming it lasts ten minutes.</p>
${problem && html`<div class="alert" role="alert"><p>${problem}</p></div>`}
${hasSecondFactor(factors) ? factorForms({ action: path, return_to, factors: strongest, options }) : passwordForm(email, return_to)}
<p class="who"><a href="/account">Back to your account</a></p>`
  const page = { title: 'Confirm that it is you', body, brand: await brandOfHost(context, request.host) }
  return sendPage(reply, status, page, options ? scriptPolicy : {})
}

function passwordForm(email: string, return_to: string): Content {
  return html`
<form method="post" action="${path}">
<input type="hidden" name="return_to" value="${return_to}">
<input type="hidden" name="username" autocomplete="username" value="${email}">
<div class="field"><label>Password
<input type="password" name="password" autocomplete="current-password" required autofocus></label></div>
<div class="actions"><button class="primary">Confirm</button></div>
</form>`
}
