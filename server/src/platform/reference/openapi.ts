import { readFileSync } from 'node:fs'
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { App } from '../http/server.ts'

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

interface Chapter {
  path: RegExp
  tag: string
  security: Record<string, string[]>[]
  /** A header that any of its calls may carry. */
  header?: { name: string; description: string }
}

/** What is under an address: its chapter of the reference, and the credentials that open it. */
const chapters: Chapter[] = [
  {
    path: /^\/core\/v1\/organization\//,
    tag: 'organization',
    security: [{ bearer: [] }, { apiKey: [] }, { session: [] }],
    header: { name: 'landbridge-customer', description: 'With a session: whom it means, where it could mean several.' },
  },
  {
    path: /^\/core\/v1\/partner\//,
    tag: 'partner',
    security: [{ partnerKey: [] }, { session: [] }],
    header: { name: 'landbridge-partner', description: 'With a session: whom it means, where it could mean several.' },
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
      description: 'OAuth 2.0 / OpenID Connect for partner applications, and a connector for their devices.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'authorization', description: 'The way in for applications: OAuth 2.0 and OpenID Connect.' },
      { name: 'devices', description: 'The way in for devices: registration and telemetry.' },
      {
        name: 'organization',
        description: 'What a customer’s applications, keys and administrators can see and change.',
      },
      { name: 'partner', description: 'Applications, models and devices of a partner.' },
      { name: 'operator', description: 'Who exists on this service. For whoever runs it.' },
      { name: 'session', description: 'Who is signed in to the portal, and where they belong.' },
      { name: 'health', description: 'For balancers and monitors.' },
    ],
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token of an application.' },
        apiKey: authorization('An API key of the customer, without a scheme.'),
        partnerKey: authorization('An API key of the partner, without a scheme.'),
        operatorKey: authorization('The operator key, without a scheme.'),
        deviceKey: authorization('The device’s access_key, without a scheme.'),
        client: { type: 'http', scheme: 'basic', description: 'client_id and client_secret; or both in the form.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-landbridge',
          description: 'A signed-in person. Where the service is reached without https, the cookie is `landbridge`.',
        },
      },
    },
  },
  transform: ({ schema, url, route }) => {
    // A page or a file has no schema, and is for people.
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
    const declared = openapiObject.tags ?? []
    const names = new Set(declared.map(({ name }) => name))
    for (const path of Object.values(openapiObject.paths ?? {})) {
      for (const operation of Object.values(path ?? {}) as { tags?: string[] }[]) {
        for (const name of operation.tags ?? []) {
          if (!names.has(name)) declared.push({ name })
          names.add(name)
        }
      }
    }
    return { ...openapiObject, tags: declared }
  },
}

function withHeader(headers: unknown, { name, description }: NonNullable<Chapter['header']>): object {
  const known = (headers ?? { type: 'object' }) as { properties?: object }
  return { ...known, properties: { ...known.properties, [name]: { type: 'string', format: 'uuid', description } } }
}

/** `GET /core/v1/partner/webhooks/:id/deliveries` → `getPartnerWebhooksByIdDeliveries`: stable, and told by the address. */
function operationIdOf(method: string, url: string): string {
  const words = url
    .replace(/^\/core\/v1/, '')
    .replace(/:(\w+)/g, 'by_$1')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** Reads every route that is registered after it, and serves the description. A page says `hide: true` in its schema. */
export async function describeApi(app: App): Promise<void> {
  await app.register(swagger, options)
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('access-control-allow-origin', '*').send(app.swagger()),
  )
}
