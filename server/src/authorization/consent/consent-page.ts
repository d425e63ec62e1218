import { proofPage } from '../../directory/accounts/proof.ts'
import type { Session } from '../../directory/accounts/sessions.ts'
import type { SpaceChoice } from '../../directory/organization/upper-spaces.ts'
import type { Parameters } from '../../platform/http/form.ts'
import { day } from '../../platform/pages/day.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import type { Brand, Page } from '../../platform/pages/page.ts'
import type { PendingRequest } from '../authorize/pending-requests.ts'
import { applicationCard } from './application-card.ts'
import { askPath } from './ask-page.ts'
import { approvedText, askedFor, narrowing, newText } from './consent-permissions.ts'
import {
  type ArrangedRows,
  approvesIt,
  type ConsentRow,
  type ConsentRowVerdict,
  decidesIt,
  type GroupChoice,
  judgeConsentRow,
  spacesPerRow,
} from './consent-rows.ts'
import { signedInAs } from './consent-side-pages.ts'
import { approvedField, askedField, askedText } from './reach-form.ts'

export interface ConsentPage {
  brand: Brand
  request: PendingRequest
  /** The request's secret: part of the form, and of the address to return to after another sign-in. */
  secret: string
  session: Session
  rows: ConsentRow[]
  shown: ArrangedRows
  /** Part of a name. */
  search: string
  /** Of the customers for which this would be an approval. */
  groups: GroupChoice[]
  /** Whom the person can ask. */
  administrators: string[]
  /** The upper spaces of the customers for which this would be an approval. */
  spaces: SpaceChoice[]
  /** Of spaces to which an approval is limited. */
  spaceNames: Map<string, string>
  /** What was sent, where the screen is shown again. */
  sent?: Parameters | undefined
  problem?: string | undefined
}

export function consentPage(page: ConsentPage): Page {
  const anySelectable = page.rows.some((row) => judgeConsentRow(row) === 'selectable')
  return {
    title: `Connect ${page.request.application_name}`,
    brand: page.brand,
    body: html`${applicationCard(page.request)}${anySelectable ? question(page) : nothingToChoose(page)}`,
  }
}

function question(page: ConsentPage): Content {
  const { request, secret, session, rows, shown, problem } = page
  const { application_name: application, partner_name: partner } = request
  const only = shown.selectable.length === 1 && shown.more === 0 ? shown.selectable[0]! : null
  const whose = only ? only.customer_name : 'the organization you choose'
  return html`
<h1>Connect ${application}${only && rows.length === 1 && html` to ${only.customer_name}`}?</h1>
<div class="grave">
${askedFor(application, partner, request.requested_permissions, whose)}
<p>Access continues while you are signed out, until an administrator revokes it under Settings, Connected apps.</p>
</div>
${problem && html`<div class="alert" role="alert"><p>${problem}</p></div>`}
${searchForm(page)}
<form method="post" action="/consent">
<input type="hidden" name="request" value="${secret}">
<input type="hidden" name="${askedField}" value="${askedText(request.requested_permissions)}">
<fieldset>
<legend>For which organization?</legend>
${shown.selectable.length > 0 ? choices(shown.selectable.map((row) => choice(row, page, only !== null))) : html`<p class="quiet">No organization that you can choose has this name.</p>`}
${shown.more > 0 && html`<p class="quiet small">${count(shown.more, 'more organization')}. Search for one by its name.</p>`}
</fieldset>
<div class="actions">
${shown.selectable.length > 0 && html`<button class="primary" name="decision" value="approve">${verb(shown.selectable, only)}</button>`}
<button name="decision" value="decline" formnovalidate>Decline</button>
</div>
</form>
${
  shown.others.length > 0 &&
  html`<details><summary>${count(shown.others.length, 'organization')} you cannot choose</summary>
${choices(shown.others.map((row) => unavailable(row, page)))}</details>`
}
<ul class="facts small quiet">
${profileAccess(request)}
<li>You will return to ${new URL(request.redirect_uri).host}.</li>
</ul>
${signedInAs(session, secret)}`
}

