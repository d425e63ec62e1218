import type { Session } from '../../directory/accounts/sessions.ts'
import { day } from '../../platform/pages/day.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import type { Brand, Page } from '../../platform/pages/page.ts'
import type { PendingRequest } from '../authorize/pending-requests.ts'
import { applicationCard, homePageLink } from './application-card.ts'
import type { OwnRequest } from './approval-requests.ts'
import type { ConsentRow } from './consent-rows.ts'
import { signedInAs } from './consent-side-pages.ts'

export const maxNote = 300

export function askPath(secret: string, customerId: string): string {
  return `/consent/ask?request=${secret}&customer_id=${customerId}`
}

interface AskPage {
  brand: Brand
  request: PendingRequest
  secret: string
  session: Session
  row: ConsentRow
  administrators: string[]
  problem?: string | undefined
}

/** A page of its own: the consent screen itself has nothing to submit while nothing is selectable (contract 4.1). */
export function askPage(page: AskPage): Page {
  const { brand, request, session, secret, row } = page
  const isOpen = row.asked_at !== null && row.outcome === null
  const title = isOpen ? 'Request sent' : `Ask an administrator of ${row.customer_name}`
  const body = html`${applicationCard(request)}<h1>${title}</h1>${isOpen ? sent(page) : form(page)}${signedInAs(session, secret)}`
  return { title, brand, body }
}

function form({ request, secret, session, row, administrators, problem }: AskPage): Content {
  const { application_name: application } = request
  return html`
<p>The administrators of <strong>${row.customer_name}</strong> will see in their portal that you, ${session.name} (${session.email}), want to connect <strong>${application}</strong>. The provider of ${application} learns that somebody asked, but not who, and not for which organization.</p>
${problem && html`<div class="alert" role="alert"><p>${problem}</p></div>`}
${whoThatIs(administrators)}
<form method="post" action="/consent/ask">
<input type="hidden" name="request" value="${secret}">
<input type="hidden" name="customer_id" value="${row.customer_id}">
<div class="field"><label>Message (optional)
<textarea name="note" rows="3" maxlength="${maxNote}"></textarea>
<span class="hint">For example, what you need it for.</span></label></div>
<div class="actions"><button class="primary">Send request</button>
<a class="button" href="/consent?request=${secret}">Back</a></div>
</form>`
}

function sent({ request, secret, row, administrators }: AskPage): Content {
  const { application_name: application } = request
  return html`
<p>You asked the administrators of <strong>${row.customer_name}</strong> on ${day(row.asked_at!)} to approve <strong>${application}</strong>. They find your request in their portal, under Settings, Connected apps.</p>
${whoThatIs(administrators)}
<p>Their decision appears under <a href="/approval-requests">Your requests</a>. Once it is approved, start again from ${application}.</p>
<div class="actions"><a class="button" href="/consent?request=${secret}">Back to your organizations</a></div>`
}

function whoThatIs(administrators: string[]): Content {
  return (
    administrators.length > 0 &&
    html`<div class="note"><p><strong>Administrators</strong></p><ul class="facts">${administrators.map((person) => html`<li>${person}</li>`)}</ul></div>`
  )
}

/** Where a person learns what came of their requests. */
export function ownRequestsPage({ brand, requests }: { brand: Brand; requests: OwnRequest[] }): Page {
  const title = 'Your requests'
  const body = html`
<h1>${title}</h1>
<p class="quiet">Applications that you asked an administrator to approve.</p>
${
  requests.length === 0
    ? html`<p>You have not asked for any. If an application is not approved by your organization, its consent screen lets you ask.</p>`
    : html`<ul class="choices">${requests.map(ownRequest)}</ul>`
}
<p class="who"><a href="/account">Your account</a><a href="/">Back to the portal</a></p>`
  return { title, brand, body }
}

function ownRequest(request: OwnRequest): Content {
  const { application_name, customer_name, home_page } = request
  return html`<li><div class="choice static"><span><strong>${application_name} for ${customer_name}</strong>
<span>${outcomeText(request)}</span>${home_page && homePageLink(home_page)}</span></div></li>`
}

function outcomeText({ application_name, requested_at, outcome, decided_at }: OwnRequest): Content {
  if (outcome === null) return html`Waiting for an administrator since ${day(requested_at)}.`
  if (outcome === 'approved')
    return html`Approved on ${day(decided_at!)}. Start again from ${application_name} to connect.`
  if (outcome === 'declined') return html`Declined by an administrator on ${day(decided_at!)}.`
  return html`Closed on ${day(decided_at!)}: the application was disabled.`
}
