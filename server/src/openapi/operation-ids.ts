/** Names that the rule below would not find, by method and path. */
const exceptions: Record<string, string> = {
  'GET /healthz': 'health.live',
  'GET /readyz': 'health.ready',
  'GET /metrics': 'metrics.get',
  'POST /oauth/token': 'oauth.token',
  'POST /oauth/revoke': 'oauth.revoke',
  'GET /oauth/userinfo': 'oauth.userinfo',
  'POST /oauth/userinfo': 'oauth.userinfoByPost',
  'GET /oauth/authorize': 'oauth.authorize',
  'POST /oauth/authorize': 'oauth.authorizeByPost',
  'GET /.well-known/openid-configuration': 'oauth.openidConfiguration',
  'GET /.well-known/oauth-authorization-server': 'oauth.serverMetadata',
  'GET /oauth/.well-known/jwks.json': 'oauth.keys',
  'POST /v1/devices': 'connector.register',
  'POST /v1/devices/{id}/telemetry': 'connector.send',
  'POST /v1/devices/telemetry': 'connector.sendMany',
  'GET /v1/devices/{id}/command': 'connector.command',
  'POST /v1/devices/{id}/command': 'connector.reportCommand',
  'POST /commands/{id}': 'commands.report',
  'GET /v1/devices/{id}/config': 'connector.config',
  'POST /v1/devices/{id}/config': 'connector.reportConfig',
  'GET /devices/{id}/settings': 'devices.settings.get',
  'PATCH /devices/settings': 'devices.settings.updateMany',
  'POST /devices/commands': 'devices.commands.createMany',
  'DELETE /devices/{id}/commands/{command_id}': 'devices.commands.cancel',
  'GET /commands/counts': 'commands.count',
  'POST /applications/{client_id}/secret': 'applications.rotateSecret',
  'POST /applications/{client_id}/secret-rotation': 'applications.requestSecretRotation',
  'POST /users/{id}/password-reset': 'users.resetPassword',
  'POST /invitations/{id}/link': 'invitations.createLink',
  'POST /webhooks/{id}/secret': 'webhooks.rotateSecret',
  'GET /devices/counts': 'devices.count',
  'GET /devices.csv': 'devices.exportCsv',
  'POST /devices.csv': 'devices.exportChosenCsv',
  'GET /devices/{id}/series': 'devices.series',
  'GET /models/{id}/openapi.json': 'models.openapi',
  'GET /models/{id}/dictionary': 'models.dictionary.get',
  'GET /devices/{id}/timelines': 'devices.timelines',
  'GET /spaces/{id}/data-points': 'spaces.dataPoints',
  'GET /spaces/{id}/series': 'spaces.series',
  'GET /integration-log': 'integrationLog.list',
  'GET /limits': 'limits.get',
  'GET /permissions': 'permissions',
  'GET /progress': 'progress.get',
  'GET /audit-events.jsonl': 'auditEvents.exportJsonl',
  'GET /audit-events.csv': 'auditEvents.exportCsv',
  'PUT /groups/{id}/members/{user_id}': 'groups.members.add',
  'DELETE /groups/{id}/members/{user_id}': 'groups.members.remove',
}

const verbs: Record<string, string> = { PATCH: 'update', PUT: 'replace', DELETE: 'delete' }

/**
 * `GET /core/v1/partner/webhooks/{id}/deliveries` → `partner.webhooks.deliveries.list`. The organization API, which most
 * callers use, has no prefix.
 */
export function operationIdOf(method: string, path: string): string {
  const [, api, rest] = /^\/core\/v1\/(?:(organization|partner|operator)\/)?(.*)$/.exec(path) ?? [
    null,
    '',
    path.slice(1),
  ]
  const prefix = api && api !== 'organization' ? `${api}.` : ''
  return prefix + (exceptions[`${method} /${rest}`] ?? nameOf(method, (rest ?? '').split('/')))
}

/** A plural names a list; a single word at the end is what is done to the things before it. */
function nameOf(method: string, segments: string[]): string {
  const words = segments.filter((segment) => !isParameter(segment)).map(camelCase)
  const last = segments.at(-1)!
  if (isParameter(last)) return [...words, verbs[method] ?? (method === 'GET' ? 'get' : 'post')].join('.')
  const isList = last.endsWith('s')
  if (method === 'GET') return [...words, ...(isList ? ['list'] : words.length === 1 ? ['get'] : [])].join('.')
  if (method === 'POST') return [...words, ...(isList ? ['create'] : [])].join('.')
  return [...words, verbs[method]].join('.')
}

const isParameter = (segment: string) => segment.startsWith('{')

function camelCase(segment: string): string {
  return segment.replace(/[-.](\w)/g, (_, letter: string) => letter.toUpperCase())
}
