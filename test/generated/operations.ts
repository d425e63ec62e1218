import type { Document, Schema, WrittenOperation } from '../openapi/document.ts'
import type { TypeWriter } from './types.ts'

type Parameter = NonNullable<WrittenOperation['parameters']>[number]

/** An operation as both outputs write it. */
export interface ApiOperation {
  id: string
  method: string
  path: string
  summary: string
  description: string
  query: Parameter[]
  /** Names in lower case. */
  headers: Set<string>
  body: { schema: Schema; optional: boolean } | null
  result: Result
}

export type Result =
  | { kind: 'nothing' }
  | { kind: 'text' }
  | { kind: 'events' }
  | { kind: 'one'; schema: Schema }
  /** A page of a list. */
  | { kind: 'list'; schema: Schema; item: Schema }

export function apiOperations(document: Document, types: TypeWriter, isWanted: (path: string) => boolean) {
  return Object.entries(document.paths)
    .filter(([path]) => isWanted(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): ApiOperation => {
        const { operationId: id, summary = '', description = '' } = operation
        const parameters = parametersOf(document, operation)
        return {
          ...{ id, path, summary, description, method: method.toUpperCase() },
          query: parameters.filter((parameter) => parameter.in === 'query'),
          headers: new Set(
            parameters.flatMap(({ in: location, name }) => (location === 'header' ? name.toLowerCase() : [])),
          ),
          body: bodyOf(operation),
          result: resultOf(operation, types),
        }
      }),
    )
}

/** The type of a query, and whether all of it may be left out. */
export function queryOf(query: Parameter[], types: TypeWriter): { type: string; optional: boolean } {
  const properties = Object.fromEntries(
    query.map(({ name, schema, description }) => [name, { ...schema, ...(description ? { description } : {}) }]),
  )
  const required = query.flatMap((parameter) => (parameter.required ? [parameter.name] : []))
  return { type: types.typeOf({ type: 'object', properties, required }), optional: required.length === 0 }
}

function parametersOf(document: Document, { parameters = [] }: WrittenOperation): Parameter[] {
  const shared = (document.components as unknown as { parameters: Record<string, Parameter> }).parameters
  return parameters.map((parameter): Parameter => {
    const { $ref } = parameter as unknown as { $ref?: string }
    return $ref ? shared[$ref.split('/').at(-1)!]! : parameter
  })
}

function bodyOf({ requestBody }: WrittenOperation): ApiOperation['body'] {
  const schema = requestBody?.content?.['application/json']?.schema
  if (!schema) return null
  const variants = schema.anyOf?.filter(({ type }) => type !== 'null') ?? []
  return schema.anyOf?.some(({ type }) => type === 'null')
    ? { schema: variants[0]!, optional: true }
    : { schema, optional: false }
}

function resultOf({ responses }: WrittenOperation, types: TypeWriter): Result {
  const content = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content
  if (!content) return { kind: 'nothing' }
  if ('text/event-stream' in content) return { kind: 'events' }
  const schema = content['application/json']?.schema
  if (!schema) return { kind: 'text' }
  const { items, next } = types.resolved(schema).properties ?? {}
  return items && next ? { kind: 'list', schema, item: items.items! } : { kind: 'one', schema }
}
