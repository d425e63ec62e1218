// Writes client/src/generated-types.ts and client/src/generated-resources.ts from the OpenAPI document.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'
import {
  type Document,
  operationsOf,
  type Schema,
  sessionOnly,
  type WrittenOperation,
  withoutReferences,
} from '../openapi/document.ts'
import { collectNames, comment, declaration, type TypeStyle, typeText } from '../openapi/typescript.ts'

const heading = '// Generated from the OpenAPI document by `npm run generate:api-types`. Do not edit.\n'

/** Schemas whose names the kit uses for something of its own. */
const renamed: Record<string, string> = {
  Organization: 'OrganizationInfo',
  Application: 'ApplicationInfo',
  WebhookEvent: 'WebhookBody',
  IdTokenClaims: 'Claims',
}
const style: TypeStyle = { nameOf: (name) => renamed[name] ?? name, comments: true, absent: ' | undefined' }

/** What the kit sets by itself, and what only a session needs. */
const ofTheKit = new Set(['after', 'customer_id'])

/** What the hand-written parts of the kit need. */
const alsoNamed = [
  'IdTokenClaims',
  'MassTelemetryResult',
  'RegisteredDevice',
  'Registration',
  'Telemetry',
  'UserInfo',
  'WebhookEvent',
]

interface Api {
  className: string
  description: string
  prefix: string
}

const apis: Api[] = [
  {
    className: 'OrganizationResources',
    description: 'The operations of the organization API that an application may call.',
    prefix: '/core/v1/organization/',
  },
  {
    className: 'PartnerResources',
    description: 'The operations of the partner API that an API key may call.',
    prefix: '/core/v1/partner/',
  },
]

/** The text of each file. */
export async function generatedClient(document: Document): Promise<Record<string, string>> {
  const names = new Set<string>()
  for (const name of alsoNamed) collectNames({ $ref: `#/components/schemas/${name}` }, document, names)
  const classes = apis.map((api) => new ResourceWriter(document, names).classText(api))
  const types = [...names]
    .sort()
    .map((name) => declaration(style.nameOf!(name), document.components.schemas[name]!, style))
  const used = [...names].map((name) => style.nameOf!(name)).filter((name) => classes.join().match(`\\b${name}\\b`))
  const imports =
    "import { ApiClient, type CallOptions, type ChangeOptions, type CreateOptions, type List } from './api-client.ts'\n" +
    "import type { DeviceEvent } from './event-stream.ts'\n" +
    `import type { ${used.sort().join(', ')} } from './generated-types.ts'\n`
  const [typesText, resourcesText] = await Promise.all([
    formatted(`${heading}\n${[...types, refusalCodes(document)].join('\n')}`),
    formatted(`${heading}${imports}\n${classes.join('\n')}`),
  ])
  return { 'generated-types.ts': typesText, 'generated-resources.ts': resourcesText }
}

/** Every `code` with which a partner's calls are refused, whole or in one entry of a list. */
function refusalCodes(document: Document): string {
  const codes = new Set<string>()
  const collect = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    const { code } = ((part as Schema).properties ?? {}) as Record<string, Schema>
    for (const value of code?.enum ?? (code?.const === undefined ? [] : [code.const])) codes.add(String(value))
    for (const inner of Object.values(part)) collect(inner)
  }
  const paths = Object.entries(document.paths).filter(([path]) => !path.startsWith('/core/v1/operator/'))
  collect(withoutReferences(document, Object.fromEntries(paths)))
  const literals = [...codes].sort().map((code) => `'${code}'`)
  return `/** Why the service refused. */\nexport type RefusalCode = ${literals.join(' | ')}\n`
}

