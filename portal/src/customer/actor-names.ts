import { usePages } from '../api/api.tsx'
import type { ApiKey, AuditEvent, ConnectedApp, User } from '../api/organization.ts'

/** The users, applications and API keys that an administrator knows by name; only the kinds that occur are loaded. */
export function useActorNames(events: AuditEvent[]): ReadonlyMap<string, string> {
  const kinds = new Set(events.map(({ actor }) => actor.kind))
  const users = usePages<User>('/users', {}, { enabled: kinds.has('user') })
  const apps = usePages<ConnectedApp>('/connected-apps', {}, { enabled: kinds.has('application') })
  const keys = usePages<ApiKey>('/api-keys', {}, { enabled: kinds.has('api_key') })
  return new Map([
    ...users.items.map(({ id, name }) => [id, name] as const),
    ...apps.items.map(({ client_id, name }) => [client_id, name] as const),
    ...keys.items.map(({ id, name }) => [id, `API key “${name}”`] as const),
  ])
}
