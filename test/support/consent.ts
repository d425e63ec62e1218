import { createHash, randomBytes } from 'node:crypto'
import { nextAddress, password, type TestApplication } from './applications.ts'
import { Browser, type Visit } from './form-browser.ts'
import type { Harness } from './harness.ts'

type ApplicationIds = Pick<TestApplication, 'client_id' | 'redirect_uri'>

/** A code with all that its exchange needs. */
export interface WalkedCode {
  code: string
  code_verifier: string
  redirect_uri: string
  state: string
  iss: string
}

export interface Walk {
  /** Who signs in; the application's own administrator by default. */
  email?: string
  password?: string
  /** Which row is chosen; the one that is preselected, or else the first, by default. */
  customer_id?: string
  /** Further parameters of the authorization request, or other values; undefined leaves one out. */
  parameters?: Record<string, string | undefined>
  browser?: Browser
}

/** The path of an authorization request that is in order, but for what `changes` says. */
export function authorizePath(application: ApplicationIds, changes: Record<string, string | undefined> = {}): string {
  const parameters = {
    response_type: 'code',
    client_id: application.client_id,
    redirect_uri: application.redirect_uri,
    scope: 'openid profile email',
    state: 'state of the client',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...changes,
  }
  const present = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `/oauth/authorize?${new URLSearchParams(present)}`
}

/** What the consent page holds: the request's secret, the rows that can be chosen, and which is chosen already. */
export function readConsent({ body }: Visit): { request: string; customer_ids: string[]; chosen: string | null } {
  const radios = [...body.matchAll(/<input type="radio" name="customer_id" value="([^"]+)"([^>]*)>/g)]
  return {
    request: /name="request" value="([^"]+)"/.exec(body)?.[1] ?? '',
    customer_ids: radios.map(([, id]) => id!),
    chosen: radios.find(([, , attributes]) => attributes!.includes('checked'))?.[1] ?? null,
  }
}

/** Where a sign-in page leads on to; null for any other page. */
export function readSignIn({ body }: Visit): string | null {
  const returnTo = /action="\/sign-in"[\s\S]*?name="return_to" value="([^"]+)"/.exec(body)?.[1]
  return returnTo?.replaceAll('&#38;', '&') ?? null
}

/**
 * From an application's own page over real sockets: follows every redirect, signs in and decides on the consent screen,
 * and ends at the first page that asks nothing, or in front of an address that starts with `until`.
 */
export async function walkOverNetwork(
  start: string | URL,
  person: { email: string; password: string },
  { until = '', decision = 'approve', browser = new Browser('network') } = {},
): Promise<{ url: URL; visit: Visit | null }> {
  let url = new URL(start)
  let form: { action: string; fields: Record<string, string> } | null = null
  for (let step = 0; step < 20; step += 1) {
    if (until && url.href.startsWith(until)) return { url, visit: null }
    const visit: Visit = form ? await browser.post(url.href, form.fields) : await browser.get(url.href)
    if (visit.location) {
      form = null
      url = new URL(visit.location, url)
      continue
    }
    form = nextForm(visit, person, decision)
    if (!form) return { url, visit }
    url = new URL(form.action, url)
  }
  throw new Error(`still on the way after 20 steps: ${url}`)
}

function nextForm(visit: Visit, { email, password }: { email: string; password: string }, decision: string) {
  const return_to = readSignIn(visit)
  if (return_to) return { action: '/sign-in', fields: { email, password, return_to } }
  const { request, customer_ids } = readConsent(visit)
  const [customer_id] = customer_ids
  return request && customer_id ? { action: '/consent', fields: { request, customer_id, decision } } : null
}

/** Authorize → sign in → the consent screen, as a browser without JavaScript goes. */
export async function walkToConsent(
  service: Harness,
  application: ApplicationIds & { email?: string },
  { email = application.email ?? '', password: secret = password, parameters = {}, browser }: Walk = {},
): Promise<{ browser: Browser; page: Visit }> {
  const visitor = browser ?? new Browser(service, { address: nextAddress() })
  let page = await visitor.follow(new URL(authorizePath(application, parameters), 'http://landbridge.test').href)
  const returnTo = readSignIn(page)
  if (returnTo) {
    const signedIn = await visitor.signIn({ email, password: secret }, returnTo)
    page = signedIn.location ? await visitor.follow(signedIn.location) : signedIn
  }
  return { browser: visitor, page }
}

/** The whole way of a person: authorize → sign in → consent → the code at the redirect URI. */
export async function walkToCode(
  service: Harness,
  application: ApplicationIds & { email?: string },
  walk: Walk = {},
): Promise<WalkedCode> {
  const codeVerifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(codeVerifier).digest('base64url')
  const parameters = { code_challenge, ...walk.parameters }
  const { browser, page } = await walkToConsent(service, application, { ...walk, parameters })
  const { request, customer_ids, chosen } = readConsent(page)
  const customer_id = walk.customer_id ?? chosen ?? customer_ids[0]
  if (!request || !customer_id) throw new Error(`No consent to give: ${page.status} ${page.location ?? page.body}`)
  const response = await browser.post('/consent', { request, customer_id, decision: 'approve' })
  const redirect = new URL(response.location ?? 'about:blank')
  const code = redirect.searchParams.get('code')
  if (!code) throw new Error(`No code: ${response.status} ${response.location ?? response.body}`)
  return {
    code,
    code_verifier: codeVerifier,
    redirect_uri: application.redirect_uri,
    state: redirect.searchParams.get('state') ?? '',
    iss: redirect.searchParams.get('iss') ?? '',
  }
}
