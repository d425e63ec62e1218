import { acrValues } from '../authorization/authorize/acr.ts'
import { codeSamples } from './code-samples.ts'
import { Components, mapValues, pascalCase } from './components.ts'
import { described, describedParameter, isRefusal, refusalExample, refusalText, successText } from './descriptions.ts'
import { exampleOf } from './examples.ts'
import type { Document, Media, Operation, Parameter, Response, Schema } from './schema.ts'
import { webhookOperations } from './webhooks.ts'

/** A parameter or refusal that so many operations share is written once. */
const sharedFrom = 6

/**
 * The document that the routes' schemas make, with descriptions, examples and names. It is built once, after the start:
 * validation and serialization use the schemas as the routes have them.
 */
export function finish(document: Document): Document {
  const components = new Components()
  const paths = mapValues(document.paths, (methods, path) =>
    mapValues(methods, (operation, method) => describedOperation(operation, method.toUpperCase(), path)),
  )
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const webhooks = webhookOperations()
  const shared = sharedParts(operations)
  const named = (operation: Operation) => namedOperation(operation, components, shared)
  const { components: written, ...rest } = document
  return {
    ...rest,
    ...tagsOf(document, operations),
    paths: mapValues(paths, (methods) => mapValues(methods, named)),
    webhooks: mapValues(webhooks, (methods) => mapValues(methods, named)),
    components: {
      schemas: sorted({ ...withContents(components.schemas), Refusal, WebhookEvent: webhookEvent(webhooks) }),
      responses: sorted(components.responses),
      parameters: sorted(components.parameters),
      securitySchemes: written.securitySchemes,
    },
  }
}

/** Written here rather than hoisted: each response lists its own codes. */
const Refusal: Schema = {
  type: 'object',
  description: 'Why a request was refused. Show `error` to people, and branch on `code`.',
  required: ['error'],
  properties: {
    error: { type: 'string', description: 'A sentence for people. It may change.' },
    code: { type: 'string', description: 'For programs. It never changes. Absent from the 401 of the three APIs.' },
    details: {
      type: 'array',
      description: 'With `invalid`: what is wrong with each field.',
      items: { $ref: '#/components/schemas/FieldProblem' },
    },
    missing: {
      type: 'string',
      description: 'With `not_approved` and `not_permitted`: the permission, such as `devices: manage`.',
    },
  },
}

function webhookEvent(webhooks: Record<string, unknown>): Schema & { discriminator: object } {
  const names = Object.keys(webhooks).map((type) => [type, `#/components/schemas/${pascalCase(type)}Event`] as const)
  return {
    description: 'The body of a delivery to a webhook. Which event it is, says `type`.',
    oneOf: names.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(names) },
  }
}

/** What is inside a text: the delivery log has the body as it was signed, and an id_token has claims. */
function withContents(schemas: Record<string, Schema>): Record<string, Schema> {
  const IdTokenClaims = idTokenClaims(schemas.UserInfo!)
  return {
    ...schemas,
    IdTokenClaims,
    WebhookDelivery: withContent(schemas.WebhookDelivery!, 'payload', 'application/json', 'WebhookEvent'),
    Tokens: withContent(schemas.Tokens!, 'id_token', 'application/jwt', 'IdTokenClaims'),
  }
}

function withContent(schema: Schema, field: string, contentMediaType: string, name: string): Schema {
  const content = { contentMediaType, contentSchema: { $ref: `#/components/schemas/${name}` } }
  return { ...schema, properties: { ...schema.properties, [field]: { ...schema.properties![field], ...content } } }
}

/** OpenID Connect Core 2; what it says of the person is what userinfo says. */
function idTokenClaims(userInfo: Schema): Schema {
  const required: Record<string, Schema> = {
    iss: { type: 'string', description: 'The address of this service. Compare it.' },
    aud: { type: 'string', description: 'The `client_id` of your application. Compare it.' },
    iat: { type: 'integer', description: 'When it was issued, in seconds since 1970.' },
    exp: { type: 'integer', description: 'When it expires, in seconds since 1970.' },
    auth_time: {
      type: 'integer',
      description: 'When the person signed in or last presented a factor, in seconds since 1970.',
    },
    at_hash: { type: 'string', description: 'Ties the id_token to the access token in the same response.' },
  }
  const nonce: Schema = {
    type: 'string',
    description: 'The one of your authorization request. Compare it. Absent after a refresh.',
  }
  const acr: Schema = {
    type: 'string',
    enum: [...acrValues],
    description:
      'How surely it is the person: `phr` with a passkey, the other with any two factors. Absent with a password only.',
  }
  const amr: Schema = {
    type: 'array',
    items: { type: 'string', description: 'One of RFC 8176: `pwd`, `otp`, `hwk`, `swk`, `user`, `mfa` or another.' },
    description: 'What the person signed in with. Absent where it is not known.',
  }
  return {
    type: 'object',
    required: [...Object.keys(required), ...(userInfo.required ?? [])],
    properties: { ...required, acr, amr, nonce, ...userInfo.properties },
    description: 'What an id_token says of the person who signed in, and of their organization.',
  }
}

