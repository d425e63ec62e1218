import { usePages } from '../api/api.tsx'
import type { ApiKey, ConnectedApp, User } from '../api/organization.ts'

/** The people, applications and keys an administrator knows by name. */
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
