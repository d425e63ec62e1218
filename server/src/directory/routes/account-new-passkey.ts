import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import { html } from '../../platform/pages/html.ts'
import { seeOther, sendPage } from '../../platform/pages/page.ts'
import { type ReadText, readText } from '../../platform/texts.ts'
import { mustVerifyFirst } from '../accounts/factors/factor-changes.ts'
import { registerPasskey, registrationOptions } from '../accounts/factors/passkeys.ts'
import { hasFreshProof, proofPage } from '../accounts/proof.ts'
import { presentedSession, readSession, type Session } from '../accounts/sessions.ts'
import { sourceOf } from '../accounts/sign-in-events.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'
import { sendRecoveryCodes } from './account-recovery-codes.ts'
import type { PostAccountForm } from './account-section.ts'
import { passkeyForm, scriptPolicy } from './passkey-form.ts'
import { sendVerifyFirst } from './verify-first.ts'

const path = '/account/passkeys/new'
const account = '/account#factors'
const maxName = 100

export function newPasskeyRoutes(app: App, context: Context, post: PostAccountForm): void {
  app.get(path, async (request, reply) => {
    const session = await readSession(context, presentedSession(request))
    if (!session) return seeOther(reply, `/sign-in?return_to=${path}`)
    if (await mustVerifyFirst(context, session.user_id))
      return await sendVerifyFirst(context, request, reply, { session, path })
    if (!hasFreshProof(session, context.now())) return seeOther(reply, proofPage(path))
    return await sendForm(context, request, reply, { session, status: 200 })
  })

  post('/account/passkeys', async ({ request, reply, session, form }) => {
    const sent = form.get('name')?.trim() ?? ''
    const read: ReadText = sent === '' ? { text: '' } : readText('line', sent, maxName)
    const again = (status: number, problem: string) =>
      sendForm(context, request, reply, { session, status, problem, name: sent.slice(0, maxName) })
    if ('problem' in read) return await again(422, `The name ${read.problem}.`)
    const by = { session, from: sourceOf(request) }
    const credential = form.get('credential') ?? ''
    const added = await registerPasskey(context, by, { host: request.host, name: read.text, credential })
    if (added.verdict === 'proof_needed') return seeOther(reply, proofPage(path))
    if (added.verdict === 'unverified') return seeOther(reply, path)
    if (added.verdict === 'too_many')
      return await again(409, 'You have as many passkeys as an account can have. Remove one first.')
    if (added.verdict === 'wrong') return await again(422, 'This passkey was not accepted. Try again.')
    if (added.codes === null) return seeOther(reply, account)
    return await sendRecoveryCodes(context, request, reply, added.codes, 'The passkey is added.')
  })
}

interface Shown {
  session: Session
  status: number
  problem?: string
  name?: string | undefined
}

async function sendForm(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, status, problem, name }: Shown,
) {
  const brand = await brandOfHost(context, request.host)
  const options = await registrationOptions(context, session, request.host, brand.name)
  if (!options) return seeOther(reply, account)
  const fields = html`
<div class="field"><label>Name
<input name="name" maxlength="${maxName}" value="${name}" autocomplete="off" placeholder="Work laptop">
<span class="hint">So that you recognize it later.</span></label></div>`
  const button = html`<div class="actions"><button class="primary">Create a passkey</button><a class="button" href="${account}">Cancel</a></div>`
  const body = html`
<h1>Add a passkey</h1>
<p>Your browser asks for your fingerprint, face or PIN, or for a security key. What it proves never leaves your device.</p>
<p class="quiet">The passkey works on ${options.rp.id}.</p>
${problem && html`<div class="alert" role="alert"><p>${problem}</p></div>`}
<noscript><div class="alert"><p>To add a passkey, allow JavaScript on this page.</p></div></noscript>
${passkeyForm({ action: '/account/passkeys', options, create: true, fields, button })}`
  return sendPage(reply, status, { title: 'Add a passkey', body, brand }, scriptPolicy)
}
