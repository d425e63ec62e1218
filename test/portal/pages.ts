import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import type { Scene } from '../support/portal-scene.ts'

export interface PortalPage {
  name: string
  path: string
  /** Used in the README or the docs. */
  docs?: boolean
  /** Waits until the page has its content. */
  ready: (page: Page) => Promise<unknown>
  /** Waits until it is worth a screenshot. */
  picture?: (page: Page) => Promise<unknown>
}

/** In the content: the navigation has some of these words too. */
const text = (wanted: string) => (page: Page) => page.locator('main').getByText(wanted).first().waitFor()

const image = (name: RegExp) => (page: Page) => page.getByRole('img', { name }).waitFor()

const chart = (page: Page) => page.locator('canvas').first().waitFor()

/** Every page of the three portals, with content. */
export function pagesOf({
  customer,
  partner,
  devices,
  application,
  model,
  webhook,
  administrator,
  site,
  mail,
}: Scene): PortalPage[] {
  const atCustomer = (path: string) => `/customer/${customer.id}${path}`
  const atPartner = (path: string) => `/partner/${partner.id}${path}`
  const device = devices[0]!
  return [
    { name: 'customer-overview', path: atCustomer(''), ready: text('Recent activity'), docs: true },
    { name: 'customer-devices', path: atCustomer('/devices'), ready: text('Lobby'), docs: true },
    {
      name: 'customer-device',
      path: atCustomer(`/devices/${device.id}`),
      ready: text('temperature'),
      picture: chart,
      docs: true,
    },
    {
      name: 'customer-device-messages',
      path: atCustomer(`/devices/${device.id}?tab=messages`),
      ready: (page) => page.getByRole('button', { name: 'Copy message' }).first().waitFor(),
    },
    { name: 'customer-claim', path: atCustomer('/claim'), ready: text('Serial number'), docs: true },
    { name: 'customer-claim-list', path: atCustomer('/claim?from=list'), ready: text('one device per line') },
    { name: 'customer-spaces', path: atCustomer('/spaces'), ready: text('Ground floor') },
    {
      name: 'customer-space',
      path: atCustomer(`/spaces/${site.id}`),
      ready: text('Spaces inside'),
      picture: chart,
      docs: true,
    },
    { name: 'customer-commands', path: atCustomer('/commands'), ready: text('No commands yet') },
    { name: 'customer-templates', path: atCustomer('/setting-templates'), ready: text('No templates yet') },
    { name: 'customer-users', path: atCustomer('/users'), ready: text('Ben Okri') },
    { name: 'customer-groups', path: atCustomer('/groups'), ready: text('Facility team') },
    { name: 'customer-access', path: atCustomer('/access'), ready: text('Administrator') },
    { name: 'customer-apps', path: atCustomer('/settings/connected-apps'), ready: text(application.name), docs: true },
    { name: 'customer-keys', path: atCustomer('/settings/api-keys'), ready: text('No API keys yet') },
    { name: 'customer-sign-in', path: atCustomer('/settings/sign-in'), ready: text('Who has one') },
    { name: 'customer-audit', path: atCustomer('/settings/audit-log'), ready: text('Device claimed') },
    { name: 'partner-start', path: atPartner(''), ready: text('Your test tenant'), docs: true },
    { name: 'partner-applications', path: atPartner('/applications'), ready: text(application.name) },
    {
      name: 'partner-application',
      path: atPartner(`/applications/${application.client_id}`),
      ready: text('How to connect'),
    },
    {
      name: 'partner-application-uris',
      path: atPartner(`/applications/${application.client_id}?tab=redirect-uris`),
      ready: text('must match one of these exactly'),
    },
    {
      name: 'partner-application-permissions',
      path: atPartner(`/applications/${application.client_id}?tab=permissions`),
      ready: text('Permissions it asks for'),
    },
    {
      name: 'partner-application-secrets',
      path: atPartner(`/applications/${application.client_id}?tab=secrets`),
      ready: text('Prefix'),
    },
    { name: 'partner-models', path: atPartner('/models'), ready: text(model.name) },
    { name: 'partner-model', path: atPartner(`/models/${model.id}`), ready: text('Once per device') },
    {
      name: 'partner-model-dictionary',
      path: atPartner(`/models/${model.id}?tab=dictionary`),
      ready: text('Labels, units and meanings'),
    },
    {
      name: 'partner-model-commands',
      path: atPartner(`/models/${model.id}?tab=commands`),
      ready: text('No commands yet'),
    },
    {
      name: 'partner-model-keys',
      path: atPartner(`/models/${model.id}?tab=hardware-keys`),
      ready: text('Anyone with the model ID'),
      docs: true,
    },
    { name: 'partner-fleet', path: atPartner('/devices'), ready: text('T2-1001') },
    { name: 'partner-device', path: atPartner(`/devices/${device.id}`), ready: text('temperature') },
    { name: 'partner-playground', path: atPartner('/playground'), ready: text('Client secret') },
    { name: 'partner-simulator', path: atPartner('/simulator'), ready: text('Register simulated device') },
    {
      name: 'partner-log',
      path: atPartner('/integration-log'),
      ready: text('Failed requests of your applications'),
      docs: true,
    },
    { name: 'partner-webhooks', path: atPartner('/webhooks'), ready: text('cloud.northwind.example') },
    { name: 'partner-webhook', path: atPartner(`/webhooks/${webhook.id}`), ready: text('Send again') },
    { name: 'partner-company', path: atPartner('/company'), ready: text('Check now') },
    { name: 'partner-people', path: atPartner('/people'), ready: text('Last member') },
    { name: 'partner-keys', path: atPartner('/api-keys'), ready: text('No API keys yet') },
    { name: 'partner-audit', path: atPartner('/audit-log'), ready: text('Model created') },
    { name: 'guide-portals', path: '/help/portals', ready: text('Customer portal') },
    { name: 'guide-integrate', path: '/help/integrate', ready: text('Connect an organization') },
    { name: 'guide-operate', path: '/help/operate', ready: text('Two ways to run it') },
    {
      name: 'operator-overview',
      path: '/operator',
      ready: image(/succeeded: [1-9]/),
      picture: image(/succeeded: ([7-9]|\d\d)/),
      docs: true,
    },
    { name: 'operator-partners', path: '/operator/partners', ready: text('localhost:') },
    { name: 'operator-partner', path: `/operator/partners/${partner.id}`, ready: text('Harbour Hotels') },
    { name: 'operator-applications', path: '/operator/applications', ready: text(application.name) },
    {
      name: 'operator-application',
      path: `/operator/applications/${application.client_id}`,
      ready: text('Connected customers'),
    },
    { name: 'operator-customers', path: '/operator/customers', ready: text('Harbour Hotels') },
    { name: 'operator-customer', path: `/operator/customers/${customer.id}`, ready: text('Ben Okri') },
    { name: 'operator-people', path: '/operator/people', ready: text('Ben Okri') },
    { name: 'operator-person', path: `/operator/people/${administrator.id}`, ready: text('Harbour Hotels') },
    { name: 'operator-invitations', path: '/operator/invitations', ready: text('No pending invitations') },
    { name: 'operator-requests', path: '/operator/requests', ready: text('Requested') },
    { name: 'operator-mails', path: '/operator/mails', ready: text(mail ? 'Test mail' : 'No mail server') },
    ...(mail ? [{ name: 'operator-mail', path: `/operator/mails/${mail.id}`, ready: text('Attempts') }] : []),
    { name: 'operator-keys', path: '/operator/signing-keys', ready: text('Signing') },
    { name: 'operator-limits', path: '/operator/limits', ready: text('Authorization endpoint') },
    { name: 'operator-audit', path: '/operator/audit-log', ready: text('Partner created') },
  ]
}

/** The paths of the router: `/customer/:customerId/devices/:deviceId`. */
export async function routes(): Promise<string[]> {
  const source = await readFile(new URL('../../portal/src/pages.ts', import.meta.url), 'utf8')
  const bases: Record<string, string> = { customer: '/customer/:id', partner: '/partner/:id', operator: '/operator' }
  const lists = [...source.matchAll(/^export const (\w+)Pages = \[\n(.*?)^\]/gms)]
  return lists.flatMap(([, portal, pages]) => [
    bases[portal!]!,
    ...[...pages!.matchAll(/ page\('([^']+)'/g)].map(([, path]) => `${bases[portal!]!}/${path}`),
  ])
}
