import type { Session } from '../../directory/accounts/sessions.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import type { Brand, Page } from '../../platform/pages/page.ts'
import type { PendingRequest } from '../authorize/pending-requests.ts'

export function signedInAs(session: Session, secret: string): Content {
  return html`<p class="who"><span>Signed in as ${session.email}</span><a href="${signInAgain(secret, null)}">Use another account</a></p>`
}

interface Decided {
  brand: Brand
  request: PendingRequest
  secret: string
}

/** The screen was loaded again after the decision, as by the back button: the person can still return to the application. */
export function decidedPage({ brand, request, secret }: Decided): Page {
  const { application_name: application, approved_customer_id: customer } = request
  const body = html`
<h1>You have already decided</h1>
<p>${customer ? html`You connected <strong>${application}</strong>.` : html`You declined to connect <strong>${application}</strong>.`} If it did not open, return to it here.</p>
<form method="post" action="/consent">
<input type="hidden" name="request" value="${secret}">
${customer && html`<input type="hidden" name="customer_id" value="${customer}">`}
<div class="actions"><button class="primary" name="decision" value="${customer ? 'approve' : 'decline'}">Return to ${application}</button></div>
</form>`
  return { title: 'You have already decided', brand, body }
}

/** Shown until the application responds; the link is for a browser that does not follow the refresh. */
export function returningPage(brand: Brand, application: string, location: string): Page {
  const body = html`
<h1>Returning to ${application}</h1>
<p>If it does not open by itself, continue here:</p>
<div class="actions"><a class="button primary" href="${location}">Continue to ${new URL(location).host}</a></div>`
  return { title: `Returning to ${application}`, brand, body }
}

/** Somebody else than the person of the id_token_hint signed in: OpenID Connect Core 3.1.2.2 forbids a success. */
export function wrongPersonPage({ brand, request, secret, session }: Decided & { session: Session }): Page {
  const { application_name: application, login_hint } = request
  const body = html`
<h1>Another account is needed</h1>
<p>${application} asks for ${login_hint ? html`<strong>${login_hint}</strong>` : 'the account it already knows'}, and you are signed in as <strong>${session.email}</strong>.</p>
<p class="quiet">Nothing was sent to ${application}. To connect your own account, start again from there.</p>
<div class="actions"><a class="button primary" href="${signInAgain(secret, login_hint)}">Sign in with the other account</a></div>`
  return { title: 'Another account is needed', brand, body }
}

function signInAgain(secret: string, email: string | null): string {
  const hint = email ? `&login_hint=${encodeURIComponent(email)}` : ''
  return `/sign-in?again=1&return_to=${encodeURIComponent(`/consent?request=${secret}`)}${hint}`
}

/** prompt=select_account: the person chooses the account first. */
export function accountChoicePage({ brand, request, secret, session }: Decided & { session: Session }): Page {
  const body = html`
<h1>Which account?</h1>
<p>${request.application_name} asks you to choose an account.</p>
<div class="actions stacked"><a class="button primary" href="/consent?request=${secret}&account=chosen">Continue as ${session.email}</a>
<a class="button" href="/sign-in?again=1&return_to=${encodeURIComponent(`/consent?request=${secret}&account=chosen`)}">Use another account</a></div>`
  return { title: 'Choose an account', brand, body }
}
