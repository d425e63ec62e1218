import type { App } from '../../platform/http/app.ts'
import { ago } from '../../platform/pages/ago.ts'
import { day } from '../../platform/pages/day.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import { seeOther } from '../../platform/pages/page.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import { createRecoveryCodes, removePasskey, removeTotp } from '../accounts/factors/factor-changes.ts'
import { type Factors, findFactors, hasSecondFactor } from '../accounts/factors/factors.ts'
import { listPasskeys, type Passkey } from '../accounts/factors/passkeys.ts'
import { fewRecoveryCodes } from '../accounts/factors/recovery-codes.ts'
import { relyingPartyOf } from '../accounts/factors/relying-party.ts'
import { proofPage } from '../accounts/proof.ts'
import { sourceOf } from '../accounts/sign-in-events.ts'
import type { Context } from '../context.ts'
import { authenticatorAppRoutes } from './account-authenticator-app.ts'
import { newPasskeyRoutes } from './account-new-passkey.ts'
import { sendRecoveryCodes } from './account-recovery-codes.ts'
import type { AccountForm, AccountSection, AccountView, PostAccountForm } from './account-section.ts'
import { problemOf } from './account-section.ts'

const name = 'factors'

export const factorsSection: AccountSection = { name, render, routes }

async function render(context: Context, view: AccountView) {
  const { session, host } = view
  const [factors, passkeys, here] = await Promise.all([
    findFactors(context, session.user_id),
    listPasskeys(context, session.user_id),
    relyingPartyOf(context, host),
  ])
  const isLast = passkeys.length + (factors.totp ? 1 : 0) === 1
  return html`
<h2 id="factors">Passkeys</h2>
${problemOf(name, view)}
<p class="quiet">Sign in with your fingerprint, face or device PIN, or with a security key. A passkey cannot be guessed or phished.</p>
${passkeys.length > 0 && html`<ul class="rows">${passkeys.map((passkey) => passkeyRow(passkey, context.now(), here?.id ?? null, isLast))}</ul>`}
${here ? html`<p><a class="button" href="/account/passkeys/new">Add a passkey</a></p>` : html`<p>On this address there can be no passkeys.</p>`}
<h2>Authenticator app</h2>
${
  factors.totp
    ? enabledApp(isLast)
    : html`
<p class="quiet">Codes of six digits from an app on your phone, asked for after your password.</p>
<p><a class="button" href="/account/authenticator">Add an authenticator app</a></p>`
}
${hasSecondFactor(factors) && recoveryCodes(factors)}`
}

function passkeyRow(
  { id, name, rp_id, created_at, last_used_at }: Passkey,
  now: Date,
  here: string | null,
  isLast: boolean,
): Content {
  return html`
<li><div><strong>${name}</strong>
<span>${last_used_at ? html`last used ${ago(last_used_at, now)}` : 'not used yet'} · added ${day(created_at)}${rp_id !== here && html` · works on ${rp_id}`}</span></div>
<details class="removal"><summary aria-label="Remove ${name}">Remove</summary>
<form method="post" action="/account/passkeys/remove"><input type="hidden" name="id" value="${id}">
<p>You will no longer sign in with it, and every other browser is signed out.${isLast && passwordIsEnough}</p>
<button>Remove this passkey</button></form></details></li>`
}

const passwordIsEnough = ' Your password alone will then be enough to sign in, and your recovery codes end.'

function enabledApp(isLast: boolean): Content {
  return html`
<ul class="rows"><li><div><strong>Authenticator app</strong><span>asked for after your password</span></div>
<details class="removal"><summary aria-label="Remove the authenticator app">Remove</summary>
<form method="post" action="/account/authenticator/remove">
<p>Its codes will no longer be accepted, and every other browser is signed out.${isLast && passwordIsEnough}</p>
<button>Remove the authenticator app</button></form></details></li></ul>`
}

function recoveryCodes({ recovery_codes_left: left }: Factors): Content {
  const sentence = left === 1 ? 'One code is left.' : `${left === 0 ? 'No' : left} codes are left.`
  return html`
<h2>Recovery codes</h2>
<p class="quiet">For when you have lost your passkey or phone. Each code works once.</p>
${left < fewRecoveryCodes ? html`<div class="alert"><p>${sentence} Create new ones, so that you cannot lock yourself out.</p></div>` : html`<p>${sentence}</p>`}
<form method="post" action="/account/recovery-codes"><button>Create new recovery codes</button></form>
<p class="quiet small">New codes replace the ones you have.</p>`
}

const provenFirst = proofPage('/account#factors')

function routes(app: App, context: Context, post: PostAccountForm): void {
  newPasskeyRoutes(app, context, post)
  authenticatorAppRoutes(app, context, post)

  post('/account/passkeys/remove', async (sent) => {
    const id = sent.form.get('id') ?? ''
    const by = { session: sent.session, from: sourceOf(sent.request) }
    const removed = isId(id) ? await removePasskey(context, by, id) : ({ verdict: 'unknown' } as const)
    return await showRemoval(sent, removed, 'The passkey is removed.')
  })

  post('/account/authenticator/remove', async (sent) => {
    const removed = await removeTotp(context, { session: sent.session, from: sourceOf(sent.request) })
    return await showRemoval(sent, removed, 'The authenticator app is removed.')
  })

  post('/account/recovery-codes', async ({ request, reply, session, show }) => {
    const made = await createRecoveryCodes(context, { session, from: sourceOf(request) })
    if (made.verdict === 'proof_needed') return seeOther(reply, provenFirst)
    if (made.verdict === 'created') return await sendRecoveryCodes(context, request, reply, made.codes)
    const problem = 'Recovery codes need a passkey or an authenticator app first.'
    return await show({ status: 409, section: name, problem })
  })
}

type Removed = Awaited<ReturnType<typeof removeTotp>>

async function showRemoval({ reply, show }: AccountForm, removed: Removed, done: string) {
  if (removed.verdict === 'proof_needed') return seeOther(reply, provenFirst)
  if (removed.verdict === 'removed') return await show({ done: `${done} Every other browser is signed out.` })
  const problem = removed.verdict === 'refused' ? removed.problem : 'It had already been removed.'
  return await show({ status: 409, section: name, problem })
}
