import { readFileSync } from 'node:fs'
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { App } from './platform/http/server.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

interface Chapter {
  path: RegExp
  tag: string
  security: Record<string, string[]>[]
  /** A header that any of its requests may carry. */
  header?: { name: string; description: string }
}

/** For each prefix of addresses, the chapter of the reference and the credentials that its operations accept. */
const chapters: Chapter[] = [
  {
    path: /^\/core\/v1\/organization\//,
    tag: 'organization',
    security: [{ bearer: [] }, { apiKey: [] }, { session: [] }],
    header: {
      name: 'landbridge-customer',
      description: 'With a session: the customer to act for, where the person belongs to several.',
    },
  },
  {
    path: /^\/core\/v1\/partner\//,
    tag: 'partner',
    security: [{ partnerKey: [] }, { session: [] }],
    header: {
      name: 'landbridge-partner',
      description: 'With a session: the partner to act for, where the person belongs to several.',
    },
  },
  { path: /^\/core\/v1\/session$/, tag: 'session', security: [{ session: [] }] },
  { path: /^\/(core\/v1\/operator\/|metrics)/, tag: 'operator', security: [{ operatorKey: [] }] },
  { path: /^\/oauth\/userinfo$/, tag: 'authorization', security: [{ bearer: [] }] },
  { path: /^\/oauth\/(token|revoke)$/, tag: 'authorization', security: [{ client: [] }, {}] },
  { path: /^\/(oauth\/|\.well-known\/)/, tag: 'authorization', security: [] },
  { path: /^\/v1\/devices\/(:|\{).*\/telemetry$/, tag: 'devices', security: [{ deviceKey: [] }] },
  { path: /^\/v1\/devices/, tag: 'devices', security: [] },
]

const authorization = (description: string) =>
  ({ type: 'apiKey', in: 'header', name: 'Authorization', description }) as const

const options: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Landbridge',
      version,
      description:
        'OAuth 2.0 / OpenID Connect for partner applications, and a connector for their devices.\n\nBodies are JSON. A ' +
        'refusal is `{error, code, details?}`: show `error`, branch on `code`. Every response carries `X-Request-Id`, ' +
        'which names it in the log.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'authorization', description: 'OAuth 2.0 and OpenID Connect for applications.' },
      { name: 'devices', description: 'Registration and telemetry of devices.' },
      {
        name: 'organization',
        description: 'Users, spaces and devices of a customer.',
      },
      { name: 'partner', description: 'Applications, models and devices of a partner.' },
      { name: 'operator', description: 'Partners, applications and customers of this service, for its operator.' },
      { name: 'session', description: 'Who is signed in to the portal, and their memberships.' },
      { name: 'health', description: 'For load balancers and monitoring.' },
    ],
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token of an application.' },
        apiKey: authorization('An API key of the customer, without a scheme.'),
        partnerKey: authorization('An API key of the partner, without a scheme.'),
        operatorKey: authorization('The operator key, without a scheme.'),
        deviceKey: authorization('The device’s access_key, without a scheme.'),
        client: {
          type: 'http',
          scheme: 'basic',
          description: 'client_id and client_secret, or both as form parameters.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-landbridge',
          description: 'A signed-in person. Without https the cookie is named `landbridge`.',
        },
      },
    },
  },
  transform: ({ schema, url, route }) => {
    // Pages and files have no schema.
    if (!schema) return { schema: { hide: true }, url }
    const operationId = operationIdOf(String(route.method), url)
    const chapter = chapters.find(({ path }) => path.test(url))
    if (!chapter) return { schema: { operationId, security: [], ...schema }, url }
    const { tag, security, header } = chapter
    const described = { operationId, tags: [tag], security, ...schema }
    return { schema: header ? { ...described, headers: withHeader(schema.headers, header) } : described, url }
  },
  transformObject: (document) => {
    if (!('openapiObject' in document)) return document.swaggerObject
    const { openapiObject } = document
    const operations = Object.values(openapiObject.paths ?? {}).flatMap((path) => Object.values(path ?? {}))
    const used = new Set(operations.flatMap((operation) => (operation as { tags?: string[] }).tags ?? []))
    const described = (openapiObject.tags ?? []).filter(({ name }) => used.has(name))
    const others = [...used].filter((name) => !described.some((tag) => tag.name === name))
    return { ...openapiObject, tags: [...described, ...others.map((name) => ({ name }))] }
  },
}

function withHeader(headers: unknown, { name, description }: NonNullable<Chapter['header']>): object {
  const known = (headers ?? { type: 'object' }) as { properties?: object }
  return { ...known, properties: { ...known.properties, [name]: { type: 'string', format: 'uuid', description } } }
}

/** `GET /core/v1/partner/webhooks/:id/deliveries` → `getPartnerWebhooksByIdDeliveries`: stable, and derived from the address. */
function operationIdOf(method: string, url: string): string {
  const words = url
    .replace(/^\/core\/v1/, '')
    .replace(/:(\w+)/g, 'by_$1')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** Describes every route that is registered after it; a route with `hide: true` in its schema is left out. */
export async function describeApi(app: App): Promise<void> {
  await app.register(swagger, options)
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('access-control-allow-origin', '*').send(app.swagger()),
  )
}
