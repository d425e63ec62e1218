// Writes TypeScript types from the schemas of the OpenAPI document. Our own few lines: openapi-typescript and its like
// print with the JavaScript API of TypeScript 5, which TypeScript 7 does not have.
import type { Document, Schema } from './document.ts'

export interface TypeStyle {
  /** What a named schema is called; its own name if left out. */
  nameOf?(name: string): string
  /** Whether the description of a field stands above it. */
  comments?: boolean
  /** Added to the type of a field that may be absent. */
  absent?: '' | ' | undefined'
}

/** Adds the names that a schema refers to, and those that these refer to. */
export function collectNames(schema: Schema, document: Document, names: Set<string>): void {
  // What is inside a text is no part of its type.
  const text = JSON.stringify(schema, (key, value) => (key === 'contentSchema' ? undefined : value))
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (names.has(name!)) continue
    names.add(name!)
    collectNames(document.components.schemas[name!]!, document, names)
  }
}

export function declaration(name: string, schema: Schema, style: TypeStyle = {}): string {
  const text = typeText(schema, '', style)
  const isInterface = schema.type === 'object' && !schema.dependentRequired
  const keyword = isInterface ? `interface ${name}` : `type ${name} =`
  const line = `export ${keyword} ${text}`
  // As the formatter breaks it.
  const isBroken = schema.enum !== undefined && line.length > 120
  const written = isBroken ? `export ${keyword}\n  | ${text.replaceAll(' | ', '\n  | ')}` : line
  return `${comment(schema.description)}${written}\n`
}

export function comment(text: string | undefined, indent = ''): string {
  return text ? `${indent}/** ${text.replaceAll('*/', '* /')} */\n` : ''
}

export function typeText(schema: Schema, indent = '', style: TypeStyle = {}): string {
  const { $ref, enum: values, const: constant, anyOf, oneOf, allOf, type } = schema
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1)!
    return style.nameOf?.(name) ?? name
  }
  if (constant !== undefined) return literal(constant)
  if (values) return values.map(literal).join(' | ')
  const variants = anyOf ?? oneOf
  if (variants) return union(variants.map((variant) => typeText(variant, indent, style)))
  if (allOf) return allOf.map((part) => `(${typeText(part, indent, style)})`).join(' & ')
  if (type === undefined) return 'unknown'
  return union([type].flat().map((name) => typeOfName(name, schema, indent, style)))
}

function typeOfName(name: string, schema: Schema, indent: string, style: TypeStyle): string {
  if (name === 'integer') return 'number'
  if (name === 'array') return arrayText(typeText(schema.items ?? {}, indent, style))
  if (name === 'object') return objectText(schema, indent, style) + dependencies(schema)
  return name
}

/** A field that needs others: it is absent, or they are there. */
function dependencies({ properties = {}, dependentRequired = {} }: Schema): string {
  const conditions = Object.entries(dependentRequired).map(([name, others]) => {
    const present = [name, ...others].map((each) => `${each}: ${typeText(properties[each]!)}`)
    return ` & ({ ${name}?: undefined } | { ${present.join('; ')} })`
  })
  return conditions.join('')
}

function objectText(
  { properties = {}, required = [], additionalProperties }: Schema,
  indent: string,
  style: TypeStyle,
): string {
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(([name, property]) => {
    const text = typeText(property, inner, style)
    const line = required.includes(name) ? `${name}: ${text}` : `${name}?: ${text}${style.absent ?? ''}`
    return (style.comments ? comment(property.description, inner) : '') + inner + brokenLine(line, property, inner)
  })
  if (lines.length === 0) {
    const value = typeof additionalProperties === 'object' ? additionalProperties : {}
    lines.push(`${inner}[key: string]: ${typeText(value, inner, style)}`)
  }
  return `{\n${lines.join('\n')}\n${indent}}`
}

/** As the formatter breaks it. */
function brokenLine(line: string, property: Schema, inner: string): string {
  if (!property.enum || inner.length + line.length <= 120) return line
  const [head, values] = line.split(': ') as [string, string]
  return `${head}:${values
    .split(' | ')
    .map((value) => `\n${inner}  | ${value}`)
    .join('')}`
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
