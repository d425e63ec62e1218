// Forms and queries of the pages: nothing makes one fail, leads elsewhere, or comes back as markup.
import { existsSync } from 'node:fs'
import type { Random } from '../histories/record/random.ts'
import type { Source } from './kinds.ts'
import { oddText } from './odd-text.ts'
import type { Reply, Shot } from './wire.ts'
import type { Visitor, Worlds } from './worlds.ts'

const forms = ['/oauth/authorize', '/sign-in', '/consent', '/consent/ask', '/account', '/account/password', '/sign-out']
const others = [
  ...['/approval-requests', '/link/lbo_x', '/docs', '/docs/lab.json', '/favicon.ico', '/nowhere'],
  ...['/.well-known/security.txt', '/.well-known/openid-configuration', '/healthz', '/assets/x.js', '//'],
  ...['/pages/partners/{partner}/accent.css', '/pages/partners/{partner}/logo', '/pages/applications/{client}/logo'],
]
/** Rarely: each is large. */
const large = ['/openapi.json', '/metrics']
// Without the built portal these are 503, which says so.
const portal = existsSync(new URL('../../portal/dist/index.html', import.meta.url))
  ? ['/', '/customer', '/customer/x', '/partner', '/partner/x/y', '/help', '/help/x', '/operator', '/operator/x']
  : []

const parameters = [
  ...['nonce', 'prompt', 'max_age', 'login_hint', 'request', 'request_uri', 'state', 'scope', 'x', 'account', 'again'],
  ...['email', 'password', 'return_to', 'customer_id', 'decision', 'name', 'new_password', 'repeated_password', 'v'],
]
const usual = [
  'approve',
  'decline',
  'none',
  'login',
  'consent',
  '/',
  '/account',
  '//evil.test',
  'https://evil.test/',
  '0',
]

export function pagesSource(worlds: Worlds): Source {
  let turn = 0
  return (random) => {
    turn += 1
    const { visitor } = worlds.take(turn)
    const path = random.pick(random.chance(0.6) ? forms : random.chance(0.01) ? large : [...others, ...portal])
    const shot = pageShot(random, visitor, path)
    return { operation: `${shot.method} ${path}`, shot, judge }
  }
}

function pageShot(random: Random, visitor: Visitor, path: string): Shot {
  const method = random.weighted({ GET: 50, POST: 45, HEAD: 2, OPTIONS: 1, PUT: 1, DELETE: 1 })
  const fields = fieldsOf(random, visitor)
  const real = path.replace('{partner}', visitor.partner_id).replace('{client}', visitor.client_id)
  const sent = method === 'POST' && random.chance(0.9)
  const url = sent && random.chance(0.9) ? real : `${real}?${fields}`
  return { method, url, headers: headersOf(random, visitor, sent), ...(sent ? { payload: fields } : {}) }
}

function fieldsOf(random: Random, { known }: Visitor): string {
  const kept = known.filter(() => random.chance(0.6))
  const odd = Array.from({ length: random.integer(0, 5) }, (): [string, string] => [
    random.chance(0.85) ? random.pick(parameters) : oddText(random),
    random.chance(0.4) ? random.pick(usual) : oddText(random),
  ])
  const pairs = [...kept, ...odd].map(([name, value]) => `${encode(name)}=${encode(value)}`)
  // A parameter that is there twice, with one value or two.
  if (pairs.length > 0 && random.chance(0.15)) pairs.push(random.pick(pairs))
  return pairs.join('&')
}

function headersOf(random: Random, visitor: Visitor, form: boolean): [string, string][] {
  const { host, origin, cookie } = visitor.headers as Record<'host' | 'origin' | 'cookie', string>
  const type = random.chance(0.95) ? 'application/x-www-form-urlencoded' : random.pick(['text/plain', '', 'a/b; c="'])
  const more: [string, string][] = [
    ['accept', random.pick(['text/html', '*/*', 'application/json', '', 'text/html;q=x'])],
    ['sec-fetch-mode', random.pick(['navigate', 'cors', ''])],
    ['if-none-match', random.pick(['*', '"x"', 'W/"'])],
    ['range', 'bytes=5-1'],
    ['accept-language', oddText(random).replace(/[^\x20-\x7e]/g, '')],
  ]
  return [
    ['host', random.chance(0.95) ? host : random.pick(['acme.test', 'a b', '[::1', '', 'x:99999', '*'])],
    ...(random.chance(0.9) ? [['cookie', cookie] as [string, string]] : []),
    ...(form ? [['content-type', type] as [string, string]] : []),
    ['origin', random.chance(0.95) ? origin : random.pick(['null', 'https://evil.test', '', 'x'])],
    ...more.filter(() => random.chance(0.15)),
  ]
}

const known = /^(\/(?![/\\])|http:\/\/(acme|landbridge)\.test(\/|$)|https:\/\/app\.example\.com\/callback\?)/

function judge({ headers, body }: Reply): string | null {
  if (body.includes('<script>x</script>') || body.includes('"><i>'))
    return `what was sent is markup: ${body.slice(0, 300)}`
  const { location } = headers
  return location === undefined || known.test(location) ? null : `leads to ${location}`
}

/** What is half encoded already stays so: a lone `%` or a broken byte must reach the parser as such. */
function encode(value: string): string {
  return /^%[\w%]*$/.test(value) ? value : encodeURIComponent(value.toWellFormed())
}
