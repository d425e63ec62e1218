// Writes the types of portal/src/api/generated.ts from the OpenAPI document.
import type { Document, Schema, WrittenOperation } from '../openapi/document.ts'
import { collectNames, declaration, typeText } from '../openapi/typescript.ts'

const heading = `// Generated from the OpenAPI document by \`npm run generate:api-types\`. Do not edit.
// Only portal/src/api/ reads it; pages use the names given there.

export type Item<Operation extends keyof Responses> = Responses[Operation] extends { items: (infer One)[] }
  ? One
  : never

`

export function portalTypes(document: Document): string {
  const names = new Set<string>()
  const lines = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/core/v1/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => {
        const schema = successSchema(operation)
        if (!schema) return []
        collectNames(schema, document, names)
        return [`  '${method.toUpperCase()} ${path}': ${typeText(schema, '  ')}`]
      }),
    )
  const named = [...names].sort().map((name) => declaration(name, document.components.schemas[name]!))
  const responses = `/** The JSON body of each operation's successful response. */\nexport interface Responses {\n${lines.join('\n')}\n}\n`
  return `${heading}${named.join('\n')}\n${responses}`
}

function successSchema({ responses }: WrittenOperation): Schema | null {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))
  return success?.[1].content?.['application/json']?.schema ?? null
}