async function formatted(source: string): Promise<string> {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')
  const child = spawn(process.execPath, [biome, 'format', '--stdin-file-path=client/src/generated.ts'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(source)
  const [result, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0) throw new Error('What was generated is no TypeScript.')
  return result
}

/** A resource has verbs and further resources: `groups.list`, `groups.members.add`. */
type Resource = Map<string, Resource | Verb>

interface Verb {
  documentation: string
  code: string
}

class ResourceWriter {
  readonly #document: Document
  readonly #names: Set<string>
  readonly #refused: Set<string>

  constructor(document: Document, names: Set<string>) {
    this.#document = document
    this.#names = names
    // Offered, they would only be refused.
    this.#refused = new Set(
      operationsOf(document)
        .filter(sessionOnly)
        .map(({ id }) => id),
    )
  }

  classText({ className, description, prefix }: Api): string {
    const resources: Resource = new Map()
    for (const [path, methods] of Object.entries(this.#document.paths)) {
      if (!path.startsWith(prefix)) continue
      for (const [method, operation] of Object.entries(methods)) {
        if (this.#refused.has(operation.operationId)) continue
        const words = operation.operationId.replace(/^partner\./, '').split('.')
        const verb = words.pop()!
        const resource = words.reduce(inside, resources)
        resource.set(verb, this.#verb(method.toUpperCase(), path.slice(prefix.length), operation))
      }
    }
    const fields = [...resources].map(([name, resource]) => `readonly ${name} = ${memberText(resource)}\n`)
    return `${comment(description)}export abstract class ${className} extends ApiClient {\n${fields.join('\n')}}\n`
  }

  #verb(method: string, path: string, operation: WrittenOperation): Verb {
    const segments = path.split('/').map((text) => ({ text, id: /^\{(.+)\}$/.exec(text)?.[1] }))
    const ids = segments.flatMap(({ id }) => id ?? [])
    const address = `[${segments.map(({ text, id }) => (id ? camelCase(id) : `'${text}'`)).join(', ')}]`
    const parameters = this.#parametersOf(operation)
    const query = parameters.filter(({ in: location, name }) => location === 'query' && !ofTheKit.has(name))
    const body = this.#bodyOf(operation)
    const has = (name: string) => parameters.some((parameter) => parameter.name === name)
    const options = has('if-match') ? 'ChangeOptions' : has('idempotency-key') ? 'CreateOptions' : 'CallOptions'
    const given = [
      ...ids.map((id) => `${camelCase(id)}: string`),
      ...(body ? [`body${body.optional ? '?' : ''}: ${this.#typeOf(body.schema)}`] : []),
      ...(query.length > 0 ? [this.#queryText(query)] : []),
      `options: ${options} = {}`,
    ]
    const { verb, result, type } = this.#resultOf(operation)
    const sent = [...(body ? ['body'] : []), ...(query.length > 0 ? ['query'] : [])].join(', ')
    const how = verb === 'list' || verb === 'stream' ? '' : `'${method}', `
    const call = `this.${verb}${type}(${how}${address}, options${sent ? `, { ${sent} }` : ''})`
    return { documentation: documentation(operation), code: `(${given.join(', ')}): ${result} => ${call}` }
  }

  #parametersOf({ parameters = [] }: WrittenOperation) {
    const shared = (this.#document.components as unknown as { parameters: Record<string, Parameter> }).parameters
    return parameters.map((parameter): Parameter => {
      const { $ref } = parameter as unknown as { $ref?: string }
      return $ref ? shared[$ref.split('/').at(-1)!]! : parameter
    })
  }

  #queryText(query: Parameter[]): string {
    const properties = Object.fromEntries(
      query.map(({ name, schema, description }) => [name, { ...schema, ...(description ? { description } : {}) }]),
    )
    const required = query.flatMap(({ name, required }) => (required ? [name] : []))
    const type = this.#typeOf({ type: 'object', properties, required })
    return required.length > 0 ? `query: ${type}` : `query: ${type} = {}`
  }

  #bodyOf({ requestBody }: WrittenOperation): { schema: Schema; optional: boolean } | null {
    const schema = requestBody?.content?.['application/json']?.schema
    if (!schema) return null
    const variants = schema.anyOf?.filter(({ type }) => type !== 'null') ?? []
    return schema.anyOf?.some(({ type }) => type === 'null')
      ? { schema: variants[0]!, optional: true }
      : { schema, optional: false }
  }

  #resultOf({ responses }: WrittenOperation): { verb: string; type: string; result: string } {
    const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2'))!
    if (!success.content) return { verb: 'call', type: '<void>', result: 'Promise<void>' }
    if ('text/event-stream' in success.content) {
      return { verb: 'stream', type: '<DeviceEvent>', result: 'AsyncGenerator<DeviceEvent, void, undefined>' }
    }
    const schema = success.content['application/json']?.schema
    if (!schema) return { verb: 'text', type: '', result: 'Promise<string>' }
    const { properties = {} } = this.#document.components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema
    if (properties.items && properties.next) {
      const item = this.#typeOf(properties.items.items!)
      return { verb: 'list', type: `<${item}>`, result: `List<${item}>` }
    }
    const type = this.#typeOf(schema)
    return { verb: 'call', type: `<${type}>`, result: `Promise<${type}>` }
  }

  #typeOf(schema: Schema): string {
    collectNames(schema, this.#document, this.#names)
    return typeText(schema, '', style)
  }
}

type Parameter = NonNullable<WrittenOperation['parameters']>[number]

function inside(resources: Resource, name: string): Resource {
  const found = resources.get(name) ?? new Map()
  resources.set(name, found)
  return found as Resource
}

function memberText(member: Resource | Verb): string {
  if (!(member instanceof Map)) return member.code
  const members = [...member].map(([name, inner]) => {
    const above = inner instanceof Map ? '' : inner.documentation
    return `${above}${name}: ${memberText(inner)},\n`
  })
  return `{\n${members.join('')}}`
}

function documentation({ summary = '', description = '' }: WrittenOperation): string {
  const lines = `${description.replaceAll('*/', '* /')} `.match(/.{1,110}\s+/g) ?? []
  return `/**\n * ${summary}.\n${lines.length > 0 ? ' *\n' : ''}${lines.map((line) => ` * ${line.trim()}\n`).join('')} */\n`
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
