import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useParams } from 'react-router'
import { useAll, usePages } from '../api/api.tsx'
import { deviceName } from '../api/organization.ts'
import { useMay, useMayChange } from '../api/permitted.ts'
import { useSession } from '../api/session.tsx'
import type { IconName } from '../components/page/icon.tsx'
import { spacePaths } from '../customer/claim-check.ts'
import type { NavGroup } from './nav.ts'

interface ChoiceText {
  key: string
  label: string
  hint?: string | undefined
  icon: IconName
  kind: 'Page' | 'Action' | 'Device' | 'Space' | 'Person' | 'App' | 'Model' | 'Partner' | 'Customer' | 'Workspace'
}

/** `leaves` the portal: a page of its own. */
export type Choice = ChoiceText & ({ to: string; leaves?: boolean } | { run: () => void })

/** Of each kind, so that no kind hides another. */
const perKind = 6

/** What the text finds: devices and people by the service, all else by the words of its label. */
export function useChoices(nav: NavGroup[], typed: string, search: string) {
  const devices = useDevices(search)
  const people = usePeople(search)
  const things = useThings(typed !== '')
  const all = [...pagesOf(nav), ...useActions(), ...useWorkspaces(), ...things]
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = ({ label, hint = '' }: ChoiceText) => {
    const text = `${label} ${hint}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
  const counts = new Map<string, number>()
  const isAmongFirst = ({ kind }: ChoiceText) => {
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    return count <= perKind || kind === 'Page'
  }
  const found = all.filter(matches).filter(isAmongFirst)
  // What begins as typed comes first; without a text, pages and actions are enough.
  const begins = ({ label }: ChoiceText) => (label.toLowerCase().startsWith(typed.toLowerCase()) ? 0 : 1)
  const choices = typed
    ? [...found.toSorted((a, b) => begins(a) - begins(b)), ...people.choices, ...devices.choices]
    : found
  return { choices, searching: typed !== '' && (typed !== search || devices.searching || people.searching) }
}

function pagesOf(nav: NavGroup[]): Choice[] {
  return nav.flatMap(({ label: hint, items }) =>
    items.map(({ label, to, icon }) => ({ key: to, label, hint, icon, kind: 'Page' as const, to })),
  )
}

function useDevices(search: string): { choices: Choice[]; searching: boolean } {
  const { customerId, partnerId } = useParams()
  const at = customerId ? `/customer/${customerId}` : `/partner/${partnerId}`
  const enabled = search !== '' && (customerId ?? partnerId) !== undefined
  const api = customerId ? 'organization' : 'partner'
  const list = usePages(`GET /core/v1/${api}/devices`, { search, limit: perKind }, { enabled })
  const choices = list.items.slice(0, perKind).map((device) => {
    // A partner never sees the names that customers give.
    const { name, space_path } = 'name' in device ? device : { name: null, space_path: [] }
    return {
      key: device.id,
      label: deviceName({ name, sn: device.sn }),
      hint: [...(name ? [device.sn] : []), ...(space_path.length > 0 ? [space_path.join(' / ')] : [])].join(' · '),
      icon: 'device' as const,
      kind: 'Device' as const,
      to: `${at}/devices/${device.id}`,
    }
  })
  return { choices: enabled && !list.isPlaceholderData ? choices : [], searching: enabled && list.isFetching }
}

/** A partner's own people are few, and among its things. */
function usePeople(search: string): { choices: Choice[]; searching: boolean } {
  const { customerId, partnerId } = useParams()
  const mayChange = useMayChange()
  const enabled = search !== '' && (customerId ? mayChange : partnerId === undefined)
  const api = customerId ? 'organization' : 'operator'
  const list = usePages(`GET /core/v1/${api}/users`, { search, limit: perKind }, { enabled })
  const choices = list.items.slice(0, perKind).map(({ id, name, email }) => ({
    ...{ key: id, label: name, hint: email, icon: 'account' as const, kind: 'Person' as const },
    to: customerId ? `/customer/${customerId}/users?search=${encodeURIComponent(email)}` : `/operator/people/${id}`,
  }))
  return { choices: enabled && !list.isPlaceholderData ? choices : [], searching: enabled && list.isFetching }
}

function useThings(wanted: boolean): Choice[] {
  const { customerId, partnerId } = useParams()
  const mayChange = useMayChange()
  const atCustomer = { enabled: wanted && customerId !== undefined }
  const atPartner = { enabled: wanted && partnerId !== undefined && customerId === undefined }
  const byOperator = { enabled: wanted && customerId === undefined && partnerId === undefined }
  const spaces = useAll('GET /core/v1/organization/spaces', {}, atCustomer).items
  const connected = usePages(
    'GET /core/v1/organization/connected-apps',
    {},
    { enabled: atCustomer.enabled && mayChange },
  ).items
  const applications = usePages(
    `GET /core/v1/${partnerId ? 'partner' : 'operator'}/applications`,
    {},
    { enabled: atPartner.enabled || byOperator.enabled },
  ).items
  const models = usePages('GET /core/v1/partner/models', {}, atPartner).items
  const members = useAll('GET /core/v1/partner/members', {}, atPartner).items
  const partners = usePages('GET /core/v1/operator/partners', {}, byOperator).items
  const customers = usePages('GET /core/v1/operator/customers', {}, byOperator).items
  const paths = spacePaths(spaces)
  const base = partnerId ? `/partner/${partnerId}` : '/operator'
  return [
    ...spaces.map(({ id, name }) => ({
      ...{ key: id, label: name, icon: 'tree' as const, kind: 'Space' as const },
      hint: paths.get(id) === name ? undefined : paths.get(id),
      to: `/customer/${customerId}/devices?space_id=${id}`,
    })),
    ...connected.map(({ client_id, name }) => ({
      ...{ key: client_id, label: name, icon: 'plug' as const, kind: 'App' as const },
      to: `/customer/${customerId}/settings/connected-apps`,
    })),
    ...applications.map(({ client_id, name }) => ({
      ...{ key: client_id, label: name, icon: 'plug' as const, kind: 'App' as const },
      to: `${base}/applications/${client_id}`,
    })),
    ...models.map(({ id, name }) => ({
      ...{ key: id, label: name, icon: 'device' as const, kind: 'Model' as const },
      to: `${base}/models/${id}`,
    })),
    ...members.map(({ id, name, email }) => ({
      ...{ key: id, label: name, hint: email, icon: 'account' as const, kind: 'Person' as const },
      to: `${base}/people`,
    })),
    ...partners.map(({ id, name }) => ({
      ...{ key: id, label: name, icon: 'building' as const, kind: 'Partner' as const },
      to: `${base}/partners/${id}`,
    })),
    ...customers.map(({ id, name }) => ({
      ...{ key: id, label: name, icon: 'people' as const, kind: 'Customer' as const },
      to: `${base}/customers/${id}`,
    })),
  ]
}

/** `?new` opens the dialog of a list. */
const claimActions: [string, string, IconName][] = [
  ['Claim a device', '/claim', 'add'],
  ['Claim a list or CSV file', '/claim?from=list', 'upload'],
]
const peopleActions: [string, string, IconName][] = [
  ['Invite user', '/users?new', 'account'],
  ['Create group', '/groups?new', 'people'],
  ['Create API key', '/settings/api-keys?new', 'key'],
]
const partnerActions: [string, string, IconName][] = [
  ['Add model', '/models?new', 'device'],
  ['Add webhook', '/webhooks?new', 'webhook'],
  ['Invite person', '/people?new', 'account'],
  ['Create API key', '/api-keys?new', 'key'],
]

function useActions(): Choice[] {
  const { customerId, partnerId } = useParams()
  const mayChange = useMayChange()
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme('light') === 'dark'
  const mayClaim = useMay('devices: manage')
  const customerActions = [...(mayClaim ? claimActions : []), ...(mayChange ? peopleActions : [])]
  const own = customerId ? customerActions : partnerId ? partnerActions : []
  const base = customerId ? `/customer/${customerId}` : `/partner/${partnerId}`
  const kind = 'Action' as const
  return [
    ...own.map(([label, path, icon]) => ({ key: path, label, icon, kind, to: base + path })),
    {
      ...{ key: 'scheme', label: dark ? 'Light mode' : 'Dark mode', icon: dark ? 'sun' : 'moon', kind },
      run: () => setColorScheme(dark ? 'light' : 'dark'),
    },
    { key: 'guides', label: 'Guides', icon: 'help', kind: 'Page', to: '/help' },
    { key: 'docs', label: 'API reference', icon: 'code', kind: 'Page', to: '/docs', leaves: true },
    ...(customerId || partnerId
      ? [
          {
            key: 'account',
            label: 'Account and password',
            icon: 'account' as const,
            kind: 'Page' as const,
            to: '/account',
            leaves: true,
          },
        ]
      : []),
  ]
}

/** The other customers and partners of the person; the operator has none. */
function useWorkspaces(): Choice[] {
  const { customerId, partnerId } = useParams()
  const { data } = useSession({ enabled: (customerId ?? partnerId) !== undefined })
  const kind = 'Workspace' as const
  return [
    ...(data?.customers ?? []).map(({ id, name, lab }) => ({
      ...{ key: id, label: name, kind, icon: lab ? ('flask' as const) : ('building' as const), to: `/customer/${id}` },
    })),
    ...(data?.partners ?? []).map(({ id, name }) => ({
      ...{ key: id, label: name, kind, icon: 'code' as const, hint: 'Partner', to: `/partner/${id}` },
    })),
  ].filter(({ key }) => key !== customerId && key !== partnerId)
}
