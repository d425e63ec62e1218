import { usePages } from '../api/api.tsx'
import type { ApiKey, ConnectedApp, User } from '../api/organization.ts'
import { AuditLog } from '../components/audit-log.tsx'

const types = [
  'approval.withdrawn',
  'device.claimed',
  'device.removed',
  'device.updated',
  'grant.opened',
  'grant.revoked',
  'refresh_token.replayed',
]

export function CustomerAuditLog() {
  return (
    <AuditLog
      types={types}
      names={useActorNames()}
      about="Everything that happened in this organization, newest first. Nobody can edit or delete entries."
    />
  )
}

/** The users, applications and API keys that an administrator knows by name. */
export function useActorNames(): ReadonlyMap<string, string> {
  const users = usePages<User>('/users')
  const apps = usePages<ConnectedApp>('/connected-apps')
  const keys = usePages<ApiKey>('/api-keys')
  return new Map([
    ...users.items.map(({ id, name }) => [id, name] as const),
    ...apps.items.map(({ client_id, name }) => [client_id, name] as const),
    ...keys.items.map(({ id, name }) => [id, `API key “${name}”`] as const),
  ])
}