/** Says what the click does. Without script, the stylesheet shows the words that fit the chosen row. */
function verb(selectable: ConsentRow[], only: ConsentRow | null): Content {
  if (only) return decidesIt(only) ? approve(only) : 'Connect'
  if (!selectable.some(decidesIt)) return 'Connect'
  return html`<span class="when-connecting">Connect</span>${selectable.map(
    (row, index) => decidesIt(row) && html`<span class="when-approving for-row-${index + 1}">${approve(row)}</span>`,
  )}`
}

function approve({ customer_name }: ConsentRow): string {
  return `Approve for ${customer_name}`
}

function count(number: number, unit: string): string {
  return `${number.toLocaleString('en')} ${unit}${number === 1 ? '' : 's'}`
}

/** With fewer organizations, a look is faster than a search. */
const rowsWithoutSearch = 8

function searchForm({ request, rows, search, secret }: ConsentPage): Content {
  if (rows.length <= rowsWithoutSearch) return null
  return html`<form method="get" action="/consent" role="search" class="search">
<input type="hidden" name="request" value="${secret}">
${request.prompt.includes('select_account') && html`<input type="hidden" name="account" value="chosen">`}
<label>Search ${rows.length.toLocaleString('en')} organizations
<input type="search" name="search" value="${search}" maxlength="200" autocomplete="off"></label>
<button>Search</button>
${search && html`<a href="/consent?request=${secret}${request.prompt.includes('select_account') && '&account=chosen'}">Show all</a>`}
</form>`
}

/** Many of them scroll in their own box, so that the buttons below stay near. */
function choices(items: Content[]): Content {
  return html`<ul class="choices ${items.length > rowsWithoutSearch && 'many'}">${items}</ul>`
}

function choice(row: ConsentRow, page: ConsentPage, preselected: boolean): Content {
  const approves = decidesIt(row)
  const { groups, spaces, sent } = page
  const chosen = preselected || sent?.get('customer_id') === row.customer_id
  const shownSpaces = spacesPerRow([...page.shown.selectable, ...page.shown.others].filter(approvesIt).length)
  return html`<li class="option"><label class="choice"><input type="radio" name="customer_id" value="${row.customer_id}" required ${approves && html`class="approves"`} ${chosen && html`checked`}>
<span><strong>${row.customer_name}</strong><span ${approvesIt(row) && html`class="weighs"`}>${membershipText(row)}</span>${approvedText(row, page.spaceNames)}${newText(row)}</span></label>
${row.approved && html`<input type="hidden" name="${approvedField(row.customer_id)}" value="yes">`}
${approvesIt(row) && whoMayConnect(row, groups, sent)}${approves && narrowing(row, { spaces, shownSpaces, sent })}</li>`
}

/** The name of the field that narrows a new approval of this customer. */
export function policyField(customerId: string): string {
  return `policy_${customerId}`
}

function whoMayConnect(
  { customer_id, customer_name }: ConsentRow,
  all: GroupChoice[],
  sent: Parameters | undefined,
): Content {
  const groups = all.filter((group) => group.customer_id === customer_id)
  const chosen = sent?.get(policyField(customer_id))
  const selected = (value: string) => value === chosen && html`selected`
  return html`<div class="narrow field"><label>Who else may connect it
<select name="${policyField(customer_id)}">
<option value="everyone">Everyone in ${customer_name}</option>
<option value="administrators" ${selected('administrators')}>Administrators only</option>
${groups.map(({ id, name }) => html`<option value="${id}" ${selected(id)}>Administrators and the group ${name}</option>`)}
</select>
<span class="hint">You can change this later under Settings, Connected apps.</span></label></div>`
}

