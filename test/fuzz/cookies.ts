// Cookie headers around a session that is valid: only the session itself, whole and under its own name, is let in.
import type { Random } from '../histories/record/random.ts'
import type { Source } from './kinds.ts'
import { oddText } from './odd-text.ts'
import type { Reply } from './wire.ts'
import type { Worlds } from './worlds.ts'

/** Each 200 only for somebody who is signed in. */
const paths = ['/account', '/core/v1/organization/info', '/core/v1/organization/devices', '/core/v1/partner/info']
const open = ['/', '/sign-in', '/consent', '/core/v1/session']
const sessionName = 'landbridge'
const names = [
  sessionName,
  'landbridge-known',
  'landbridge_scheme',
  '__Host-landbridge',
  'LANDBRIDGE',
  'x',
  '',
  '__proto__',
]

export function cookiesSource(worlds: Worlds): Source {
  let turn = 0
  return (random) => {
    turn += 1
    const { tenant, visitor } = worlds.take(turn)
    const path = random.pick(random.chance(0.7) ? paths : open)
    const api = path.includes('partner') ? tenant.credentials.partner : tenant.credentials.organization
    const right = path.startsWith('/core/') ? api.session! : visitor.headers
    const cookies = cookieHeaders(random, right.cookie!)
    const judge = (reply: Reply) => (paths.includes(path) ? faultOf(reply, cookies, right.cookie!) : null)
    const headers = [['host', right.host!], ...cookies.map((cookie) => ['cookie', cookie])] as [string, string][]
    return { operation: `cookies at ${path}`, shot: { method: 'GET', url: path, headers }, judge }
  }
}

function faultOf({ status }: Reply, sent: string[], right: string): string | null {
  const secret = pairsOf(right).find((pair) => pair.startsWith(`${sessionName}=`))
  const presented = sent.flatMap(pairsOf)
  return status === 200 && (!secret || !presented.includes(secret)) ? 'let in without the session' : null
}

const pairsOf = (header: string) => header.split(';').map((pair) => pair.trim())

function cookieHeaders(random: Random, right: string): string[] {
  const pairs = pairsOf(right).map((pair) => (random.chance(0.7) ? pair : damaged(random, pair)))
  const more = Array.from({ length: random.chance(0.05) ? 400 : random.integer(0, 4) }, () => oddPair(random))
  const all = random.chance(0.5) ? [...more, ...pairs] : [...pairs, ...more]
  const separator = random.pick(['; ', '; ', '; ', ';', ',', ';;', ' ', ' ;\t', '&'])
  if (random.chance(0.05)) return all.map(headerText)
  return [headerText(all.join(separator))]
}

function oddPair(random: Random): string {
  const name = random.chance(0.7) ? random.pick(names) : oddText(random)
  return random.chance(0.1) ? name : `${name}=${random.chance(0.3) ? `"${oddText(random)}"` : oddText(random)}`
}

function damaged(random: Random, pair: string): string {
  const at = random.integer(0, pair.length - 1)
  const other = random.pick(['A', '=', '"', '%41', '\u00ff', ' ', ''])
  return random.pick([
    () => pair.slice(0, at),
    () => pair.slice(0, at) + other + pair.slice(at + 1),
    () => pair + pair,
    () => pair.toUpperCase(),
    () => pair.replace('=', '="').concat('"'),
    () => pair.replace('=', ' = '),
    () => pair.replace('=', `=${'a'.repeat(random.pick([1, 1_000, 15_000]))}`),
  ])()
}

/** Line breaks would make other headers of it; all other bytes are sent as they are. */
function headerText(text: string): string {
  const bytes = Buffer.from(text.replace(/[\r\n]/g, ''), 'utf8').toString('latin1')
  return bytes.slice(0, 15_500)
}
