// Writes the types of portal/src/api/generated.ts from the OpenAPI document. Our own few lines: openapi-typescript
// and its like print with the JavaScript API of TypeScript 5, which TypeScript 7 does not have.
import { type Operation, operationsOf, type Schema } from '../openapi/document.ts'

const heading = `// Generated from the OpenAPI document by \`npm run generate:api-types\`. Do not edit.
// Only portal/src/api/ reads it; pages use the names given there.

export type Item<Operation extends keyof Responses> = Responses[Operation] extends { items: (infer One)[] }
  ? One
  : never

/** The JSON body of each operation's successful response. */
export interface Responses {
`

export function portalTypes(document: Parameters<typeof operationsOf>[0]): string {
  const lines = operationsOf(document)
    .filter(({ path }) => path.startsWith('/core/v1/'))
    .flatMap((operation) => {
      const schema = successSchema(operation)
      return schema ? [`  '${operation.method} ${operation.path}': ${typeText(schema, '  ')}`] : []
    })
  return `${heading}${lines.join('\n')}\n}\n`
}

function successSchema({ responses }: Operation): Schema | null {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))
  return success?.[1].schema ?? null
}

function typeText(schema: Schema, indent: string): string {
  const { enum: values, const: constant, anyOf, oneOf, allOf, type } = schema
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