function unavailable(row: ConsentRow, { request, secret }: ConsentPage): Content {
  const verdict = judgeConsentRow(row) as Obstacle
  return html`<li><div class="choice off"><input type="radio" disabled aria-label="${row.customer_name} cannot be chosen">
<span><strong>${row.customer_name}</strong><span>${obstacles[verdict](row, request.application_name)}</span>
${verdict === 'not_approved' && whatCameOfIt(row, secret)}${verdict === 'second_factor' && secondFactorStep(row, secret)}</span></div></li>`
}

function membershipText({ role, approved, outcome, decided_at }: ConsentRow): Content {
  if (role === 'member') {
    return outcome === 'approved'
      ? html`Approved by your organization on ${day(decided_at!)}, as you asked.`
      : 'Approved by your organization.'
  }
  if (approved) return 'Already approved. You are an administrator.'
  return 'You are an administrator: connecting approves it for your organization, and its members can connect too.'
}

type Obstacle = Exclude<ConsentRowVerdict, 'selectable'>

const obstacles: Record<Obstacle, (row: ConsentRow, application: string) => string> = {
  inactive: () => 'Your membership is not active. Ask an administrator to activate it again.',
  not_approved: (_row, application) =>
    `Not approved yet. An administrator has to connect ${application} first; then you can.`,
  administrators_only: () =>
    'Only administrators may connect it here. Ask one of them to connect it or to give you access.',
  second_factor: ({ factor_step }) =>
    factor_step === 'set_up'
      ? 'It requires a second factor, and you have none yet.'
      : 'It requires a second factor, and you signed in without yours.',
  not_in_group: ({ group_name }) =>
    `Only the group ${group_name} may connect it here. Ask an administrator to add you to it.`,
}

function secondFactorStep({ factor_step }: ConsentRow, secret: string): Content {
  const here = `/consent?request=${secret}`
  return factor_step === 'set_up'
    ? html`<span><a href="/account">Set up a second factor</a>, then connect again.</span>`
    : html`<span><a href="${proofPage(here)}">Present your second factor</a></span>`
}

/** What the member can do about a missing approval, or what came of it. */
function whatCameOfIt({ customer_id, asked_at, outcome, decided_at }: ConsentRow, secret: string): Content {
  if (asked_at && outcome === null) return html`<span>You asked an administrator on ${day(asked_at)}.</span>`
  return html`${outcome === 'declined' && html`<span>An administrator declined your request on ${day(decided_at!)}.</span>`}
<a href="${askPath(secret, customer_id)}">Ask an administrator</a>`
}

/** Contract 4.1: nothing can be submitted and the application gets no response; the page says who can help. */
function nothingToChoose(page: ConsentPage): Content {
  const { request, secret, session, rows, shown, administrators } = page
  const { application_name: application } = request
  return html`
<h1>You cannot connect ${application} yet</h1>
${
  rows.length === 0
    ? html`<p>Your account does not belong to any organization, so there is nothing ${application} could be connected to. Ask an administrator of your organization to add ${session.email}.</p>`
    : html`<p>${application} can be connected by an administrator, or by members once it is approved. Your organizations:</p>
${searchForm(page)}
${choices(shown.others.map((row) => unavailable(row, page)))}
${shown.more > 0 && html`<p class="quiet small">${count(shown.more, 'more organization')}. Search for one by its name.</p>`}`
}
${
  administrators.length > 0 &&
  html`<div class="note"><p><strong>Who can help</strong></p><ul class="facts">${administrators.map((helper) => html`<li>${helper}</li>`)}</ul></div>`
}
<p class="quiet">Nothing was sent to ${application}. You can close this page.</p>
${signedInAs(session, secret)}`
}

function profileAccess({ scope }: PendingRequest): Content {
  const facts = [scope.includes('profile') && 'your name', scope.includes('email') && 'your email address']
  const learned = facts.filter(Boolean).join(' and ')
  return learned && html`<li>It also learns ${learned}.</li>`
}
