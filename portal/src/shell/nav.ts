import type { NavGroup } from './frame.tsx'

export function customerNav(id: string): NavGroup[] {
  const at = (path: string) => `/customer/${id}${path}`
  return [
    {
      items: [
        { label: 'Overview', to: at(''), icon: 'overview', exact: true },
        { label: 'Devices', to: at('/devices'), icon: 'device' },
        { label: 'Claim devices', to: at('/claim'), icon: 'add' },
        { label: 'Spaces', to: at('/spaces'), icon: 'tree' },
      ],
    },
    {
      label: 'People',
      items: [
        { label: 'Users', to: at('/users'), icon: 'account' },
        { label: 'Groups', to: at('/groups'), icon: 'people' },
      ],
    },
    {
      label: 'Settings',
      items: [
        { label: 'Connected apps', to: at('/settings/connected-apps'), icon: 'plug' },
        { label: 'API keys', to: at('/settings/api-keys'), icon: 'key' },
        { label: 'Audit log', to: at('/settings/audit-log'), icon: 'log' },
      ],
    },
  ]
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
        { label: 'API keys', to: at('/api-keys'), icon: 'key' },
      ],
    },
  ]
}

export const operatorNav: NavGroup[] = [
  {
    items: [
      { label: 'Overview', to: '/operator', icon: 'gauge', exact: true },
      { label: 'Partners', to: '/operator/partners', icon: 'building' },
      { label: 'Applications', to: '/operator/applications', icon: 'plug' },
      { label: 'Customers', to: '/operator/customers', icon: 'people' },
      { label: 'People', to: '/operator/people', icon: 'account' },
      { label: 'Invitations', to: '/operator/invitations', icon: 'add' },
      { label: 'Signing keys', to: '/operator/signing-keys', icon: 'key' },
      { label: 'Limits', to: '/operator/limits', icon: 'shield' },
      { label: 'Audit log', to: '/operator/audit-log', icon: 'log' },
    ],
  },
]
