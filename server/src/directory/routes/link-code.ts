import type { FastifyReply } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { Parameters } from '../../platform/http/form.ts'
import { requireOwnOrigin } from '../../platform/http/origin.ts'
import { html } from '../../platform/pages/html.ts'
import { type Brand, seeOther, sendPage } from '../../platform/pages/page.ts'
import { claimantOf, claimInvitation, sendInvitationCode } from '../accounts/claimed-invitation.ts'
import { awaitedEmail } from '../accounts/email-codes.ts'
import { type Link, linkPath, readLink } from '../accounts/links.ts'
import { presentedSession } from '../accounts/sessions.ts'
import { signInWithLink } from '../accounts/sign-in.ts'
import { sourceOf } from '../accounts/sign-in-events.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'
import { codeField } from './code-field.ts'
import { nameField, readName } from './name-field.ts'
import { choosePassword, passwordFields } from './new-password.ts'
import { seeAfterSignIn } from './return-to.ts'

type LinkPath = { Params: { secret: string } }

/** For a person whose invitation is for an email that has an account which is not theirs. */
export function linkCodeRoutes(app: App, context: Context): void {
  const path = `${linkPath}/:secret/code`
  const readInvitation = async (secret: string) => {
    const link = context.mail.enabled ? await readLink(context, secret) : null
    return link?.purpose === 'invitation' ? link : null
  }

  app.post<LinkPath>(`${path}/send`, async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    const { secret } = request.params
    const link = await readInvitation(secret)
    if (!link) return seeOther(reply, `${linkPath}/${secret}`)
    const cookie = await sendInvitationCode(context, link, limitAddress(request.ip))
    const brand = await brandOfHost(context, request.host)
    if (cookie === null) {
      const problem = 'Too many codes were sent. Use the last one, or wait an hour and ask again.'
      return sendCodePage(reply, 429, { link, secret, brand, problem })
    }
    return seeOther(reply.header('set-cookie', cookie), `${linkPath}/${secret}/code`)
  })

  app.get<LinkPath>(path, async (request, reply) => {
    const { secret } = request.params
    const link = await readInvitation(secret)
    const claimant = link && claimantOf(context, link, request.headers.cookie)
    if (!claimant || !(await awaitedEmail(context, claimant))) return seeOther(reply, `${linkPath}/${secret}`)
    return sendCodePage(reply, 200, { link, secret, brand: await brandOfHost(context, request.host) })
  })

  app.post<LinkPath>(path, async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    const { secret } = request.params
    const form = request.body instanceof Parameters ? request.body : new Parameters('')
    const link = await readInvitation(secret)
    const claimant = link && claimantOf(context, link, request.headers.cookie)
    if (!claimant) return seeOther(reply, `${linkPath}/${secret}`)
    const brand = await brandOfHost(context, request.host)
    const again = (status: number, more: { problem?: string; left?: number }) =>
      sendCodePage(reply, status, { link, secret, brand, name: form.get('name'), ...more })
    const read = readName(form)
    if ('problem' in read) return again(422, { problem: `Your name ${read.problem}.` })
    const owner = { email: link.email, name: read.text }
    const { next: password, problem } = await choosePassword(context, request, form, owner)
    if (problem) return again(problem.status, { problem: problem.sentence })
    const entered = { code: form.get('code')?.slice(0, 100) ?? '', name: read.text, password }
    const result = await claimInvitation(context, { link, secret, claimant }, entered)
    if (result.verdict === 'wrong') return again(422, { left: result.left })
    if (result.verdict === 'void') return seeOther(reply, `${linkPath}/${secret}`)
    if (result.verdict !== 'accepted')
      return again(result.verdict === 'ended' ? 410 : 409, { problem: sentences[result.verdict] })
    const signedIn = await signInWithLink(context, result.user_id, presentedSession(request), sourceOf(request))
    return await seeAfterSignIn(context, reply, signedIn, '/')
  })
}

const sentences = {
  ended: 'This code is no longer valid. Ask for a new one.',
  taken:
    'The account with this email has verified it, so it stays. Set a new password for it with “Forgot your password?” on the sign-in page, then open the invitation again.',
}

interface CodePage {
  link: Link
  secret: string
  brand: Brand
  problem?: string
  left?: number
  name?: string | undefined
}

function sendCodePage(reply: FastifyReply, status: number, { link, secret, brand, problem, left, name }: CodePage) {
  const title = `Join ${link.target_name}`
  const action = `${linkPath}/${secret}/code`
  const body = html`
<h1>${title}</h1>
<p>We sent a code to <strong>${link.email}</strong>. With it you get an account of your own; the one that has this email now loses it.</p>
${problem && html`<div class="alert" role="alert"><p>${problem}</p></div>`}
<form method="post" action="${action}">
<input type="hidden" name="username" autocomplete="username" value="${link.email}">
${codeField(left)}
${nameField(name ?? link.name)}
${passwordFields('first')}
<div class="actions"><button class="primary">Create an account and join</button></div>
</form>
<form method="post" action="${action}/send">
<p class="quiet small">No mail? Look among unwanted mails, or ask for a new code: the one before then no longer works.</p>
<button>Send a new code</button></form>`
  return sendPage(reply, status, { title, body, brand })
}