function describedOperation(operation: Operation, method: string, path: string): Operation {
  const parameters = ((operation.parameters ?? []) as Parameter[]).map((each) => describedParameter(each, path))
  const { requestBody } = operation
  const content = requestBody && mapValues(requestBody.content, withExample)
  const required = !Object.values(content ?? {}).some(({ schema }) =>
    schema?.anyOf?.some(({ type }) => type === 'null'),
  )
  const result: Operation = {
    ...operation,
    ...(parameters.length > 0 ? { parameters } : {}),
    // A body that may be null may be left out, which the plugin does not say.
    ...(requestBody && content ? { requestBody: { ...requestBody, required, content } } : {}),
    responses: mapValues(operation.responses as Record<string, Response>, (response, status) =>
      Number(status) < 400 ? describedSuccess(response, status) : response,
    ),
  }
  const [type, media] = Object.entries(content ?? {})[0] ?? []
  const form = type?.includes('form') ?? false
  return { ...result, 'x-codeSamples': codeSamples({ method, path, operation: result, body: media?.example, form }) }
}

function describedSuccess(response: Response, status: string): Response {
  const content =
    response.content &&
    mapValues(response.content, (media, type) => (type === 'application/json' ? withExample(media) : media))
  const schema = content?.['application/json']?.schema
  // The plugin takes the description of the schema, or has none.
  const isDefault = ['Default Response', schema?.description].includes(response.description)
  return {
    ...response,
    description: isDefault ? successText(status, schema) : response.description,
    ...(content ? { content } : {}),
  }
}

function withExample(media: Media): Media {
  const schema = described(media.schema ?? {})
  return { ...media, schema, example: exampleOf(schema) }
}

interface Shared {
  parameters: Set<string>
  refusals: Set<string>
}

function sharedParts(operations: Operation[]): Shared {
  const often = (keys: string[]) => {
    const counts = new Map<string, number>()
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
    return new Set([...counts].filter(([, count]) => count >= sharedFrom).map(([key]) => key))
  }
  const parameters = operations.flatMap(({ parameters = [] }) => parameters as Parameter[])
  const inQueryOrHeader = parameters.filter((parameter) => parameter.in !== 'path')
  const responses = operations.flatMap(({ responses }) => Object.values(responses) as Response[])
  return {
    parameters: onlyForm(often(inQueryOrHeader.map((parameter) => JSON.stringify(parameter)))),
    refusals: often(responses.filter(isRefusal).map((response) => nameOfRefusal(codesOf(response)))),
  }
}

/** Where parameters of one name differ, none of them is shared: the name would be ambiguous. */
function onlyForm(texts: Set<string>): Set<string> {
  const names = [...texts].map((text) => (JSON.parse(text) as Parameter).name)
  return new Set([...texts].filter((_, index) => names.indexOf(names[index]!) === names.lastIndexOf(names[index]!)))
}

function namedOperation(operation: Operation, components: Components, shared: Shared): Operation {
  const { parameters, requestBody, responses } = operation
  const named = (media: Media): Media => (media.schema ? { ...media, schema: components.name(media.schema) } : media)
  return {
    ...operation,
    ...(parameters
      ? {
          parameters: (parameters as Parameter[]).map((parameter) => {
            const whole = { ...parameter, schema: components.name(parameter.schema) }
            return shared.parameters.has(JSON.stringify(parameter)) ? components.parameter(whole) : whole
          }),
        }
      : {}),
    ...(requestBody ? { requestBody: { ...requestBody, content: mapValues(requestBody.content, named) } } : {}),
    responses: mapValues(responses as Record<string, Response>, (response) => {
      if (!isRefusal(response)) {
        return response.content
          ? { ...response, content: mapValues(response.content, (media) => named(describedMedia(media))) }
          : response
      }
      // Hoists what refusals refer to.
      components.name(described(response.content!['application/json']!.schema!.properties!.details!))
      const name = nameOfRefusal(codesOf(response))
      const refusal = refusalResponse(codesOf(response))
      return shared.refusals.has(name) ? components.response(name, refusal) : refusal
    }),
  }
}

function describedMedia(media: Media): Media {
  return media.schema ? { ...media, schema: described(media.schema) } : media
}

function codesOf(response: Response): string[] {
  return (response.content?.['application/json']?.schema?.properties?.code?.enum ?? []) as string[]
}

function nameOfRefusal(codes: string[]): string {
  return codes.length === 0 ? 'NotAuthorized' : codes.map(pascalCase).join('Or')
}

function refusalResponse(codes: string[]): Response {
  const base: Schema = { $ref: '#/components/schemas/Refusal' }
  const own: Schema = { type: 'object', required: ['code'], properties: { code: { type: 'string', enum: codes } } }
  const schema = codes.length === 0 ? base : { allOf: [base, own] }
  return {
    description: refusalText(codes),
    content: { 'application/json': { schema, example: refusalExample(codes) } },
  }
}

/** The tags in use, in the order of the list; a section of an API has a tag of its own. */
function tagsOf(document: Document & { tags?: { name: string }[] }, operations: Operation[]): object {
  const used = new Set(operations.flatMap(({ tags = [] }) => tags))
  const listed = (document.tags ?? []).filter(({ name }) => used.has(name))
  const others = [...used].filter((name) => !listed.some((tag) => tag.name === name))
  return { tags: [...listed, ...others.map((name) => ({ name }))] }
}

function sorted<Value>(record: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}
