import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import { Parameters, readQuery } from '../../platform/http/form.ts'
import { requireOwnOrigin } from '../../platform/http/origin.ts'
import { html } from '../../platform/pages/html.ts'
import { seeOther, sendPage } from '../../platform/pages/page.ts'
import { findFactors, hasSecondFactor } from '../accounts/factors/factors.ts'
import { requestOptions } from '../accounts/factors/passkeys.ts'
import { type PendingSignIn, presentSecondFactor, readPending } from '../accounts/second-factor.ts'
import { presentedSession } from '../accounts/sessions.ts'
import { sourceOf } from '../accounts/sign-in-events.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'
import { factorForms, factorSentences, presentedFactor } from './factor-forms.ts'
import { scriptPolicy } from './passkey-form.ts'
import { safeReturnTo, secondFactorPath, seeAfterSignIn, withReturnTo } from './return-to.ts'

/** Between a right password and the session. */
export function secondFactorRoutes(app: App, context: Context): void {
  app.get(secondFactorPath, async (request, reply) => {
    const return_to = safeReturnTo(readQuery(request.url).get('return_to'))
    const pending = await readPending(context, presentedSession(request))
    if (!pending) return seeOther(reply, withReturnTo('/sign-in', return_to))
    return await sendForms(context, request, reply, { pending, return_to, status: 200 })
  })

  app.post(secondFactorPath, async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    const form = request.body instanceof Parameters ? request.body : new Parameters('')
    const return_to = safeReturnTo(form.get('return_to'))
    const pending = await readPending(context, presentedSession(request))
    if (!pending) return seeOther(reply, withReturnTo('/sign-in', return_to))
    const factor = presentedFactor(form)
    if (!factor) return await sendForms(context, request, reply, { pending, return_to, status: 422 })
    const attempt = { ...presentedSession(request), factor, from: sourceOf(request) }
    const result = await presentSecondFactor(context, pending, attempt)
    if (result.verdict === 'wrong' || result.verdict === 'too_many') {
      const { wrong, too_many } = factorSentences
      const [status, problem] = result.verdict === 'wrong' ? [401, wrong[factor.kind]] : [429, too_many]
      return await sendForms(context, request, reply, { pending, return_to, status, problem })
    }
    return await seeAfterSignIn(context, reply, result, return_to)
  })
}

interface Asking {
  pending: PendingSignIn
  return_to: string
  status: number
  problem?: string
}

async function sendForms(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { pending, return_to, status, problem }: Asking,
) {
  const user_id = pending.account.id
  const factors = await findFactors(context, user_id)
  // Removed meanwhile: signing in again no longer asks for one.
  if (!hasSecondFactor(factors)) return seeOther(reply, withReturnTo('/sign-in', return_to))
  const options = await requestOptions(context, request.host, { to: 'second_factor', user_id })
  const body = html`
<h1>Confirm your sign-in</h1>
<p class="quiet">Your account is protected by a second step.</p>
${problem && html`<div class="alert" role="alert"><p>${problem}</p></div>`}
${factorForms({ action: secondFactorPath, return_to, factors, options })}
<p class="who"><a href="${withReturnTo('/sign-in', return_to)}">Sign in with another account</a></p>`
  const page = { title: 'Confirm your sign-in', body, brand: await brandOfHost(context, request.host) }
  return sendPage(reply, status, page, options ? scriptPolicy : {})
}
