import type { ComponentType } from 'react'
import { createBrowserRouter, type RouteObject, useParams } from 'react-router'
import {
  AnyCustomer,
  AnyPartner,
  CustomerLayout,
  ErrorPage,
  Home,
  NoSuchPage,
  PartnerLayout,
} from './shell/layouts.tsx'
import { pageLoader } from './shell/page-loader.tsx'

type Module = Record<string, unknown>

/** Each page is its own chunk, loaded when it is opened. */
function page(path: string, load: () => Promise<Module>, name: string): RouteObject {
  const route = { lazy: pageLoader(load, name), ErrorBoundary: ErrorPage }
  return path === '' ? { index: true, ...route } : { path, ...route }
}

const missing: RouteObject = { path: '*', Component: NoSuchPage }
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const customer = [
  page('', () => import('./customer/overview.tsx'), 'Overview'),
  page('devices', () => import('./customer/devices.tsx'), 'Devices'),
  page('devices/:deviceId', () => import('./customer/device.tsx'), 'Device'),
  page('claim', () => import('./customer/claim.tsx'), 'Claim'),
  page('spaces', () => import('./customer/spaces.tsx'), 'Spaces'),
  page('users', () => import('./customer/users.tsx'), 'Users'),
  page('groups', () => import('./customer/groups.tsx'), 'Groups'),
  page('settings/connected-apps', () => import('./customer/connected-apps.tsx'), 'ConnectedApps'),
  page('settings/api-keys', () => import('./components/api-keys.tsx'), 'CustomerApiKeys'),
  page('settings/audit-log', () => import('./customer/audit-log.tsx'), 'CustomerAuditLog'),
  missing,
]

const partner = [
  page('', () => import('./partner/start.tsx'), 'Start'),
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
  page('api-keys', () => import('./components/api-keys.tsx'), 'PartnerApiKeys'),
  missing,
]

const operator = [
  page('', () => import('./operator/overview.tsx'), 'Overview'),
  page('partners', () => import('./operator/partners.tsx'), 'Partners'),
  page('partners/:partnerId', () => import('./operator/partner.tsx'), 'Partner'),
  page('applications', () => import('./operator/applications.tsx'), 'Applications'),
  page('applications/:clientId', () => import('./operator/application.tsx'), 'Application'),
  page('customers', () => import('./operator/customers.tsx'), 'Customers'),
  page('invitations', () => import('./operator/invitations.tsx'), 'OperatorInvitations'),
  page('signing-keys', () => import('./operator/signing-keys.tsx'), 'SigningKeys'),
  page('limits', () => import('./operator/limits.tsx'), 'Limits'),
  page('audit-log', () => import('./operator/audit-log.tsx'), 'OperatorAuditLog'),
  missing,
]

export const router = createBrowserRouter([
  {
    ErrorBoundary: ErrorPage,
    HydrateFallback: () => null,
    children: [
      { path: '/', Component: Home },
      { path: '/customer/:customerId', Component: byId('customerId', CustomerLayout, AnyCustomer), children: customer },
      { path: '/customer/*', Component: AnyCustomer },
      { path: '/partner/:partnerId', Component: byId('partnerId', PartnerLayout, AnyPartner), children: partner },
      { path: '/partner/*', Component: AnyPartner },
      {
        path: '/operator',
        lazy: pageLoader(() => import('./operator/console.tsx'), 'OperatorConsole'),
        children: operator,
      },
      missing,
    ],
  },
])

/** An address without an id, such as `/customer/devices`, is redirected to the user's own. */
function byId(name: string, Named: ComponentType, Unnamed: ComponentType): ComponentType {
  return function Which() {
    const { [name]: id } = useParams()
    return id && uuid.test(id) ? <Named /> : <Unnamed />
  }
}
