import type { App } from '../../platform/http/app.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { Parameters, readQuery } from '../../platform/http/form.ts'
import { requireOwnOrigin } from '../../platform/http/origin.ts'
import { type Content, html } from '../../platform/pages/html.ts'
import { type Brand, seeOther, sendPage } from '../../platform/pages/page.ts'
import { expiredSessionCookie, presentedSession, readSession } from '../accounts/sessions.ts'
import { type SignInVerdict, signIn } from '../accounts/sign-in.ts'
import { signOut, sourceOf } from '../accounts/sign-in-events.ts'
import { continueAfterSignIn } from '../accounts/weak-passwords.ts'
import type { Context } from '../context.ts'
import { brandOfHost } from '../partners/branding.ts'
import { forgottenPasswordPath } from './forgotten-password-routes.ts'

/** What the sign-in page says about the page to return to; null for most. */
export type Describe = (returnTo: string) => Promise<Content>

export function signInRoutes(app: App, context: Context, describe: Describe): void {
  app.get('/sign-in', async (request, reply) => {
    const query = readQuery(request.url)
    const return_to = safeReturnTo(query.get('return_to'))
    // An application asked for a new sign-in.
    const again = query.get('again') !== undefined
    if (!again && (await readSession(context, presentedSession(request)))) return seeOther(reply, return_to)
    const brand = await brandOfHost(context, request.host)
    const email = query.get('login_hint')?.slice(0, 254)
    const asking = await describe(return_to)
    const signedOut = query.get('signed_out')
    return sendPage(
      reply,
      200,
      signInPage({ brand, return_to, email, again, signedOut, asking, mail: context.mail.enabled }),
    )
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
    if (result.verdict !== 'signed_in') {
      const brand = await brandOfHost(context, request.host)
      const asking = await describe(return_to)
      const page = signInPage({ brand, return_to, email, failure: result.verdict, asking, mail: context.mail.enabled })
      return sendPage(reply, statuses[result.verdict], page)
    }
    const next = await continueAfterSignIn(context, result.user_id, return_to)
    return seeOther(reply.header('set-cookie', result.cookies), next)
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

type Failure = Exclude<SignInVerdict['verdict'], 'signed_in'>

const statuses: Record<Failure, number> = { wrong: 401, too_many: 429 }

const sentences: Record<Failure, string> = {
  wrong: 'This email and password do not match. Check both and try again.',
  too_many:
    'Too many attempts to sign in. Wait ten minutes, or ask an administrator of your organization for a link to set a new password.',
}

interface SignInPage {
  brand: Brand
  return_to: string
  email?: string | undefined
  again?: boolean
  signedOut?: string | undefined
  failure?: Failure
  asking: Content
  /** Whether a link for a new password can be sent. */
  mail: boolean
}

const askAdministrator =
  'Forgot your password? An administrator of your organization can give you a link to set a new one.'
const setNew = html`<a href="${forgottenPasswordPath}">Forgot your password?</a>`

function signInPage({ brand, return_to, email, again = false, signedOut, failure, asking, mail }: SignInPage) {
  const body = html`
<h1>Sign in</h1>
<p class="quiet">${again ? 'To continue, confirm your identity or use another account.' : `to ${brand.name}`}</p>
${asking}
${signedOut && html`<div class="note" role="status"><p>You are signed out.</p></div>`}
${failure && html`<div class="alert" role="alert"><p>${sentences[failure]}</p></div>`}
<form method="post" action="/sign-in">
<input type="hidden" name="return_to" value="${return_to}">
<div class="field"><label>Email
<input type="email" name="email" value="${email}" autocomplete="username" required ${!email && autofocus}></label></div>
<div class="field"><label>Password
<input type="password" name="password" autocomplete="current-password" required ${email && autofocus}></label></div>
<div class="actions"><button class="primary">Sign in</button></div>
</form>
<p class="quiet small">${mail ? setNew : askAdministrator}</p>`
  return { title: 'Sign in', body, brand }
}

const autofocus = html`autofocus`

/** The path to continue at after signing in: one of this host, else the portal. Anything else would be an open redirect. */
export function safeReturnTo(value: string | undefined): string {
  // One slash, then printable ASCII without backslashes: browsers read `//` and `/\` as another host, and drop control characters.
  if (!value || value.length > 2_048 || !/^\/(?!\/)[!-~]*$/.test(value) || value.includes('\\')) return portal
  return URL.parse(value, here)?.origin === here ? value : portal
}

const portal = '/'
const here = 'http://here.invalid'
