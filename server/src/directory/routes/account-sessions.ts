import type { App } from '../../platform/http/app.ts'
import { ago } from '../../platform/pages/ago.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import { seeOther } from '../../platform/pages/page.ts'
import { endOtherSessions, endOwnSession, listOwnSessions, type OwnSession } from '../accounts/own-sessions.ts'
import { expiredSessionCookie } from '../accounts/sessions.ts'
import { signOutEverywhere, sourceOf } from '../accounts/sign-in-events.ts'
import type { Context } from '../context.ts'
import type { AccountSection, AccountView, PostAccountForm } from './account-section.ts'

const name = 'sessions'

export const sessionsSection: AccountSection = { name, render, routes }

async function render(context: Context, { session }: AccountView) {
  const sessions = await listOwnSessions(context, session)
  const hosts = new Set(sessions.map(({ host }) => host))
  const others = sessions.length - 1
  return html`
<h2 id="sessions">Where you are signed in</h2>
<p class="quiet">If you do not recognize one of these, end it and change your password.</p>
<ul class="rows">${sessions.map((each) => row(each, context.now(), hosts.size > 1))}</ul>
<div class="actions">
${others > 0 && html`<form method="post" action="/account/sessions/end-others"><button>End all other sessions</button></form>`}
<form method="post" action="/account/sign-out-everywhere"><button>Sign out everywhere</button></form>
</div>
<p class="quiet small">Applications you connected stay connected: they belong to the organization.</p>`
}

function row({ id, browser, current, host, signed_in_at, last_seen_at }: OwnSession, now: Date, withHost: boolean) {
  const used: Content = current
    ? html`<span class="this-one">This browser</span>`
    : html`last used ${ago(last_seen_at, now)}`
  return html`
<li><div><strong>${browser}</strong>
<span>${used} · signed in ${ago(signed_in_at, now)}${withHost && html` · ${host}`}</span></div>
${!current && html`<form method="post" action="/account/sessions/end"><input type="hidden" name="id" value="${id}"><button class="small" aria-label="End the session of ${browser}">End</button></form>`}</li>`
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function routes(_app: App, context: Context, post: PostAccountForm): void {
  post('/account/sessions/end', async ({ request, session, form, show }) => {
    const id = form.get('id') ?? ''
    const ended = uuid.test(id) && (await endOwnSession(context, session, id, sourceOf(request)))
    return await show({ done: ended ? 'The session has ended.' : 'That session had already ended.' })
  })

  post('/account/sessions/end-others', async ({ request, session, show }) => {
    const count = await endOtherSessions(context, session, sourceOf(request))
    const sentence = count === 1 ? 'One other session has ended.' : `${count} other sessions have ended.`
    return await show({ done: count === 0 ? 'There was no other session.' : sentence })
  })

  post('/account/sign-out-everywhere', async ({ request, reply, session }) => {
    await signOutEverywhere(context, session, sourceOf(request))
    reply.header('set-cookie', expiredSessionCookie(context))
    return seeOther(reply, '/sign-in?signed_out=1')
  })
}
