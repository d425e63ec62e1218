import type { Document } from '../openapi/document.ts'
import { type ApiOperation, apiOperations, queryOf } from './operations.ts'
import { TypeWriter } from './types.ts'

const about = `/**
 * What each operation takes and returns, by its method and path. The names of the path's parameters are in the path.
 * portal/src/api/operations.ts reads it; pages use the names given in portal/src/api/.
 */`

/** The text of portal/src/api/generated.ts. */
export function portalTypes(document: Document): string {
  const types = new TypeWriter(document)
  const operations = apiOperations(document, types, isOfPortal).map((operation) => memberText(operation, types))
  return `\n${types.declarations()}\n${about}\nexport interface Operations {\n${operations.join('\n')}\n}\n`
}

function isOfPortal(path: string): boolean {
  return path.startsWith('/core/v1/') || path === '/.well-known/openid-configuration'
}

function memberText({ method, path, query, body, result }: ApiOperation, types: TypeWriter): string {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const both = query.find(({ name }) => names.includes(name))
  if (both) throw new Error(`${method} ${path} has ${both.name} in its path and in its query.`)
  const fields = [
    query.length > 0 && `query: ${queryOf(query, types).type}`,
    body && `body${body.optional ? '?' : ''}: ${types.typeOf(body.schema)}`,
    `response: ${responseText(result, types)}`,
  ]
  return `'${method} ${path}': { ${fields.filter(Boolean).join('; ')} }`
}

function responseText(result: ApiOperation['result'], types: TypeWriter): string {
  if ('schema' in result) return types.typeOf(result.schema)
  return result.kind === 'nothing' ? 'undefined' : 'string'
}
