// The reads of the start pages, sent before the code that needs them has arrived: otherwise each waits for the file, the
// session and the page in turn. `request` in http.ts takes the responses.
import type { Responses } from './generated.ts'
import { homeOf } from './home.ts'

type Session = Responses['GET /core/v1/session']
type Headers = Record<string, string>

const customerReads = ['/info', '/audit-events?limit=10', '/devices/attention?limit=4']
const partnerReads = ['/info', '/progress', '/devices/counts']
const operatorReads = [
  ...['/core/v1/operator/audit-events?limit=8', '/core/v1/operator/signing-keys'],
  ...['/core/v1/operator/applications?limit=100', '/metrics'],
]

export const operatorKeyName = 'landbridge.operator-key'

const sent = new Map<string, Promise<Response>>()

/** After this, a response that nobody has asked for would be too old. */
const keptMilliseconds = 10_000

export function sendFirstReads(): void {
  const { pathname } = location
  if (pathname === '/operator') {
    const key = sessionStorage.getItem(operatorKeyName)
    if (key) for (const address of operatorReads) void send(address, { authorization: key })
  } else if (!/^\/(operator|help)(\/|$)/.test(pathname)) {
    void send('/core/v1/session').then(async (response) => {
      if (response?.ok) sendReadsOf(pathname, (await response.clone().json()) as Session)
    })
  }
}

/** Only what the session may read, so that no request is refused. */
function sendReadsOf(pathname: string, session: Session): void {
  const [, portal, id, ...rest] = (pathname === '/' ? (homeOf(session) ?? '/') : pathname).split('/')
  if (!id || rest.join('') !== '') return
  const customer = session.customers.find((one) => one.id === id)
  if (portal === 'customer' && customer?.role === 'administrator')
    for (const path of customerReads) void send(`/core/v1/organization${path}`, { 'landbridge-customer': id })
  if (portal === 'partner' && session.partners.some((one) => one.id === id))
    for (const path of partnerReads) void send(`/core/v1/partner${path}`, { 'landbridge-partner': id })
}

/** Nothing if it failed: whoever takes the response reports that. */
function send(address: string, headers: Headers = {}): Promise<Response | undefined> {
  const response = fetch(address, { headers: { accept: 'application/json', ...headers }, credentials: 'same-origin' })
  const name = nameOf(address, headers)
  sent.set(name, response)
  setTimeout(() => sent.delete(name), keptMilliseconds)
  return response.catch(() => undefined)
}

/** The response to this read, if it was sent early; only once, since the next read wants newer data. */
export function takeFirstRead(address: string, headers: Headers = {}): Promise<Response> | undefined {
  const name = nameOf(address, headers)
  const response = sent.get(name)
  sent.delete(name)
  return response
}

/** Once something changes, no response from before it may be shown. */
export function forgetFirstReads(): void {
  sent.clear()
}

function nameOf(address: string, headers: Headers): string {
  const caller = ['landbridge-customer', 'landbridge-partner', 'authorization'].map((name) => headers[name] ?? '')
  return [address, ...caller].join(' ')
}
