import { useParams } from 'react-router'
import { usePages } from '../api/api.tsx'
import type { ApiKey, AuditEvent, ConnectedApp, Group, Space, User } from '../api/organization.ts'
import type { Reader } from '../components/audit-sentences.ts'

/**
 * The users, groups, spaces, applications and API keys that an administrator knows by name. Given the events that are
 * shown, only the kinds that occur in them are loaded.
 */
export function useCustomerReader(shown?: AuditEvent[]): Reader {
  const { customerId } = useParams()
  const occurs = (test: (event: AuditEvent) => unknown) => ({ enabled: shown === undefined || shown.some(test) })
  const has = (name: string) => (event: AuditEvent) => event.details?.[name] !== undefined
  const isBy = (kind: string) => (event: AuditEvent) => event.actor.kind === kind
  const users = usePages<User>(
    '/users',
    {},
    occurs((event) => isBy('user')(event) || has('user_id')(event)),
  )
  const groups = usePages<Group>('/groups', {}, occurs(has('group_id')))
  const spaces = usePages<Space>('/spaces', {}, occurs(has('space_id')))
  const apps = usePages<ConnectedApp>(
    '/connected-apps',
    {},
    occurs(({ application_id }) => application_id),
  )
  const keys = usePages<ApiKey>('/api-keys', {}, occurs(isBy('api_key')))
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
  const pages = { application: '/settings/connected-apps', group: '/groups', user: '/users' }
  return {
    names,
    actors,
    auditLog: at('/settings/audit-log'),
    pageOf: (thing, id) => {
      if (thing === 'device') return at(`/devices/${id}`)
      if (thing === 'space') return names.has(id) ? at(`/spaces/${id}`) : undefined
      if (thing === 'partner' || thing === 'customer' || !names.has(id)) return undefined
      return at(pages[thing])
    },
  }
}
