import { useParams } from 'react-router'
import { usePages } from '../api/api.tsx'
import type { ApiKey, ConnectedApp, CustomerAuditEvent, Group, Space, User } from '../api/organization.ts'
import { AuditLog } from '../components/audit-log.tsx'
import type { Reader } from '../components/audit-sentences.ts'

/** A record and not a list, so that the compiler finds a type that is missing or never written. */
const types: Record<CustomerAuditEvent['type'], true> = {
  'api_key.created': true,
  'api_key.revoked': true,
  'approval.changed': true,
  'approval.given': true,
  'approval.withdrawn': true,
  'authorization_code.reused': true,
  'customer.created': true,
  'customer.renamed': true,
  'device.changed': true,
  'device.claim_failed': true,
  'device.claimed': true,
  'device.removed': true,
  'device.replace_opened': true,
  'device.updated': true,
  'grant.connected': true,
  'grant.opened': true,
  'grant.revoked': true,
  'group.created': true,
  'group.deleted': true,
  'group.member_added': true,
  'group.member_removed': true,
  'group.renamed': true,
  'member.added': true,
  'member.changed': true,
  'member.invitation_ended': true,
  'member.invitation_link_ended': true,
  'member.invitation_link_made': true,
  'member.invitation_withdrawn': true,
  'member.invited': true,
  'member.joined': true,
  'member.removed': true,
  'partner.created': true,
  'password.reset_link_ended': true,
  'password.reset_link_made': true,
  'refresh_token.replayed': true,
  'space.changed': true,
  'space.created': true,
  'space.deleted': true,
}

export function CustomerAuditLog() {
  return (
    <AuditLog
      types={Object.keys(types) as CustomerAuditEvent['type'][]}
      reader={useCustomerReader()}
      about="Everything that happened in this organization, newest first. Nobody can edit or delete entries."
    />
  )
}

/** The users, groups, spaces, applications and API keys that an administrator knows by name. */
export function useCustomerReader(): Reader {
  const { customerId } = useParams()
  const users = usePages<User>('/users')
  const groups = usePages<Group>('/groups')
  const spaces = usePages<Space>('/spaces')
  const apps = usePages<ConnectedApp>('/connected-apps')
  const keys = usePages<ApiKey>('/api-keys')
  const actors = new Map([
    ...users.items.map(({ id, name }) => [id, name] as const),
    ...apps.items.map(({ client_id, name }) => [client_id, name] as const),
    ...keys.items.map(({ id, name }) => [id, `API key “${name}”`] as const),
  ])
  const names = new Map([
    [customerId ?? '', 'this organization'],
    ...[...groups.items, ...spaces.items].map(({ id, name }) => [id, name] as const),
    ...actors,
  ])
  const at = (path: string) => `/customer/${customerId}${path}`
  const pages = { application: '/settings/connected-apps', group: '/groups', space: '/spaces', user: '/users' }
  return {
    names,
    actors,
    auditLog: at('/settings/audit-log'),
    pageOf: (thing, id) => {
      if (thing === 'device') return at(`/devices/${id}`)
      if (thing === 'partner' || thing === 'customer' || !names.has(id)) return undefined
      return at(pages[thing])
    },
  }
}
