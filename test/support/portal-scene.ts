// Data for tests and screenshots: a partner, its customer, people, spaces, devices with telemetry, and an application.
import { createHash, randomBytes } from 'node:crypto'
import { type BelievableDevice, deviceAt } from '../../server/src/cli/simulate/believable-devices.ts'
import { callApi, PortalSession } from '../../server/src/cli/simulate/portal-session.ts'

export interface Scene {
  url: string
  operatorKey: string
  password: string
  partner: { id: string; lab_customer_id: string }
  customer: { id: string; name: string }
  application: { client_id: string; client_secret: string; name: string }
  model: { id: string; hardware_key: string; name: string }
  devices: SceneDevice[]
  /** An administrator of the customer and a member of the partner. */
  admin: PortalSession
  /** The person who is that administrator. */
  administrator: { id: string }
  /** Only a member of the customer. */
  member: { email: string }
  /** The application's tokens for the customer. */
  tokens: { access_token: string; refresh_token: string }
  /** Of the partner; nobody listens at its address. */
  webhook: { id: string }
  /** The space with floors and rooms. */
  site: { id: string }
  /** A test of the operator; null where the service has no mail. */
  mail: { id: string } | null
}

export interface SceneDevice {
  id: string
  access_key: string
  mac: string
  sn: string
  name: string
  /** What it measures. */
  readingAt: BelievableDevice['readingAt']
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
// biome-ignore lint/suspicious/noExplicitAny: any response of the service
type Json = any

const password = 'correct horse battery'
/** On a phone it needs several lines. */
const longPath = 'landbridge/production-europe-west/harbour-hotels-and-restaurants/callback'
const rooms = ['Lobby', 'Kitchen', 'Room 101', 'Room 102', 'Room 103', 'Roof terrace', 'Boiler room', 'Conference hall']

/** A picture of 48 by 48 pixels. */
const square =
  'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAIAAADYYG7QAAAAhklEQVR42u3X0QnAMAhFUTfpiB28Q9gJStpnlAe9ks9IDglEjeO8rFYAAgQIECBAg6B8jmlQvosJUH6PRlCq0QJaHrnFVAUVd+og4QDNJIL6sqLpeuTE6LseLRfQdlCxzvBkgDz+Ibuf2rGW2VV7x37IrmN07Kkdpw7TuYxRGhAgQID+C7oBVSom4tAWWpoAAAAASUVORK5CYII='

export async function fillScene(url: string, operatorKey: string): Promise<Scene> {
  const operator = (method: Method, path: string, body?: object) =>
    callApi(`${url}/core/v1/operator${path}`, method, body, { authorization: operatorKey })
  const { host } = new URL(url)
  const person = { name: 'Ada Byron', email: 'ada@northwind.example', password }
  const partner = await operator('POST', '/partners', {
    name: 'Northwind Controls',
    portal_domain: host,
    admin: person,
  })
  const application = await operator('POST', `/partners/${partner.id}/applications`, {
    name: 'Northwind Insights',
    redirect_uris: [
      'https://insights.northwind.example/callback',
      `${url}/partner/playground`,
      `https://insights.northwind.example/${longPath}`,
    ],
  })
  const customer = await operator('POST', '/customers', { partner_id: partner.id, name: 'Harbour Hotels' })
  const member = { name: 'Ben Okri', email: 'ben@harbour.example', password }
  await operator('POST', `/customers/${customer.id}/groups`, { name: 'Facility team' })
  const invitation = await operator('POST', `/customers/${customer.id}/users`, { ...person, role: 'administrator' })
  await operator('POST', `/customers/${customer.id}/users`, { ...member, role: 'member', groups: ['Facility team'] })

  const admin = await PortalSession.signIn(url, person.email, password)
  const { user: administrator } = await admin.call('GET', '/core/v1/session')
  const { link } = await operator('POST', `/invitations/${invitation.id}/link`)
  await admin.submit(new URL(link).pathname, { join: '1' })
  const asPartner = { 'landbridge-partner': partner.id }
  const asCustomer = { 'landbridge-customer': customer.id }
  const model = await admin.call(
    'POST',
    '/core/v1/partner/models',
    // Its devices stay online for the whole run, however long a busy machine takes.
    { name: 'Thermostat T2', authentication_method: 'MAC & Serial Number', offline_after_seconds: 3_600 },
    asPartner,
  )
  const organization = (method: Method, path: string, body?: object) =>
    admin.call(method, `/core/v1/organization${path}`, body, asCustomer)
  const site = await organization('POST', '/spaces', { name: 'Harbour Hotel Oslo' })
  const floors = await Promise.all(
    ['Ground floor', 'First floor'].map((name) => organization('POST', '/spaces', { name, parent_id: site.id })),
  )
  await organization('POST', '/spaces', { name: 'Harbour Hotel Bergen' })

  const devices: SceneDevice[] = []
  for (const [index, name] of rooms.entries()) {
    const { readingAt } = deviceAt('scene', index, { kinds: ['thermostat'] })
    const mac = `02:00:5e:10:00:${(16 + index).toString(16)}`
    const sn = `T2-${1001 + index}`
    const device_model = model.id
    const registered = await callApi(`${url}/v1/devices`, 'POST', {
      ...{ device_model, hardware_key: model.hardware_key, mac, sn, firmware_version: '1.4.2' },
    })
    devices.push({ id: registered.id, access_key: registered.access_key, mac, sn, name, readingAt })
    // The last one stays unclaimed.
    if (index === rooms.length - 1) continue
    const space_id = floors[index % 2].id
    await organization('POST', '/devices/claim', { mac, sn, model_id: model.id, name, space_id })
  }
  await sendHours(url, devices.slice(0, 6))

  const tokens = await connect(url, admin, { application, customer })
  await admin.call('PUT', '/core/v1/partner/domain', { domain: 'northwind-controls.com' }, asPartner)
  const look = { home_page: 'https://insights.northwind.example', logo: { type: 'image/png', data: square } }
  await admin.call('PATCH', `/core/v1/partner/applications/${application.client_id}`, look, asPartner)
  const hook = { url: `https://cloud.northwind.example/${longPath}`, events: ['device.registered', 'grant.revoked'] }
  const webhook = await admin.call('POST', '/core/v1/partner/webhooks', hook, asPartner)
  await admin.call('POST', `/core/v1/partner/webhooks/${webhook.id}/test`, {}, asPartner)
  const { state: mailState } = await operator('GET', '/mail-server')
  const mail = mailState === 'none' ? null : await operator('POST', '/mails/test', { to: member.email })
  return {
    ...{ url, operatorKey, password, admin, administrator, customer, model, devices, tokens, webhook, site, mail },
    partner: { id: partner.id, lab_customer_id: partner.lab.customer_id },
    application: { ...application, name: 'Northwind Insights' },
    member: { email: member.email },
  }
}

/** Three hours of telemetry every five minutes, ending now, in one request. */
async function sendHours(url: string, devices: SceneDevice[]): Promise<void> {
  const now = Date.now()
  const times = Array.from({ length: 37 }, (_, index) => new Date(now - (36 - index) * 300_000))
  const messages = times.flatMap((at) =>
    devices.map(({ id, access_key, readingAt }, index) => {
      const { telemetries } = readingAt(at)
      return { id, access_key, timestamp: at.toISOString(), status: index === 4 ? 'error' : 'online', telemetries }
    }),
  )
  await callApi(`${url}/v1/devices/telemetry`, 'POST', { devices: messages })
}

/** Submits the consent screen, then exchanges the code for tokens. */
async function connect(
  url: string,
  admin: PortalSession,
  { application, customer }: { application: Json; customer: Json },
): Promise<{ access_token: string; refresh_token: string }> {
  const verifier = randomBytes(32).toString('base64url')
  const redirect_uri = application.redirect_uris[0]
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: application.client_id, redirect_uri, scope: 'openid profile email' },
    ...{ state: 'scene', code_challenge_method: 'S256' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  })
  let address = `${url}/oauth/authorize?${query}`
  const headers = { cookie: admin.cookie, origin: url }
  let response = await fetch(address, { headers, redirect: 'manual' })
  while (response.status === 303) {
    address = new URL(response.headers.get('location')!, address).href
    response = await fetch(address, { headers, redirect: 'manual' })
  }
  const page = await response.text()
  const form = new URLSearchParams()
  for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)) {
    form.set(name!, value!)
  }
  form.set('customer_id', customer.id)
  // As a browser sends what is checked: without it the screen would have shown an approval that exists.
  form.set(`where_${customer.id}`, 'everywhere')
  form.set('decision', 'approve')
  const action = new URL(/<form method="post" action="([^"]+)"/.exec(page)![1]!.replaceAll('&#38;', '&'), address)
  const decided = await fetch(action, { method: 'POST', headers, body: form, redirect: 'manual' })
  const back = new URL(decided.headers.get('location')!)
  const tokens = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      ...{
        grant_type: 'authorization_code',
        code: back.searchParams.get('code')!,
        code_verifier: verifier,
        redirect_uri,
      },
      ...{ client_id: application.client_id, client_secret: application.client_secret },
    }),
  })
  return (await tokens.json()) as { access_token: string; refresh_token: string }
}
