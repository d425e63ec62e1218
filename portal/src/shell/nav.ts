import { may, type Needed, type Reach } from '../api/reach.ts'
import type { IconName } from '../components/page/icon.tsx'

export interface NavItem {
  label: string
  to: string
  icon: IconName
  /** Active on this path only, not on its subpaths. */
  exact?: boolean
  /** What is shown only to those who may do this somewhere. */
  needs?: Needed
}

export interface NavGroup {
  label?: string
  items: NavItem[]
}

/** What the person may do something with. */
export function customerNav(id: string, reach: Reach): NavGroup[] {
  const at = (path: string) => `/customer/${id}${path}`
  const groups: NavGroup[] = [
    {
      items: [
        { label: 'Overview', to: at(''), icon: 'overview', exact: true, needs: 'devices: read' },
        { label: 'Devices', to: at('/devices'), icon: 'device', needs: 'devices: read' },
        { label: 'Claim devices', to: at('/claim'), icon: 'add', needs: 'devices: manage' },
        { label: 'Spaces', to: at('/spaces'), icon: 'tree', needs: 'spaces: read' },
        { label: 'Commands', to: at('/commands'), icon: 'play', needs: 'devices: read' },
        { label: 'Setting templates', to: at('/setting-templates'), icon: 'sliders', needs: 'devices: read' },
      ],
    },
    {
      label: 'People',
      items: [
        { label: 'Users', to: at('/users'), icon: 'account', needs: 'people: manage' },
        { label: 'Groups', to: at('/groups'), icon: 'people', needs: 'people: manage' },
        { label: 'Access', to: at('/access'), icon: 'shield', needs: 'people: manage' },
      ],
    },
    {
      label: 'Settings',
      items: [
        { label: 'Connected apps', to: at('/settings/connected-apps'), icon: 'plug', needs: 'integrations: manage' },
        { label: 'API keys', to: at('/settings/api-keys'), icon: 'key', needs: 'integrations: manage' },
        { label: 'Sign-in security', to: at('/settings/sign-in'), icon: 'shield', needs: 'people: manage' },
        { label: 'Audit log', to: at('/settings/audit-log'), icon: 'log', needs: 'audit: read' },
      ],
    },
  ]
  return groups
    .map((group) => ({ ...group, items: group.items.filter(({ needs }) => !needs || may(reach, needs)) }))
    .filter(({ items }) => items.length > 0)
}

/** Whether the page is one of these, or below one. */
export function isAmong(nav: NavGroup[], pathname: string): boolean {
  const path = pathname.replace(/\/$/, '')
  return nav.some(({ items }) => items.some(({ to, exact }) => path === to || (!exact && path.startsWith(`${to}/`))))
}

export function partnerNav(id: string): NavGroup[] {
  const at = (path: string) => `/partner/${id}${path}`
  return [
    {
      items: [
        { label: 'Start', to: at(''), icon: 'overview', exact: true },
        { label: 'Applications', to: at('/applications'), icon: 'plug' },
        { label: 'Models', to: at('/models'), icon: 'device' },
        { label: 'Fleet', to: at('/devices'), icon: 'tree' },
      ],
    },
    {
      label: 'Build',
      items: [
        { label: 'OAuth playground', to: at('/playground'), icon: 'play' },
        { label: 'Device simulator', to: at('/simulator'), icon: 'flask' },
        { label: 'Integration log', to: at('/integration-log'), icon: 'log' },
        { label: 'Webhooks', to: at('/webhooks'), icon: 'webhook' },
      ],
    },
    {
      label: 'Settings',
      items: [
        { label: 'Company', to: at('/company'), icon: 'building' },
        { label: 'People', to: at('/people'), icon: 'people' },
        { label: 'API keys', to: at('/api-keys'), icon: 'key' },
        { label: 'Audit log', to: at('/audit-log'), icon: 'log' },
      ],
    },
  ]
}

export const guideNav: NavGroup[] = [
  {
    items: [
      { label: 'The portals', to: '/help/portals', icon: 'overview' },
      { label: 'Integration', to: '/help/integrate', icon: 'plug' },
      { label: 'MQTT', to: '/help/mqtt', icon: 'device' },
      { label: 'Contract', to: '/help/contract', icon: 'shield' },
      { label: 'Operating', to: '/help/operate', icon: 'gauge' },
    ],
  },
]

export const operatorNav: NavGroup[] = [
  {
    items: [
      { label: 'Overview', to: '/operator', icon: 'gauge', exact: true },
      { label: 'Partners', to: '/operator/partners', icon: 'building' },
      { label: 'Applications', to: '/operator/applications', icon: 'plug' },
      { label: 'Customers', to: '/operator/customers', icon: 'people' },
      { label: 'People', to: '/operator/people', icon: 'account' },
      { label: 'Invitations', to: '/operator/invitations', icon: 'add' },
      { label: 'Partner requests', to: '/operator/requests', icon: 'show' },
      { label: 'Mail', to: '/operator/mails', icon: 'mail' },
      { label: 'Signing keys', to: '/operator/signing-keys', icon: 'key' },
      { label: 'Limits', to: '/operator/limits', icon: 'shield' },
      { label: 'Audit log', to: '/operator/audit-log', icon: 'log' },
    ],
  },
]
