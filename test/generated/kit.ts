import { type Document, operationsOf, type Schema, sessionOnly, withoutReferences } from '../openapi/document.ts'
import { type ApiOperation, apiOperations, queryOf } from './operations.ts'
import { comment, TypeWriter } from './types.ts'

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

/** Names in imports are in order without regard to case. */
function asBiomeSorts(one: string, other: string): number {
  const [first, second] = [one.toLowerCase(), other.toLowerCase()]
  return first < second ? -1 : first > second ? 1 : one < other ? -1 : 1
}

/** The texts of the kit's types and of its resources. */
export function kitTexts(document: Document): { types: string; resources: string } {
  const types = new TypeWriter(document)
  for (const name of alsoNamed) types.typeOf({ $ref: `#/components/schemas/${name}` })
  const classes = apis.map((api) => new ResourceWriter(document, types).classText(api))
  const used = types.names().filter((name) => classes.join().match(`\\b${name}\\b`))
  const imports =
    "import { ApiClient, type CallOptions, type ChangeOptions, type CreateOptions, type List } from './api-client.ts'\n" +
    "import type { DeviceEvent } from './event-stream.ts'\n" +
    `import type { ${used.sort(asBiomeSorts).join(', ')} } from './generated-types.ts'\n`
  return {
    types: `\n${types.declarations()}\n${refusalCodes(document)}`,
    resources: `${imports}\n${classes.join('\n')}`,
  }
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

/** A resource has verbs and further resources: `groups.list`, `groups.members.add`. */
type Resource = Map<string, Resource | Verb>

interface Verb {
  documentation: string
  code: string
}

class ResourceWriter {
  readonly #document: Document
  readonly #types: TypeWriter
  readonly #refused: Set<string>

  constructor(document: Document, types: TypeWriter) {
    this.#document = document
    this.#types = types
    // Offered, they would only be refused.
    this.#refused = new Set(
      operationsOf(document)
        .filter(sessionOnly)
        .map(({ id }) => id),
    )
  }

  classText({ className, description, prefix }: Api): string {
    const resources: Resource = new Map()
    for (const operation of apiOperations(this.#document, this.#types, (path) => path.startsWith(prefix))) {
      if (this.#refused.has(operation.id)) continue
      const words = operation.id.replace(/^partner\./, '').split('.')
      const verb = words.pop()!
      words.reduce(inside, resources).set(verb, this.#verb(operation, operation.path.slice(prefix.length)))
    }
    const fields = [...resources].map(
      ([name, resource]) => `${aboveText(resource)}readonly ${name} = ${memberText(resource)}\n`,
    )
    return `${comment(description)}export abstract class ${className} extends ApiClient {\n${fields.join('\n')}}\n`
  }

  #verb(operation: ApiOperation, path: string): Verb {
    const { method, headers, body } = operation
    const segments = path.split('/').map((text) => ({ text, id: /^\{(.+)\}$/.exec(text)?.[1] }))
    const ids = segments.flatMap(({ id }) => id ?? [])
    const address = `[${segments.map(({ text, id }) => (id ? camelCase(id) : `'${text}'`)).join(', ')}]`
    const query = operation.query.filter(({ name }) => !ofTheKit.has(name))
    const options = headers.has('if-match')
      ? 'ChangeOptions'
      : headers.has('idempotency-key')
        ? 'CreateOptions'
        : 'CallOptions'
    const given = [
      ...ids.map((id) => `${camelCase(id)}: string`),
      ...(body ? [`body${body.optional ? '?' : ''}: ${this.#types.typeOf(body.schema)}`] : []),
      ...(query.length > 0 ? [this.#queryText(query)] : []),
      `options: ${options} = {}`,
    ]
    const { verb, result, type } = this.#resultOf(operation)
    const sent = [...(body ? ['body'] : []), ...(query.length > 0 ? ['query'] : [])].join(', ')
    const how = verb === 'list' || verb === 'stream' ? '' : `'${method}', `
    const call = `this.${verb}${type}(${how}${address}, options${sent ? `, { ${sent} }` : ''})`
    return { documentation: documentation(operation), code: `(${given.join(', ')}): ${result} => ${call}` }
  }

  #queryText(query: ApiOperation['query']): string {
    const { type, optional } = queryOf(query, this.#types)
    return optional ? `query: ${type} = {}` : `query: ${type}`
  }

  #resultOf({ result }: ApiOperation): { verb: string; type: string; result: string } {
    if (result.kind === 'nothing') return { verb: 'call', type: '<void>', result: 'Promise<void>' }
    if (result.kind === 'text') return { verb: 'text', type: '', result: 'Promise<string>' }
    if (result.kind === 'events') {
      return { verb: 'stream', type: '<DeviceEvent>', result: 'AsyncGenerator<DeviceEvent, void, undefined>' }
    }
    if (result.kind === 'list') {
      const item = this.#types.typeOf(result.item)
      return { verb: 'list', type: `<${item}>`, result: `List<${item}>` }
    }
    const type = this.#types.typeOf(result.schema)
    return { verb: 'call', type: `<${type}>`, result: `Promise<${type}>` }
  }
}

function inside(resources: Resource, name: string): Resource {
  const found = resources.get(name) ?? new Map()
  resources.set(name, found)
  return found as Resource
}

function memberText(member: Resource | Verb): string {
  if (!(member instanceof Map)) return member.code
  const members = [...member].map(([name, inner]) => `${aboveText(inner)}${name}: ${memberText(inner)},\n`)
  return `{\n${members.join('')}}`
}

function aboveText(member: Resource | Verb): string {
  return member instanceof Map ? '' : member.documentation
}

function documentation({ summary, description }: ApiOperation): string {
  const lines = `${description.replaceAll('*/', '* /')} `.match(/.{1,110}\s+/g) ?? []
  return `/**\n * ${summary}.\n${lines.length > 0 ? ' *\n' : ''}${lines.map((line) => ` * ${line.trim()}\n`).join('')} */\n`
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
