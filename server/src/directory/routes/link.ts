import type { FastifyReply } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import { Parameters } from '../../platform/http/form.ts'
import { requireOwnOrigin } from '../../platform/http/origin.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import { type Brand, seeOther, sendPage } from '../../platform/pages/page.ts'
import { sendRefusalPage } from '../../platform/pages/refusal-pages.ts'
import {
  acceptInvitation,
  acceptInvitationAs,
  type Link,
  linkPath,
  readLink,
  resetPassword,
} from '../accounts/links.ts'
import { presentedSession, readSession, type Session } from '../accounts/sessions.ts'
import { signInWithLink } from '../accounts/sign-in.ts'
import { sourceOf } from '../accounts/sign-in-events.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'
import { nameField, readName } from './name-field.ts'
import { choosePassword, passwordFields } from './new-password.ts'
import { seeAfterSignIn } from './return-to.ts'

type LinkPath = { Params: { secret: string } }

/** Accepts an invitation or sets a new password; opening the link changes nothing. */
export function linkRoutes(app: App, context: Context): void {
  app.get<LinkPath>(`${linkPath}/:secret`, async (request, reply) => {
    const { secret } = request.params
    const brand = await brandOfHost(context, request.host)
    const link = await readLink(context, secret)
    if (!link) return sendInvalidLink(reply, brand)
    const session = await readSession(context, presentedSession(request))
    return sendPage(reply, 200, linkPage({ link, secret, brand, session }))
  })

  app.post<LinkPath>(`${linkPath}/:secret`, async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    const { secret } = request.params
    const form = request.body instanceof Parameters ? request.body : new Parameters('')
    const brand = await brandOfHost(context, request.host)
    const link = await readLink(context, secret)
    if (!link) return sendInvalidLink(reply, brand)
    const session = await readSession(context, presentedSession(request))
    const sendAgain = (status: number, problem: string, notMine = false) =>
      sendPage(reply, status, linkPage({ link, secret, brand, session, problem, notMine, name: form.get('name') }))

    if (form.get('join') && session) {
      const joined = await acceptInvitationAs(context, secret, { id: session.user_id, email: session.email })
      if (joined.verdict === 'wrong_person') return sendAgain(403, `This invitation is for ${link.email}.`)
      return joined.verdict === 'accepted' ? seeOther(reply, '/') : sendInvalidLink(reply, brand)
    }

    const read = readName(form)
    if (link.purpose === 'invitation' && 'problem' in read) return sendAgain(422, `Your name ${read.problem}.`)
    const name = 'text' in read ? read.text : ''
    const owner = { email: link.email, name: name || link.name }
    const { next: password, problem } = await choosePassword(context, request, form, owner)
    if (problem) return sendAgain(problem.status, problem.sentence)
    const result =
      link.purpose === 'invitation'
        ? await acceptInvitation(context, secret, { name, password })
        : await resetPassword(context, secret, password, request.host)
    if (result.verdict === 'void') return sendInvalidLink(reply, brand)
    if (result.verdict === 'known') {
      const { enabled } = context.mail
      return sendAgain(409, knownAccount(link.email, enabled), enabled)
    }
    const signedIn = await signInWithLink(context, result.user_id, presentedSession(request), sourceOf(request))
    return await seeAfterSignIn(context, reply, signedIn, '/')
  })
}

/** Somebody else may have created the account. Without mail nothing proves an email, and only the operator can release it. */
function knownAccount(email: string, mail: boolean): string {
  const next = mail
    ? 'have a code sent to it: with the code you get an account of your own.'
    : 'ask the person who invited you to have the operator release the email, then open this link again.'
  return `${email} already has an account. Sign in with it to join. If you did not create that account, ${next}`
}

interface LinkPage {
  link: Link
  secret: string
  brand: Brand
  session: Session | null
  problem?: string
  /** Whether to offer a code to a person whose account it is not. */
  notMine?: boolean
  name?: string | undefined
}

function linkPage(page: LinkPage) {
  const title = page.link.purpose === 'invitation' ? `Join ${page.link.target_name}` : 'Set a new password'
  const body = page.link.purpose === 'invitation' ? invitation(page) : reset(page)
  return { title, brand: page.brand, body: html`<h1>${title}</h1>${body}` }
}

function invitation({ link, secret, session, problem, notMine, name }: LinkPage): Content {
  const action = `${linkPath}/${secret}`
  const role = link.role ? ` as ${link.role === 'administrator' ? 'an administrator' : 'a member'}` : ''
  const alert = problem && html`<div class="alert" role="alert"><p>${problem}</p></div>`
  if (session && session.email.toLowerCase() === link.email.toLowerCase()) {
    return html`
<p>You are invited to join <strong>${link.target_name}</strong>${role}, and you are signed in as ${session.email}.</p>
${alert}
<form method="post" action="${action}"><div class="actions"><button class="primary" name="join" value="1">Join ${link.target_name}</button></div></form>`
  }
  const signIn = `/sign-in?again=1&return_to=${encodeURIComponent(action)}&login_hint=${encodeURIComponent(link.email)}`
  return html`
<p><strong>${link.email}</strong> is invited to join <strong>${link.target_name}</strong>${role}.</p>
${session && html`<div class="note"><p>This browser is signed in as ${session.email}. Joining signs it in as ${link.email}.</p></div>`}
${alert}
${notMine && html`<form method="post" action="${action}/code/send"><button>Send a code to ${link.email}</button></form>`}
<p class="quiet">Already have an account? <a href="${signIn}">Sign in to join</a>. Otherwise create one here:</p>
<form method="post" action="${action}">
<input type="hidden" name="username" autocomplete="username" value="${link.email}">
${nameField(name ?? link.name)}
${passwordFields('first')}
<div class="actions"><button class="primary">Create an account and join</button></div>
</form>`
}

function reset({ link, secret, problem }: LinkPage): Content {
  return html`
<p>For <strong>${link.email}</strong>. All browsers signed in to this account will be signed out.</p>
${problem && html`<div class="alert" role="alert"><p>${problem}</p></div>`}
<form method="post" action="${linkPath}/${secret}">
<input type="hidden" name="username" autocomplete="username" value="${link.email}">
${passwordFields('new')}
<div class="actions"><button class="primary">Set password</button></div>
</form>`
}

function sendInvalidLink(reply: FastifyReply, brand: Brand) {
  return sendRefusalPage(reply, {
    status: 410,
    error: 'link_not_valid',
    title: 'This link is no longer valid',
    sentence: 'It was already used, it has expired, or it was not copied completely.',
    next: 'Ask the person who gave it to you for a new one.',
    brand,
  })
}
