import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import { Parameters } from '../../platform/http/form.ts'
import { requireOwnOrigin } from '../../platform/http/origin.ts'
import { html } from '../../platform/pages/html.ts'
import { seeOther, sendPage } from '../../platform/pages/page.ts'
import { presentedSession, readSession, type Session } from '../accounts/sessions.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'
import { emailSection } from './account-email.ts'
import { factorsSection } from './account-factors.ts'
import { mailsSection } from './account-mails.ts'
import { passwordSection } from './account-password.ts'
import type { AccountOutcome, AccountSection, PostAccountForm } from './account-section.ts'
import { sessionsSection } from './account-sessions.ts'

/** In the order in which the page shows them. */
const accountSections: readonly AccountSection[] = [
  emailSection,
  passwordSection,
  factorsSection,
  sessionsSection,
  mailsSection,
]

const signInFirst = '/sign-in?return_to=/account'

export function accountRoutes(app: App, context: Context): void {
  app.get('/account', async (request, reply) => {
    const session = await readSession(context, presentedSession(request))
    if (!session) return seeOther(reply, signInFirst)
    return await sendAccount(context, request, reply, session, {})
  })

  const post: PostAccountForm = (path, handle) => {
    app.post(path, async (request, reply) => {
      requireOwnOrigin(context.addresses.publicUrl, request)
      const session = await readSession(context, presentedSession(request))
      if (!session) return seeOther(reply, signInFirst)
      const form = request.body instanceof Parameters ? request.body : new Parameters('')
      const show = (outcome: AccountOutcome) => sendAccount(context, request, reply, session, outcome)
      return await handle({ request, reply, session, form, show })
    })
  }
  for (const section of accountSections) section.routes(app, context, post)
}

async function sendAccount(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  session: Session,
  outcome: AccountOutcome,
): Promise<FastifyReply> {
  const brand = await brandOfHost(context, request.host)
  const view = { session, brand, host: request.host, outcome }
  const sections = await Promise.all(accountSections.map((section) => section.render(context, view)))
  const body = html`
<h1>Your account</h1>
<p class="quiet">${session.name} · ${session.email}</p>
${outcome.done && html`<div class="note" role="status"><p>${outcome.done}</p></div>`}
${sections}
<p class="who"><a href="/">Back to the portal</a><a href="/approval-requests">Your requests</a></p>`
  return sendPage(reply, outcome.status ?? 200, { title: 'Your account', body, brand })
}
