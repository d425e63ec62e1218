import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { readQuery } from '../../platform/http/form.ts'
import { mailAddress } from '../../platform/mail-address.ts'
import { html } from '../../platform/pages/html.ts'
import { seeOther, sendPage } from '../../platform/pages/page.ts'
import { awaitedEmail } from '../accounts/email-codes.ts'
import { hasFreshProof, proofPage } from '../accounts/proof.ts'
import { presentedSession, readSession, type Session } from '../accounts/sessions.ts'
import { sourceOf } from '../accounts/sign-in-events.ts'
import { getUser } from '../accounts/users.ts'
import { codeHolderOf, confirmEmail, sendEmailCode } from '../accounts/verified-email.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'
import {
  type AccountForm,
  type AccountSection,
  type AccountView,
  type PostAccountForm,
  problemOf,
} from './account-section.ts'
import { codeField } from './code-field.ts'
import { safeReturnTo, withReturnTo } from './return-to.ts'

const name = 'email'
const codePath = '/account/email/code'
const changePath = '/account/email/change'

export const emailSection: AccountSection = { name, render, routes }

async function render(context: Context, view: AccountView) {
  const { email, email_verified } = await getUser(context, view.session.user_id)
  if (!context.mail.enabled && !email_verified) return null
  return html`
<h2 id="email">Email</h2>
${problemOf(name, view)}
<p><strong>${email}</strong> · ${email_verified ? 'verified' : 'not verified'}</p>
${!email_verified && html`<p class="quiet">A code that we send to this address shows that it is yours. Nobody else can then have an account with it.</p>`}
${context.mail.enabled && actions(email_verified)}`
}

/** The form is beside its button, so that both buttons are alike on a phone. */
function actions(verified: boolean) {
  return html`
${!verified && html`<form id="verify-email" method="post" action="/account/email/verify" hidden></form>`}
<div class="actions">
${!verified && html`<button class="primary" form="verify-email">Verify email</button>`}
<a class="button" href="${changePath}">Change email</a></div>`
}

function routes(app: App, context: Context, post: PostAccountForm): void {
  app.get(codePath, async (request, reply) => {
    const session = await readSession(context, presentedSession(request))
    const email = session && (await awaitedEmail(context, codeHolderOf(session)))
    const return_to = safeReturnTo(readQuery(request.url).get('return_to'))
    return email ? await sendCodePage(context, request, reply, { email, return_to }) : seeOther(reply, '/account')
  })

  app.get(changePath, async (request, reply) => {
    const session = await readSession(context, presentedSession(request))
    if (!session || !context.mail.enabled) return seeOther(reply, '/account')
    if (!hasFreshProof(session, context.now())) return seeOther(reply, proofPage(changePath))
    return await sendChangePage(context, request, reply, { session })
  })

  post('/account/email/verify', async (sent) => await sendCode(context, sent, sent.session.email))

  post('/account/email/resend', async (sent) => {
    const email = await awaitedEmail(context, codeHolderOf(sent.session))
    return email ? await sendCode(context, sent, email) : seeOther(sent.reply, '/account')
  })

  post(changePath, async (sent) => {
    const { request, reply, session, form } = sent
    if (!hasFreshProof(session, context.now())) return seeOther(reply, proofPage(changePath))
    const typed = form.get('email')?.trim() ?? ''
    const email = mailAddress(typed)
    const { email: own, email_verified } = await getUser(context, session.user_id)
    const problem =
      email === null
        ? 'This is not an email address to which mail can be sent.'
        : email_verified && email.toLowerCase() === own.toLowerCase()
          ? 'Your account has this email already.'
          : null
    if (problem) return await sendChangePage(context, request, reply, { session, problem, typed: typed.slice(0, 254) })
    return await sendCode(context, sent, email!)
  })

  post(codePath, async ({ request, reply, session, form, show }) => {
    const email = await awaitedEmail(context, codeHolderOf(session))
    const { host } = request
    const return_to = safeReturnTo(form.get('return_to'))
    const code = form.get('code')?.slice(0, 100) ?? ''
    const result = await confirmEmail(context, session, { code, host, from: sourceOf(request) })
    if (result.verdict === 'wrong')
      return await sendCodePage(context, request, reply, { email, return_to, left: result.left })
    if (result.verdict === 'ended') {
      const problem = 'This code is no longer valid. Ask for a new one.'
      return await show({ status: 410, section: name, problem })
    }
    if (result.verdict === 'taken') {
      const problem = `Another account has ${result.email} and has verified it. Sign in with that account, or use another email.`
      return await show({ status: 409, section: name, problem })
    }
    if (form.get('return_to')) return seeOther(reply, return_to)
    session.email = result.email
    const done = result.verdict === 'verified' ? 'Email verified.' : 'Email changed. Every other browser is signed out.'
    return await show({ done })
  })
}

async function sendCode(context: Context, { request, reply, session, form, show }: AccountForm, email: string) {
  if (!context.mail.enabled) return seeOther(reply, '/account')
  const { host } = request
  const verdict = await sendEmailCode(context, session, { email, address: limitAddress(request.ip), host })
  if (verdict === 'sent') return seeOther(reply, withReturnTo(codePath, safeReturnTo(form.get('return_to'))))
  const problem = 'Too many codes were sent. Use the last one, or wait an hour and ask again.'
  return await show({ status: 429, section: name, problem })
}

async function sendCodePage(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { email, return_to, left }: { email: string | null; return_to: string; left?: number },
) {
  const title = 'Enter the code'
  const onward = return_to !== '/' && html`<input type="hidden" name="return_to" value="${return_to}">`
  const body = html`
<h1>${title}</h1>
<p>We sent a code of eight digits to <strong>${email}</strong>. It works for 15 minutes, in this browser only.</p>
<form method="post" action="${codePath}">${onward}
${codeField(left)}
<div class="actions"><button class="primary">Confirm</button><a class="button" href="/account">Cancel</a></div>
</form>
<form method="post" action="/account/email/resend">${onward}
<p class="quiet small">No mail? Look among unwanted mails, or ask for a new code: the one before then no longer works.</p>
<button>Send a new code</button></form>`
  const brand = await brandOfHost(context, request.host)
  return sendPage(reply, left === undefined ? 200 : 422, { title, body, brand })
}

async function sendChangePage(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, problem, typed }: { session: Session; problem?: string; typed?: string },
) {
  const title = 'Change email'
  const body = html`
<h1>${title}</h1>
<p>You sign in with <strong>${session.email}</strong> now. We send a code to the new address, and a message to the old one when it has changed.</p>
${problem && html`<div class="alert" role="alert"><p>${problem}</p></div>`}
<form method="post" action="${changePath}">
<div class="field"><label>New email
<input type="email" name="email" autocomplete="email" maxlength="254" required autofocus value="${typed}"></label></div>
<div class="actions"><button class="primary">Send a code</button><a class="button" href="/account">Cancel</a></div>
</form>`
  return sendPage(reply, problem ? 422 : 200, { title, body, brand: await brandOfHost(context, request.host) })
}
