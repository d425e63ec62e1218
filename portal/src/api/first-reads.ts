// The reads of the start pages, sent before the code that needs them has arrived: otherwise each waits for the file, the
// session and the page in turn. A query takes what is there when it is created (`firstData`), so that the first render
// shows it; `request` in http.ts takes a response that is still on its way.
import { homeOf } from './home.ts'
import { type ResponseOf, urlOf } from './operations.ts'

type Session = ResponseOf<'GET /core/v1/session'>
type Headers = Record<string, string>

const memberReads = [
  urlOf('GET /core/v1/organization/permissions'),
  urlOf('GET /core/v1/organization/info'),
  urlOf('GET /core/v1/organization/devices/attention', { limit: 4 }),
]
const customerReads = [...memberReads.slice(1), urlOf('GET /core/v1/organization/audit-events', { limit: 10 })]
const partnerReads = [
  urlOf('GET /core/v1/partner/info'),
  urlOf('GET /core/v1/partner/progress'),
  urlOf('GET /core/v1/partner/devices/counts'),
]
const operatorReads = [
  urlOf('GET /core/v1/operator/audit-events', { limit: 8 }),
  urlOf('GET /core/v1/operator/signing-keys'),
  urlOf('GET /core/v1/operator/hub-cells'),
  urlOf('GET /core/v1/operator/waiting-requests'),
  '/metrics',
]

export const operatorKeyName = 'landbridge.operator-key'

/** A successful response, whose body has been read. */
export interface Arrived {
  text: string
  etag: string
  /** When it was read. */
  at: number
}

interface FirstRead {
  response: Promise<Response>
  arrived?: Arrived
}

const sent = new Map<string, FirstRead>()

/** After this, a response that nobody has asked for would be too old. */
const keptMilliseconds = 10_000

export function sendFirstReads(): void {
  const { pathname } = location
  if (pathname === '/operator') {
    const key = sessionStorage.getItem(operatorKeyName)
    if (!key) return
    for (const address of operatorReads) void send(address, { authorization: key })
    void send('/readyz')
  } else if (!/^\/(operator|help)(\/|$)/.test(pathname)) {
    void send(urlOf('GET /core/v1/session')).then((session) => {
      if (session) sendReadsOf(pathname, JSON.parse(session.text) as Session)
    })
  }
}

/** Only what the session may read, so that no request is refused. */
function sendReadsOf(pathname: string, session: Session): void {
  const [, portal, id, ...rest] = (pathname === '/' ? (homeOf(session) ?? '/') : pathname).split('/')
  if (!id || rest.join('') !== '') return
  const customer = session.customers.find((one) => one.id === id)
  const isAdministrator = customer?.role === 'administrator'
  const reads = isAdministrator ? customerReads : customer?.can_open_portal ? memberReads : []
  if (portal === 'customer') for (const address of reads) void send(address, { 'landbridge-customer': id })
  if (portal === 'partner' && session.partners.some((one) => one.id === id))
    for (const address of partnerReads) void send(address, { 'landbridge-partner': id })
}

/** Nothing if it failed: whoever takes the response reports that. */
async function send(address: string, headers: Headers = {}): Promise<Arrived | undefined> {
  const response = fetch(address, { headers: { accept: 'application/json', ...headers }, credentials: 'same-origin' })
  const read: FirstRead = { response }
  const name = nameOf(address, headers)
  sent.set(name, read)
  setTimeout(() => sent.delete(name), keptMilliseconds)
  try {
    const copy = (await response).clone()
    const text = await copy.text()
    if (copy.ok) read.arrived = { text, etag: copy.headers.get('etag') ?? '', at: Date.now() }
    return read.arrived
  } catch {
    return undefined
  }
}

/** The response to this read, if it was sent early; only once, since the next read wants newer data. */
export function takeFirstRead(address: string, headers: Headers = {}): Promise<Response> | undefined {
  return take(nameOf(address, headers))?.response
}

/** The same, if it succeeded and all of it is there. */
export function takeArrived(address: string, headers: Headers = {}): Arrived | undefined {
  const name = nameOf(address, headers)
  return sent.get(name)?.arrived && take(name)?.arrived
}

function take(name: string): FirstRead | undefined {
  const read = sent.get(name)
  sent.delete(name)
  return read
}

/** Options of a query: its first data, if a first read has brought it. `take` is called when the query is created. */
export function firstData<Data>(take: () => Arrived | undefined, parse: (arrived: Arrived) => Data) {
  let at: number | undefined
  return {
    initialData: () => {
      const arrived = take()
      at = arrived?.at
      return arrived && parse(arrived)
    },
    initialDataUpdatedAt: () => at,
  }
}

/** Once something changes, no response from before it may be shown. */
export function forgetFirstReads(): void {
  sent.clear()
}

function nameOf(address: string, headers: Headers): string {
  const caller = ['landbridge-customer', 'landbridge-partner', 'authorization'].map((name) => headers[name] ?? '')
  return [address, ...caller].join(' ')
}
