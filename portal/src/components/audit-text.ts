import type { AuditEvent } from '../api/organization.ts'

const titles: Record<string, string> = {
  'grant.opened': 'App connected',
  'grant.connected': 'App connected by a user',
  'grant.revoked': 'App disconnected',
}

/** `refresh_token.replayed` → `Refresh token replayed`, `api_key.created` → `API key created`. */
export function eventTitle(type: string): string {
  if (titles[type]) return titles[type]
  const text = type.replaceAll(/[._]/g, ' ')
  return text.startsWith('api ') ? `API ${text.slice(4)}` : text.charAt(0).toUpperCase() + text.slice(1)
}

export function actorName({ kind, id, name }: AuditEvent['actor'], names?: ReadonlyMap<string, string>): string {
  const kinds: Record<string, string> = {
    operator: 'Operator',
    user: 'User',
    application: 'Application',
    api_key: 'API key',
    device: 'Device',
    system: 'System',
    visitor: 'Not signed in',
  }
  return name ?? names?.get(id ?? '') ?? kinds[kind] ?? kind
}
