/** The section of docs/portals.md about each page, by the page's path. */
const topics: Record<string, string> = {
  '/customer/:id': 'overview',
  '/customer/:id/devices': 'devices',
  '/customer/:id/devices/:id': 'a-device',
  '/customer/:id/claim': 'claim-devices',
  '/customer/:id/spaces': 'spaces',
  '/customer/:id/commands': 'commands',
  '/customer/:id/setting-templates': 'setting-templates',
  '/customer/:id/users': 'users',
  '/customer/:id/groups': 'groups',
  '/customer/:id/access': 'access',
  '/customer/:id/settings/connected-apps': 'connected-apps',
  '/customer/:id/settings/api-keys': 'api-keys',
  '/customer/:id/settings/sign-in': 'sign-in-security',
  '/customer/:id/settings/audit-log': 'audit-log',
  '/partner/:id': 'start',
  '/partner/:id/applications': 'applications',
  '/partner/:id/models': 'models',
  '/partner/:id/devices': 'fleet',
  '/partner/:id/playground': 'oauth-playground',
  '/partner/:id/simulator': 'device-simulator',
  '/partner/:id/integration-log': 'integration-log',
  '/partner/:id/webhooks': 'webhooks',
  '/partner/:id/company': 'company',
  '/partner/:id/people': 'people',
  '/partner/:id/api-keys': 'partner-api-keys',
  '/partner/:id/audit-log': 'partner-audit-log',
  '/operator': 'health',
  '/operator/partners': 'partners',
  '/operator/applications': 'all-applications',
  '/operator/customers': 'customers',
  '/operator/invitations': 'invitations',
  '/operator/requests': 'partner-requests',
  '/operator/mails': 'mail',
  '/operator/signing-keys': 'signing-keys',
  '/operator/limits': 'limits',
  '/operator/audit-log': 'service-audit-log',
}

const patterns = Object.entries(topics).map(
  ([path, topic]) => [new RegExp(`^${path.replaceAll(':id', '[^/]+')}(/|$)`), path.length, topic] as const,
)

/** A page below another one, such as a single webhook, has the help of that page unless it has its own. */
export function topicOf(pathname: string): string | undefined {
  const matching = patterns.filter(([pattern]) => pattern.test(pathname))
  return matching.toSorted(([, a], [, b]) => b - a)[0]?.[2]
}
