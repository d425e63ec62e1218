import type { App } from '../../platform/http/app.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { Parameters, readQuery } from '../../platform/http/form.ts'
import { requireOwnOrigin } from '../../platform/http/origin.ts'
import { html } from '../../platform/pages/html.ts'
import { type Brand, seeOther, sendPage } from '../../platform/pages/page.ts'
import { type ProofVerdict, proofPage, proveByPassword } from '../accounts/proof.ts'
import { presentedSession, readSession, type Session } from '../accounts/sessions.ts'
import { sourceOf } from '../accounts/sign-in-events.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'
import { safeReturnTo } from './sign-in-routes.ts'

/** Asks a signed-in person for the strongest factor of the account, before something that could lock them out. */
export function proofRoutes(app: App, context: Context): void {
  app.get('/account/prove', async (request, reply) => {
    const return_to = safeReturnTo(readQuery(request.url).get('return_to'))
    const session = await readSession(context, presentedSession(request))
    if (!session) return seeOther(reply, signInFirst(return_to))
    const brand = await brandOfHost(context, request.host)
    return sendPage(reply, 200, provePage({ session, brand, return_to }))
  })

  app.post('/account/prove', async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    const form = request.body instanceof Parameters ? request.body : new Parameters('')
    const return_to = safeReturnTo(form.get('return_to'))
    const session = await readSession(context, presentedSession(request))
    if (!session) return seeOther(reply, signInFirst(return_to))
    const verdict = await proveByPassword(context, session, {
      password: form.get('password')?.slice(0, 1_024) ?? '',
      address: limitAddress(request.ip),
      cookies: request.headers.cookie,
      from: sourceOf(request),
    })
    if (verdict === 'proved') return seeOther(reply, return_to)
    const brand = await brandOfHost(context, request.host)
    return sendPage(reply, statuses[verdict], provePage({ session, brand, return_to, failure: verdict }))
  })
}

function signInFirst(returnTo: string): string {
  return `/sign-in?return_to=${encodeURIComponent(proofPage(returnTo))}`
}

type Failure = Exclude<ProofVerdict, 'proved'>

const statuses: Record<Failure, number> = { wrong: 401, too_many: 429 }

const sentences: Record<Failure, string> = {
  wrong: 'The password is wrong. Try again.',
  too_many: 'Too many attempts. Wait ten minutes and try again.',
}

interface ProvePage {
  session: Session
  brand: Brand
  return_to: string
  failure?: Failure
}

function provePage({ session, brand, return_to, failure }: ProvePage) {
  const body = html`
<h1>Confirm that it is you</h1>
<p class="quiet">${session.name} · ${session.email}</p>
<p>What you are about to change protects your account. Confirming lasts ten minutes.</p>
${failure && html`<div class="alert" role="alert"><p>${sentences[failure]}</p></div>`}
<form method="post" action="/account/prove">
<input type="hidden" name="return_to" value="${return_to}">
<input type="hidden" name="username" autocomplete="username" value="${session.email}">
<div class="field"><label>Password
<input type="password" name="password" autocomplete="current-password" required autofocus></label></div>
<div class="actions"><button class="primary">Confirm</button><a class="button" href="/account">Cancel</a></div>
</form>`
  return { title: 'Confirm that it is you', body, brand }
}
