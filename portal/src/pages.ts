// Every page, by its path below the portal. In the small first file, which loads the page together with the portal.
import { type PageModule, page, startPage } from './page-module.ts'

/** The start pages are part of the portal's main file: most visits begin there. */
export const customerPages = [
  page('devices', () => import('./customer/devices.tsx'), 'Devices'),
  page('devices/:deviceId', () => import('./customer/device.tsx'), 'Device'),
  page('claim', () => import('./customer/claim.tsx'), 'Claim'),
  page('spaces', () => import('./customer/spaces.tsx'), 'Spaces'),
  page('spaces/:spaceId', () => import('./customer/space.tsx'), 'Space'),
  page('commands', () => import('./customer/commands.tsx'), 'Commands'),
  page('setting-templates', () => import('./customer/setting-templates.tsx'), 'SettingTemplates'),
  page('users', () => import('./customer/users.tsx'), 'Users'),
  page('groups', () => import('./customer/groups.tsx'), 'Groups'),
  page('access', () => import('./customer/access.tsx'), 'Access'),
  page('settings/connected-apps', () => import('./customer/connected-apps.tsx'), 'ConnectedApps'),
  page('settings/api-keys', () => import('./components/account/api-keys.tsx'), 'CustomerApiKeys'),
  page('settings/sign-in', () => import('./customer/sign-in-security.tsx'), 'SignInSecurity'),
  page('settings/audit-log', () => import('./customer/audit-log.tsx'), 'CustomerAuditLog'),
]

export const partnerPages = [
  page('applications', () => import('./partner/applications.tsx'), 'Applications'),
  page('applications/:clientId', () => import('./partner/application.tsx'), 'Application'),
  page('models', () => import('./partner/models.tsx'), 'Models'),
  page('models/:modelId', () => import('./partner/model.tsx'), 'Model'),
  page('devices', () => import('./partner/fleet.tsx'), 'Fleet'),
  page('devices/:deviceId', () => import('./partner/fleet-device.tsx'), 'FleetDevice'),
  page('playground', () => import('./partner/playground.tsx'), 'Playground'),
  page('simulator', () => import('./partner/simulator.tsx'), 'Simulator'),
  page('integration-log', () => import('./partner/integration-log.tsx'), 'IntegrationLog'),
  page('webhooks', () => import('./partner/webhooks.tsx'), 'Webhooks'),
  page('webhooks/:webhookId', () => import('./partner/webhook.tsx'), 'Webhook'),
  page('company', () => import('./partner/company.tsx'), 'Company'),
  page('people', () => import('./partner/people.tsx'), 'People'),
  page('api-keys', () => import('./components/account/api-keys.tsx'), 'PartnerApiKeys'),
  page('audit-log', () => import('./partner/audit-log.tsx'), 'PartnerAuditLog'),
]

export const operatorPages = [
  startPage('', () => import('./operator/overview.tsx'), 'Overview'),
  page('partners', () => import('./operator/partners.tsx'), 'Partners'),
  page('partners/:partnerId', () => import('./operator/partner.tsx'), 'Partner'),
  page('applications', () => import('./operator/applications.tsx'), 'Applications'),
  page('applications/:clientId', () => import('./operator/application.tsx'), 'Application'),
  page('customers', () => import('./operator/customers.tsx'), 'Customers'),
  page('customers/:customerId', () => import('./operator/customer.tsx'), 'Customer'),
  page('people', () => import('./operator/people.tsx'), 'People'),
  page('people/:userId', () => import('./operator/person.tsx'), 'Person'),
  page('invitations', () => import('./operator/invitations.tsx'), 'OperatorInvitations'),
  page('requests', () => import('./operator/requests.tsx'), 'Requests'),
  page('mails', () => import('./operator/mails.tsx'), 'Mails'),
  page('mails/:mailId', () => import('./operator/mail.tsx'), 'Mail'),
  page('signing-keys', () => import('./operator/signing-keys.tsx'), 'SigningKeys'),
  page('limits', () => import('./operator/limits.tsx'), 'Limits'),
  page('audit-log', () => import('./operator/audit-log.tsx'), 'OperatorAuditLog'),
]

export const operatorConsole = startPage('/operator', () => import('./operator/console.tsx'), 'OperatorConsole')

export const guidePage = page(':guide', () => import('./help/guide-page.tsx'), 'GuidePage')

/** What this address needs besides the portal's main file. */
export function pagesAt(pathname: string): PageModule[] {
  const [portal, ...rest] = pathname.split('/').filter(Boolean)
  const find = (pages: PageModule[], path: string[]) => pages.filter((page) => matches(page.path, path.join('/')))
  if (portal === 'customer') return find(customerPages, rest.slice(1))
  if (portal === 'partner') return find(partnerPages, rest.slice(1))
  if (portal === 'help') return [guidePage]
  return portal === 'operator' ? [operatorConsole, ...find(operatorPages, rest)] : []
}

function matches(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(path)
}
