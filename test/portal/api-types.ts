// Writes the types of portal/src/api/generated.ts from the OpenAPI document. Our own few lines: openapi-typescript
// and its like print with the JavaScript API of TypeScript 5, which TypeScript 7 does not have.
import type { Document, Schema, WrittenOperation } from '../openapi/document.ts'

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

/** Adds the names that a schema refers to, and those that these refer to. */
function collectNames(schema: Schema, document: Document, names: Set<string>): void {
  // What is inside a text is no part of its type.
  const text = JSON.stringify(schema, (key, value) => (key === 'contentSchema' ? undefined : value))
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (names.has(name!)) continue
    names.add(name!)
    collectNames(document.components.schemas[name!]!, document, names)
  }
}

function declaration(name: string, schema: Schema): string {
  const text = typeText(schema, '')
  const comment = schema.description ? `/** ${schema.description} */\n` : ''
  return `${comment}export ${schema.type === 'object' ? `interface ${name} ${text}` : `type ${name} = ${text}`}\n`
}

function typeText(schema: Schema, indent: string): string {
  const { $ref, enum: values, const: constant, anyOf, oneOf, allOf, type } = schema
  if ($ref !== undefined) return $ref.split('/').at(-1)!
  if (constant !== undefined) return literal(constant)
  if (values) return values.map(literal).join(' | ')
  const variants = anyOf ?? oneOf
  if (variants) return union(variants.map((variant) => typeText(variant, indent)))
  if (allOf) return allOf.map((part) => `(${typeText(part, indent)})`).join(' & ')
  if (type === undefined) return 'unknown'
  return union([type].flat().map((name) => typeOfName(name, schema, indent)))
}

function typeOfName(name: string, schema: Schema, indent: string): string {
  if (name === 'integer') return 'number'
  if (name === 'array') return arrayText(typeText(schema.items ?? {}, indent))
  if (name === 'object') return objectText(schema, indent)
  return name
}

function objectText({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(([name, property]) => {
    const line = `${name}${required.includes(name) ? '' : '?'}: ${typeText(property, inner)}`
    // As the formatter breaks it.
    if (!property.enum || inner.length + line.length <= 120) return line
    const [head, values] = line.split(': ') as [string, string]
    return `${head}:${values
      .split(' | ')
      .map((value) => `\n${inner}  | ${value}`)
      .join('')}`
  })
  if (lines.length === 0) {
    const value = typeof additionalProperties === 'object' ? additionalProperties : {}
    lines.push(`[key: string]: ${typeText(value, inner)}`)
  }
  return `{\n${lines.map((line) => inner + line).join('\n')}\n${indent}}`
}

function arrayText(item: string): string {
  return !item.startsWith('{') && item.includes('|') ? `(${item})[]` : `${item}[]`
}

function union(types: string[]): string {
  return [...new Set(types)].join(' | ')
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value)
}
