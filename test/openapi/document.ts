import type { Needed } from '../../server/src/directory/permissions.ts'

/** The service's own description of itself, as the tests of this folder walk it. */
export interface Operation {
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  tags: string[]
  /** What its caller needs; of the organization API only. */
  permission: Needed
  summary: string | undefined
  security: string[]
  parameters: { name: string; in: 'path' | 'query' | 'header' | 'cookie'; required?: boolean; schema: Schema }[]
  body: { type: string; schema: Schema; required: boolean } | null
  responses: Record<string, { schema: Schema | null; types: string[] }>
}

export interface Schema {
  $ref?: string
  description?: string
  type?: string | string[]
  format?: string
  pattern?: string
  'x-text'?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  dependentRequired?: Record<string, string[]>
  additionalProperties?: boolean | Schema
  items?: Schema
  contentSchema?: Schema
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  default?: unknown
}

interface Content {
  content?: Record<string, { schema?: Schema; example?: unknown }>
}

export interface WrittenOperation {
  operationId: string
  tags?: string[]
  'x-permission'?: Needed
  summary?: string
  description?: string
  security?: object[]
  parameters?: (Operation['parameters'][number] & { description?: string })[]
  requestBody?: Content & { required?: boolean; description?: string }
  responses: Record<string, Content & { description: string }>
}

export interface Document {
  paths: Record<string, Record<string, WrittenOperation>>
  webhooks: Record<string, Record<string, WrittenOperation>>
  components: { schemas: Record<string, Schema> }
}

/** The document with what each reference refers to in its place; what is combined by `allOf` is one schema. */
export function withoutReferences<Part>(document: object, part: Part): Part {
  if (Array.isArray(part)) return part.map((item) => withoutReferences(document, item)) as Part
  if (typeof part !== 'object' || part === null) return part
  const { $ref, ...rest } = part as Record<string, unknown>
  if (typeof $ref === 'string') {
    const found = $ref
      .split('/')
      .slice(1)
      .reduce((at, name) => (at as Record<string, object>)[name]!, document)
    return { ...withoutReferences(document, found), ...rest } as Part
  }
  const whole = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, withoutReferences(document, value)]),
  )
  return (Array.isArray(whole.allOf) ? combined(whole.allOf) : whole) as Part
}

function combined(parts: Schema[]): Schema {
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: [...new Set(parts.flatMap(({ required = [] }) => required))],
  }
}

export function operationsOf(document: Document): Operation[] {
  return Object.entries(withoutReferences(document, document.paths)).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase() as Operation['method'],
      path,
      tags: operation.tags ?? [],
      summary: operation.summary,
      permission: operation['x-permission'] ?? 'none',
      security: (operation.security ?? []).flatMap((scheme) => Object.keys(scheme)),
      parameters: operation.parameters ?? [],
      body: bodyOf(operation.requestBody),
      responses: Object.fromEntries(
        Object.entries(operation.responses).map(([status, { content = {} }]) => [
          status,
          { schema: content['application/json']?.schema ?? null, types: Object.keys(content) },
        ]),
      ),
    })),
  )
}

function bodyOf(body: WrittenOperation['requestBody']): Operation['body'] {
  const [content] = Object.entries(body?.content ?? {})
  return content ? { type: content[0], schema: content[1].schema ?? {}, required: body?.required ?? false } : null
}

/** `/core/v1/partner/models/{id}/hardware-keys/{key_id}` → what each parameter names: `models`, `hardware-keys`. */
export function kindsOf(path: string): { name: string; kind: string }[] {
  const segments = path.split('/')
  return segments.flatMap((segment, index) => {
    const name = /^\{(.+)\}$/.exec(segment)?.[1]
    return name ? [{ name, kind: segments[index - 1]! }] : []
  })
}

export function fill(path: string, values: Record<string, string>): string {
  return path.replace(/\{(.+?)\}/g, (_, name) => encodeURIComponent(values[name] ?? `{${name}}`))
}

export function streams({ responses }: Operation): boolean {
  return Object.values(responses).some(({ types }) => types.includes('text/event-stream'))
}

/** Whether a token or a key is refused here. */
export function sessionOnly(operation: Operation): boolean {
  return JSON.stringify(operation).includes('portal_session_required')
}
