import type { App } from '../../platform/http/app.ts'
import { html } from '../../platform/pages/html.ts'
import { chooseMails, wantedMails } from '../accounts/mail-preferences.ts'
import { type OptionalMails, optionalMails } from '../accounts/mails/organization-mails.ts'
import type { Context } from '../context.ts'
import type { AccountSection, AccountView, PostAccountForm } from './account-section.ts'

const name = 'mails'

export const mailsSection: AccountSection = { name, render, routes }

async function render(context: Context, { session }: AccountView) {
  if (!context.mail.enabled) return null
  const wanted = await wantedMails(context, session.user_id)
  const box = ([kind, label]: [string, string]) => html`
<li><label class="choice"><input type="checkbox" name="mails" value="${kind}" ${wanted.has(kind as OptionalMails) && html`checked`}><span>${label}</span></label></li>`
  return html`
<h2 id="mails">Mails</h2>
<p class="quiet">If you administer an organization, we can tell you about:</p>
<form method="post" action="/account/mails">
<ul class="choices">${Object.entries(optionalMails).map(box)}</ul>
<p class="quiet small">Mails about the security of your account are always sent.</p>
<div class="actions"><button>Save</button></div>
</form>`
}

function routes(_app: App, context: Context, post: PostAccountForm): void {
  post('/account/mails', async ({ session, form, show }) => {
    await chooseMails(context, session.user_id, form.all('mails'))
    return await show({ done: 'Saved which mails you get.' })
  })
}
