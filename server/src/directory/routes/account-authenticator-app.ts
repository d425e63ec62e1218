import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import { html } from '../../platform/pages/html.ts'
import { seeOther, sendPage } from '../../platform/pages/page.ts'
import { beginAuthenticatorApp, enableAuthenticatorApp } from '../accounts/factors/authenticator-app.ts'
import { mustVerifyFirst } from '../accounts/factors/factor-changes.ts'
import { keyUri } from '../accounts/factors/totp.ts'
import { proofPage } from '../accounts/proof.ts'
import { presentedSession, readSession, type Session } from '../accounts/sessions.ts'
import { sourceOf } from '../accounts/sign-in-events.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'
import { sendRecoveryCodes } from './account-recovery-codes.ts'
import type { PostAccountForm } from './account-section.ts'
import { qrCode } from './qr-code.ts'
import { sendVerifyFirst } from './verify-first.ts'

const path = '/account/authenticator'
const account = '/account#factors'

/** The secret as a QR code and as text, and the first code that shows that the app has it. */
export function authenticatorAppRoutes(app: App, context: Context, post: PostAccountForm): void {
  app.get(path, async (request, reply) => {
    const session = await readSession(context, presentedSession(request))
    if (!session) return seeOther(reply, `/sign-in?return_to=${path}`)
    if (await mustVerifyFirst(context, session.user_id))
      return await sendVerifyFirst(context, request, reply, { session, path })
    const begun = await beginAuthenticatorApp(context, { session, from: sourceOf(request) })
    if (begun.verdict === 'proof_needed') return seeOther(reply, proofPage(path))
    if (begun.verdict === 'unverified') return seeOther(reply, path)
    if (begun.verdict === 'exists') return seeOther(reply, account)
    return await sendForm(context, request, reply, { session, secret: begun.secret, status: 200 })
  })

  post(path, async ({ request, reply, session, form }) => {
    const code = form.get('totp')?.slice(0, 40) ?? ''
    const enabled = await enableAuthenticatorApp(context, { session, from: sourceOf(request) }, code)
    if (enabled.verdict === 'proof_needed') return seeOther(reply, proofPage(path))
    if (enabled.verdict === 'unverified') return seeOther(reply, path)
    if (enabled.verdict === 'wrong') {
      const problem =
        'This code is not right. Check that your phone has the right time, and enter the code it shows now.'
      return await sendForm(context, request, reply, { session, secret: enabled.secret, status: 422, problem })
    }
    if (enabled.verdict !== 'enabled' || enabled.codes === null) return seeOther(reply, account)
    return await sendRecoveryCodes(context, request, reply, enabled.codes, 'The authenticator app is added.')
  })
}

interface Shown {
  session: Session
  secret: string
  status: number
  problem?: string
}

async function sendForm(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, secret, status, problem }: Shown,
) {
  const brand = await brandOfHost(context, request.host)
  const uri = keyUri({ secret, account: session.email, issuer: brand.name })
  const body = html`
<h1>Add an authenticator app</h1>
<p>Scan this with an app such as Aegis, Google Authenticator, Microsoft Authenticator or your password manager.</p>
${qrCode(uri, 'QR code for your authenticator app')}
<details><summary>Enter the key by hand</summary>
<p><code>${secret.match(/.{4}/g)!.join(' ')}</code></p>
<p class="quiet small">Based on time, six digits. <a href="${uri}">Open it in an app on this device</a>.</p></details>
${problem && html`<div class="alert" role="alert"><p>${problem}</p></div>`}
<form method="post" action="${path}">
<div class="field"><label>Code that the app shows
<input name="totp" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]*" maxlength="8" required${problem && html` autofocus`}></label></div>
<div class="actions"><button class="primary">Add the app</button><a class="button" href="${account}">Cancel</a></div>
</form>`
  return sendPage(reply, status, { title: 'Add an authenticator app', body, brand })
}
