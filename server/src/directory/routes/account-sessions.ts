import type { App } from '../../platform/http/app.ts'
import { html } from '../../platform/pages/html.ts'
import { seeOther } from '../../platform/pages/page.ts'
import { expiredSessionCookie } from '../accounts/sessions.ts'
import { signOutEverywhere, sourceOf } from '../accounts/sign-in-events.ts'
import type { Context } from '../context.ts'
import type { AccountSection, PostAccountForm } from './account-section.ts'

const name = 'sessions'

export const sessionsSection: AccountSection = { name, render, routes }

function render() {
  return html`
<h2>Sign out everywhere</h2>
<p>Signs you out of this and every other browser. Applications you connected stay connected: they belong to the organization.</p>
<form method="post" action="/account/sign-out-everywhere"><button>Sign out everywhere</button></form>`
}

function routes(_app: App, context: Context, post: PostAccountForm): void {
  post('/account/sign-out-everywhere', async ({ request, reply, session }) => {
    await signOutEverywhere(context, session, sourceOf(request))
    reply.header('set-cookie', expiredSessionCookie(context))
    return seeOther(reply, '/sign-in?signed_out=1')
  })
}
