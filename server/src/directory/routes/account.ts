import type { App } from '../../platform/http/app.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { Parameters } from '../../platform/http/form.ts'
import { requireOwnOrigin } from '../../platform/http/origin.ts'
import { html } from '../../platform/pages/html.ts'
import { type Brand, seeOther, sendPage } from '../../platform/pages/page.ts'
import { expiredSessionCookie, presentedSession, readSession, type Session } from '../accounts/sessions.ts'
import { changePassword } from '../accounts/sign-in.ts'
import { signOutEverywhere, sourceOf } from '../accounts/sign-in-events.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'
import { passwordFields, passwordProblem } from './new-password.ts'

const signInFirst = '/sign-in?return_to=/account'

export function accountRoutes(app: App, context: Context): void {
  app.get('/account', async (request, reply) => {
    const session = await readSession(context, presentedSession(request))
    if (!session) return seeOther(reply, signInFirst)
    return sendPage(reply, 200, accountPage({ session, brand: await brandOfHost(context, request.host) }))
  })

  app.post('/account/password', async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    const session = await readSession(context, presentedSession(request))
    if (!session) return seeOther(reply, signInFirst)
    const form = request.body instanceof Parameters ? request.body : new Parameters('')
    const brand = await brandOfHost(context, request.host)
    const next = form.get('new_password') ?? ''
    const problem = passwordProblem(next, form.get('repeated_password') ?? '')
    if (problem) return sendPage(reply, 422, accountPage({ session, brand, problem }))
    const result = await changePassword(context, session, {
      current: form.get('password')?.slice(0, 1_024) ?? '',
      next,
      address: limitAddress(request.ip),
      ...presentedSession(request),
      from: sourceOf(request),
    })
    if (result.verdict === 'wrong') {
      return sendPage(reply, 401, accountPage({ session, brand, problem: 'The current password is wrong.' }))
    }
    if (result.verdict === 'too_many') {
      const problem = 'Too many attempts. Wait ten minutes and try again.'
      return sendPage(reply, 429, accountPage({ session, brand, problem }))
    }
    reply.header('set-cookie', result.cookies)
    const done = 'Password changed. Every other browser is signed out.'
    return sendPage(reply, 200, accountPage({ session, brand, done }))
  })

  app.post('/account/sign-out-everywhere', async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    const session = await readSession(context, presentedSession(request))
    if (session) await signOutEverywhere(context, session, sourceOf(request))
    reply.header('set-cookie', expiredSessionCookie(context))
    return seeOther(reply, '/sign-in?signed_out=1')
  })
}

interface AccountPage {
  session: Session
  brand: Brand
  problem?: string
  done?: string
}

function accountPage({ session, brand, problem, done }: AccountPage) {
  const body = html`
<h1>Your account</h1>
<p class="quiet">${session.name} · ${session.email}</p>
${done && html`<div class="note" role="status"><p>${done}</p></div>`}
<h2>Change password</h2>
${problem && html`<div class="alert" role="alert"><p>${problem}</p></div>`}
<form method="post" action="/account/password">
<input type="hidden" name="username" autocomplete="username" value="${session.email}">
<div class="field"><label>Current password
<input type="password" name="password" autocomplete="current-password" required></label></div>
${passwordFields('new')}
<div class="actions"><button class="primary">Change password</button></div>
</form>
<h2>Sign out everywhere</h2>
<p>Signs you out of this and every other browser. Applications you connected stay connected: they belong to the organization.</p>
<form method="post" action="/account/sign-out-everywhere"><button>Sign out everywhere</button></form>
<p class="who"><a href="/">Back to the portal</a><a href="/approval-requests">Your requests</a></p>`
  return { title: 'Your account', body, brand }
}
