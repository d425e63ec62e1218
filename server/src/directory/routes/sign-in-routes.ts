import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { Parameters, readQuery } from '../../platform/http/form.ts'
import { serveHashedFile } from '../../platform/http/hashed-files.ts'
import { requireOwnOrigin } from '../../platform/http/origin.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import { type Brand, seeOther, sendPage } from '../../platform/pages/page.ts'
import { requestOptions } from '../accounts/factors/passkeys.ts'
import { signInWithPasskey } from '../accounts/passkey-sign-in.ts'
import { expiredSessionCookie, presentedSession, readSession } from '../accounts/sessions.ts'
import { signIn } from '../accounts/sign-in.ts'
import { signOut, sourceOf } from '../accounts/sign-in-events.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'
import { forgottenPasswordPath } from './forgotten-password-routes.ts'
import { passkeyForm, passkeyScript, scriptPolicy } from './passkey-form.ts'
import { safeReturnTo, seeAfterSignIn } from './return-to.ts'

/** What the sign-in page says about the page to return to; null for most. */
export type Describe = (returnTo: string) => Promise<Content>

const passkeyPath = '/sign-in/passkey'

export function signInRoutes(app: App, context: Context, describe: Describe): void {
  const sendSignIn = async (request: FastifyRequest, reply: FastifyReply, asked: AskedSignIn) => {
    const brand = await brandOfHost(context, request.host)
    const options = await requestOptions(context, request.host, { to: 'sign_in' })
    const asking = await describe(asked.return_to)
    const page = signInPage({ ...asked, brand, options, asking, mail: context.mail.enabled })
    return sendPage(reply, asked.failure ? statuses[asked.failure] : 200, page, options ? scriptPolicy : {})
  }

  app.get('/sign-in', async (request, reply) => {
    const query = readQuery(request.url)
    const return_to = safeReturnTo(query.get('return_to'))
    // An application asked for a new sign-in.
    const again = query.get('again') !== undefined
    if (!again && (await readSession(context, presentedSession(request)))) return seeOther(reply, return_to)
    const email = query.get('login_hint')?.slice(0, 254)
    const signedOut = query.get('signed_out')
    return await sendSignIn(request, reply, { return_to, email, again, signedOut })
  })

  app.post('/sign-in', async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    const form = request.body instanceof Parameters ? request.body : new Parameters('')
    const return_to = safeReturnTo(form.get('return_to'))
    // Postgres text cannot contain NUL.
    const email = form.get('email')?.slice(0, 254).replaceAll('\0', '') ?? ''
    const result = await signIn(context, {
      email,
      password: form.get('password')?.slice(0, 1_024) ?? '',
      address: limitAddress(request.ip),
      ...presentedSession(request),
      from: sourceOf(request),
    })
    const { verdict } = result
    if (verdict !== 'wrong' && verdict !== 'too_many') return await seeAfterSignIn(context, reply, result, return_to)
    return await sendSignIn(request, reply, { return_to, email, failure: verdict })
  })

  serveHashedFile(app, passkeyScript)

  app.post(passkeyPath, async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    const form = request.body instanceof Parameters ? request.body : new Parameters('')
    const return_to = safeReturnTo(form.get('return_to'))
    const result = await signInWithPasskey(context, {
      credential: form.get('credential') ?? '',
      address: limitAddress(request.ip),
      ...presentedSession(request),
      from: sourceOf(request),
    })
    const { verdict } = result
    if (verdict !== 'wrong' && verdict !== 'too_many') return await seeAfterSignIn(context, reply, result, return_to)
    const failure = verdict === 'wrong' ? 'wrong_passkey' : verdict
    return await sendSignIn(request, reply, { return_to, failure })
  })

  app.get('/sign-out', async (request, reply) => {
    const body = html`
<h1>Sign out?</h1>
<p>To use the portal in this browser again, you will have to sign in.</p>
<form method="post" action="/sign-out"><div class="actions"><button class="primary">Sign out</button>
<a class="button" href="/">Stay signed in</a></div></form>`
    return sendPage(reply, 200, { title: 'Sign out', body, brand: await brandOfHost(context, request.host) })
  })

  app.post('/sign-out', async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    const session = await readSession(context, presentedSession(request))
    if (session) await signOut(context, session, sourceOf(request))
    reply.header('set-cookie', expiredSessionCookie(context))
    return seeOther(reply, '/sign-in?signed_out=1')
  })
}

type Failure = 'wrong' | 'wrong_passkey' | 'too_many'

const statuses: Record<Failure, number> = { wrong: 401, wrong_passkey: 401, too_many: 429 }

const sentences: Record<Failure, string> = {
  wrong: 'This email and password do not match. Check both and try again.',
  wrong_passkey: 'This passkey was not accepted. Try again, or sign in with your password.',
  too_many:
    'Too many attempts to sign in. Wait ten minutes, or ask an administrator of your organization for a link to set a new password.',
}

interface AskedSignIn {
  return_to: string
  email?: string | undefined
  again?: boolean
  signedOut?: string | undefined
  failure?: Failure
}

interface SignInPage extends AskedSignIn {
  brand: Brand
  /** Null on a host that has no passkeys. */
  options: PublicKeyCredentialRequestOptionsJSON | null
  asking: Content
  /** Whether a link for a new password can be sent. */
  mail: boolean
}

const askAdministrator =
  'Forgot your password? An administrator of your organization can give you a link to set a new one.'
const setNew = html`<a href="${forgottenPasswordPath}">Forgot your password?</a>`

function signInPage(page: SignInPage) {
  const { brand, return_to, email, again = false, signedOut, failure, asking, mail, options } = page
  const body = html`
<h1>Sign in</h1>
<p class="quiet">${again ? 'To continue, confirm your identity or use another account.' : `to ${brand.name}`}</p>
${asking}
${signedOut && html`<div class="note" role="status"><p>You are signed out.</p></div>`}
${failure && html`<div class="alert" role="alert"><p>${sentences[failure]}</p></div>`}
<form method="post" action="/sign-in">
<input type="hidden" name="return_to" value="${return_to}">
<div class="field"><label>Email
<input type="email" name="email" value="${email}" autocomplete="username${options && ' webauthn'}" required ${!email && autofocus}></label></div>
<div class="field"><label>Password
<input type="password" name="password" autocomplete="current-password" required ${email && autofocus}></label></div>
<div class="actions"><button class="primary">Sign in</button></div>
</form>
${options && withPasskey(options, return_to, failure === undefined)}
<p class="quiet small">${mail ? setNew : askAdministrator}</p>`
  return { title: 'Sign in', body, brand }
}

/** Not offered at the email field after a failure: what failed would be sent again at once. */
function withPasskey(options: PublicKeyCredentialRequestOptionsJSON, return_to: string, autofill: boolean): Content {
  const fields = html`<input type="hidden" name="return_to" value="${return_to}">`
  const button = html`<div class="actions stacked"><button>Use a passkey</button></div>`
  return passkeyForm({ action: passkeyPath, options, autofill, fields, button })
}

const autofocus = html`autofocus`
