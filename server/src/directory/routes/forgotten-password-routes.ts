import type { App } from '../../platform/http/app.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { Parameters } from '../../platform/http/form.ts'
import { requireOwnOrigin } from '../../platform/http/origin.ts'
import { mailAddress } from '../../platform/mail-address.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import { type Brand, seeOther, sendPage } from '../../platform/pages/page.ts'
import { askForNewPassword } from '../accounts/forgotten-password.ts'
import { sourceOf } from '../accounts/sign-in-events.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'

export const forgottenPasswordPath = '/forgotten-password'

/** For everybody; without mail it leads back to the page that says whom to ask. */
export function forgottenPasswordRoutes(app: App, context: Context): void {
  app.get(forgottenPasswordPath, async (request, reply) => {
    if (!context.mail.enabled) return seeOther(reply, '/sign-in')
    return sendPage(reply, 200, askPage({ brand: await brandOfHost(context, request.host) }))
  })

  app.post(forgottenPasswordPath, async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    if (!context.mail.enabled) return seeOther(reply, '/sign-in')
    const form = request.body instanceof Parameters ? request.body : new Parameters('')
    const typed = form.get('email')?.trim().slice(0, 254) ?? ''
    const brand = await brandOfHost(context, request.host)
    const email = mailAddress(typed)
    if (email === null) {
      return sendPage(reply, 422, askPage({ brand, typed, problem: 'This is not an email address.' }))
    }
    const { host, ip } = request
    const asked = { email, host, address: limitAddress(ip), from: sourceOf(request) }
    if ((await askForNewPassword(context, asked)) === 'too_many') {
      const problem = 'Too many links were asked for from your network. Wait an hour and try again.'
      return sendPage(reply, 429, askPage({ brand, typed, problem }))
    }
    return sendPage(reply, 200, donePage(brand, email))
  })
}

function askPage({ brand, typed, problem }: { brand: Brand; typed?: string; problem?: string }) {
  const title = 'Set a new password'
  const body = html`
<h1>${title}</h1>
<p>Enter the email with which you sign in. We send a link to it.</p>
${problem && html`<div class="alert" role="alert"><p>${problem}</p></div>`}
<form method="post" action="${forgottenPasswordPath}">
<div class="field"><label>Email
<input type="email" name="email" autocomplete="username" maxlength="254" required autofocus value="${typed}"></label></div>
<div class="actions"><button class="primary">Send the link</button>${back}</div>
</form>`
  return { title, body, brand }
}

function donePage(brand: Brand, email: string) {
  const title = 'Look into your mailbox'
  const body = html`
<h1>${title}</h1>
<p>If <strong>${email}</strong> has an account, a link to set a new password is on its way to it. The link works once, within an hour.</p>
<p class="quiet">No mail after a few minutes? Look among unwanted mails, or ask an administrator of your organization for a link. At most three are sent within an hour; each of them works.</p>
<div class="actions">${back}</div>`
  return { title, body, brand }
}

const back: Content = html`<a class="button" href="/sign-in">Back to sign in</a>`
