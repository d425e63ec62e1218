import type { Session } from '../../directory/accounts/sessions.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import type { Brand, Page } from '../../platform/pages/page.ts'
import type { PendingRequest } from '../authorize/pending-requests.ts'
import { type ConsentRow, type ConsentRowVerdict, judgeConsentRow } from './consent-rows.ts'

export interface ConsentPage {
  brand: Brand
  request: PendingRequest
  /** The request's secret: part of the form, and of the address to return to after another sign-in. */
  secret: string
  session: Session
  rows: ConsentRow[]
  problem?: string | undefined
}

export function consentPage(page: ConsentPage): Page {
  const selectable = page.rows.filter((row) => judgeConsentRow(row) === 'selectable')
  return {
    title: `Connect ${page.request.application_name}`,
    brand: page.brand,
    body: selectable.length > 0 ? question(page, selectable) : nothingToChoose(page),
  }
}

function question({ request, secret, session, rows, problem }: ConsentPage, selectable: ConsentRow[]): Content {
  const { application_name: application, partner_name: partner } = request
  const only = selectable.length === 1 ? selectable[0]! : null
  const whose = only ? only.customer_name : 'the organization you choose'
  return html`
<h1>Connect ${application}${only && rows.length === 1 && html` to ${only.customer_name}`}?</h1>
<p><strong>${application}</strong> by ${partner} asks for access. It will be able to see and change <strong>everything an administrator of ${whose} can see and change</strong>: devices, spaces, people and groups.</p>
${problem && html`<div class="alert" role="alert"><p>${problem}</p></div>`}
<form method="post" action="/consent">
<input type="hidden" name="request" value="${secret}">
<fieldset>
<legend>For which organization?</legend>
<ul class="choices">${rows.map((row) => choice(row, application, only !== null))}</ul>
</fieldset>
<div class="actions">
<button class="primary" name="decision" value="approve">Connect</button>
<button name="decision" value="decline" formnovalidate>Decline</button>
</div>
</form>
<ul class="facts small quiet">
${profileAccess(request)}
<li>Access continues while you are signed out, until an administrator revokes it under Settings, Connected apps.</li>
<li>You will return to ${new URL(request.redirect_uri).host}.</li>
</ul>
${signedInAs(session, secret)}`
}

function choice(row: ConsentRow, application: string, preselected: boolean): Content {
  const verdict = judgeConsentRow(row)
  if (verdict === 'selectable') {
    return html`<li><label class="choice"><input type="radio" name="customer_id" value="${row.customer_id}" required ${preselected && html`checked`}>
<span><strong>${row.customer_name}</strong><span>${membershipText(row)}</span></span></label></li>`
  }
  return html`<li><div class="choice off"><input type="radio" disabled aria-label="${row.customer_name} cannot be chosen">
<span><strong>${row.customer_name}</strong><span>${obstacles[verdict](row, application)}</span></span></div></li>`
}

function membershipText({ role, approved }: ConsentRow): string {
  if (role === 'member') return 'Approved by your organization.'
  if (approved) return 'Already approved. You are an administrator.'
  return 'You are an administrator: connecting approves it for your organization, and its members can connect too.'
}

const obstacles: Record<Exclude<ConsentRowVerdict, 'selectable'>, (row: ConsentRow, application: string) => string> = {
  inactive: () => 'Your membership is not active. Ask an administrator to activate it again.',
  not_approved: (_row, application) =>
    `Not approved yet. An administrator has to connect ${application} first; then you can.`,
  administrators_only: () =>
    'Only administrators may connect it here. Ask one of them to connect it or to give you access.',
  not_in_group: ({ group_name }) =>
    `Only the group ${group_name} may connect it here. Ask an administrator to add you to it.`,
}

/** Contract 4.1: nothing can be submitted and the application gets no response; the page says who can help. */
function nothingToChoose({ request, secret, session, rows }: ConsentPage): Content {
  const { application_name: application } = request
  const helpers = [...new Set(rows.filter(({ active }) => active).flatMap(({ administrators }) => administrators))]
  return html`
<h1>You cannot connect ${application} yet</h1>
${
  rows.length === 0
    ? html`<p>Your account does not belong to any organization, so there is nothing ${application} could be connected to. Ask an administrator of your organization to add ${session.email}.</p>`
    : html`<p>${application} can be connected by an administrator, or by members once it is approved. Your organizations:</p>
<ul class="choices">${rows.map((row) => choice(row, application, false))}</ul>`
}
${
  helpers.length > 0 &&
  html`<div class="note"><p><strong>Who can help</strong></p><ul class="facts">${helpers.slice(0, 5).map((helper) => html`<li>${helper}</li>`)}</ul></div>`
}
<p class="quiet">Nothing was sent to ${application}. You can close this page.</p>
${signedInAs(session, secret)}`
}

function profileAccess({ scope }: PendingRequest): Content {
  const facts = [scope.includes('profile') && 'your name', scope.includes('email') && 'your email address']
  const learned = facts.filter(Boolean).join(' and ')
  return learned && html`<li>It also learns ${learned}.</li>`
}

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
  const { application_name: application, answered_customer_id: customer } = request
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
export function accountChoicePage({ brand, request, secret, session }: Omit<ConsentPage, 'rows'>): Page {
  const body = html`
<h1>Which account?</h1>
<p>${request.application_name} asks you to choose an account.</p>
<div class="actions stacked"><a class="button primary" href="/consent?request=${secret}&account=chosen">Continue as ${session.email}</a>
<a class="button" href="/sign-in?again=1&return_to=${encodeURIComponent(`/consent?request=${secret}&account=chosen`)}">Use another account</a></div>`
  return { title: 'Choose an account', brand, body }
}
