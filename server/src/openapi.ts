import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { kitPath } from './kit.ts'
import { asyncApiDocument } from './openapi/asyncapi.ts'
import { finish } from './openapi/document.ts'
import { operationIdOf } from './openapi/operation-ids.ts'
import { permissionsPage } from './openapi/permissions-page.ts'
import type { Document } from './openapi/schema.ts'
import type { Addresses } from './platform/addresses.ts'
import type { App } from './platform/http/app.ts'
import { serveDocument } from './platform/http/served-document.ts'
import { version } from './platform/version.ts'

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
  { path: /^\/v1\/devices\/(:|\{).*\/(telemetry|command|config)$/, tag: 'devices', security: [{ deviceKey: [] }] },
  { path: /^\/v1\/devices/, tag: 'devices', security: [] },
]

const authorization = (description: string) =>
  ({ type: 'apiKey', in: 'header', name: 'Authorization', description }) as const

const optionsFor = ({ publicUrl }: Addresses): FastifyDynamicSwaggerOptions => ({
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Landbridge',
      version,
      description:
        'OAuth 2.0 / OpenID Connect for partner applications, and a connector for their devices.\n\nBodies are JSON. A ' +
        'refusal is `{error, code, details?}`: show `error`, branch on `code`. Every response carries `X-Request-Id`, ' +
        'which names it in the log. Parameters of a query that an operation does not declare are ignored, ' +
        'undeclared fields of a JSON body are refused.\n\nThe organization and the partner API say with `RateLimit` how ' +
        'many calls are left to the caller and to its organization or partner in the current minute; beyond it they ' +
        'respond with 429 and `Retry-After`.\n\nThe partner kit is a library for all of it, of this very ' +
        `version: \`npm install ${publicUrl}${kitPath}\` (its digest: [kit.tgz.sha512](${kitPath}.sha512)).`,
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'authorization', description: 'OAuth 2.0 and OpenID Connect for applications.' },
      { name: 'devices', description: 'Registration and telemetry of devices.' },
      { name: 'Organization: info', description: 'The customer that the caller acts for.' },
      { name: 'Organization: users', description: 'The people of a customer, and invitations to it.' },
      { name: 'Organization: groups', description: 'Groups of users, which decide who may connect an application.' },
      { name: 'Organization: spaces', description: 'Buildings, floors and rooms, as a tree.' },
      { name: 'Organization: devices', description: 'Devices of a customer: claims, state, history, live values.' },
      { name: 'Organization: settings', description: 'What devices should be set to, by device and by template.' },
      { name: 'Organization: commands', description: 'What devices are asked to do, and what became of it.' },
      { name: 'Organization: connected apps', description: 'Applications that the customer approved.' },
      { name: 'Organization: API keys', description: 'Keys for programs of the customer.' },
      { name: 'Organization: limits', description: 'Rates and quotas of the customer, and how much is used.' },
      { name: 'Organization: audit events', description: 'Who did what in the customer, and when.' },
      { name: 'Partner: info', description: 'The partner that the caller acts for, and the look of its pages.' },
      { name: 'Partner: applications', description: 'Applications that customers connect.' },
      { name: 'Partner: models', description: 'Device models, and the keys that let their devices register.' },
      { name: 'Partner: devices', description: 'The fleet, without account data of its customers.' },
      { name: 'Partner: webhooks', description: 'Addresses that receive events, and what was delivered to them.' },
      { name: 'Partner: integration log', description: 'Requests of applications and devices that failed, and why.' },
      { name: 'Partner: members', description: 'The people who work for the partner.' },
      { name: 'Partner: API keys', description: 'Keys for programs of the partner.' },
      { name: 'Partner: limits', description: 'Rates and quotas of the partner, and how much is used.' },
      { name: 'Partner: audit events', description: 'What happened to what is the partner’s.' },
      { name: 'Operator: partners', description: 'Companies that build applications and devices.' },
      { name: 'Operator: applications', description: 'Applications of all partners, and their secrets.' },
      {
        name: 'Operator: presentation changes',
        description: 'What partners ask to change of names, logos, home pages and requested permissions.',
      },
      { name: 'Operator: customers', description: 'Customers, their users and their groups.' },
      { name: 'Operator: people', description: 'Accounts, members of partners, and invitations.' },
      { name: 'Operator: mail', description: 'Mails to people: what was sent, what failed and why.' },
      { name: 'Operator: audit events', description: 'Who did what on the service, and when.' },
      {
        name: 'Operator: limits',
        description: 'Rates, quotas, lengths and lifetimes in force, and who has used them up.',
      },
      { name: 'operator', description: 'Signing keys and metrics of this service, for its operator.' },
      { name: 'session', description: 'Who is signed in to the portal, and their memberships.' },
      { name: 'health', description: 'For load balancers and monitoring.' },
      { name: 'webhooks', description: 'What your webhooks receive.' },
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
    const operationId = operationIdOf(String(route.method), url.replace(/:(\w+)/g, '{$1}'))
    const chapter = chapters.find(({ path }) => path.test(url))
    if (!chapter) return { schema: { operationId, security: [], ...schema }, url }
    const { tag, security, header } = chapter
    const described = { operationId, tags: [tag], security, ...schema }
    return { schema: header ? { ...described, headers: withHeader(schema.headers, header) } : described, url }
  },
  transformObject: (document) =>
    'openapiObject' in document
      ? (finish(document.openapiObject as unknown as Document) as unknown as typeof document.openapiObject)
      : document.swaggerObject,
})

function withHeader(headers: unknown, { name, description }: NonNullable<Chapter['header']>): object {
  const known = (headers ?? { type: 'object' }) as { properties?: object }
  return { ...known, properties: { ...known.properties, [name]: { type: 'string', format: 'uuid', description } } }
}

/** Describes every route that is registered after it; a route with `hide: true` in its schema is left out. */
export async function describeApi(app: App, addresses: Addresses): Promise<void> {
  await app.register(swagger, optionsFor(addresses))
  serveDocument(app, '/openapi.json', () => app.swagger())
  permissionsPage(app, () => app.swagger() as unknown as Document)
  serveDocument(app, '/asyncapi.json', () => asyncApiDocument(version, addresses))
}
