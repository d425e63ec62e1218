// Writes TypeScript types from the schemas of the OpenAPI document. Our own few lines: openapi-typescript and its like
// print with the JavaScript API of TypeScript 5, which TypeScript 7 does not have.
import type { Document, Schema } from '../openapi/document.ts'

/** Schemas whose names the kit uses for something of its own. */
const renamed: Record<string, string> = {
  Organization: 'OrganizationInfo',
  Application: 'ApplicationInfo',
  WebhookEvent: 'WebhookBody',
  IdTokenClaims: 'Claims',
}

/** Writes types, and remembers which named ones they need. */
export class TypeWriter {
  readonly #document: Document
  readonly #names = new Set<string>()

  constructor(document: Document) {
    this.#document = document
  }

  typeOf(schema: Schema): string {
    this.#collect(schema)
    return typeText(schema)
  }

  /** The schema itself, where it is a reference to one. */
  resolved(schema: Schema): Schema {
    return schema.$ref ? this.#document.components.schemas[nameIn(schema.$ref)]! : schema
  }

  /** The named types that were needed, as they are called in what was written. */
  names(): string[] {
    return [...this.#names].map(calledName)
  }

  declarations(): string {
    return [...this.#names]
      .sort()
      .map((name) => declaration(calledName(name), this.#document.components.schemas[name]!))
      .join('\n')
  }

  /** Adds the names that a schema refers to, and those that these refer to. */
  #collect(schema: Schema): void {
    // What is inside a text is no part of its type.
    const text = JSON.stringify(schema, (key, value) => (key === 'contentSchema' ? undefined : value))
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (this.#names.has(name!)) continue
      this.#names.add(name!)
      this.#collect(this.#document.components.schemas[name!]!)
    }
  }
}

export function comment(text: string | undefined): string {
  return text ? `/** ${text.replaceAll('*/', '* /')} */\n` : ''
}

function calledName(name: string): string {
  return renamed[name] ?? name
}

function nameIn(reference: string): string {
  return reference.split('/').at(-1)!
}

function declaration(name: string, schema: Schema): string {
  const isInterface = schema.type === 'object' && !schema.dependentRequired
  return `${comment(schema.description)}export ${isInterface ? `interface ${name}` : `type ${name} =`} ${typeText(schema)}\n`
}

function typeText(schema: Schema): string {
  const { $ref, enum: values, const: constant, anyOf, oneOf, allOf, type } = schema
  if ($ref !== undefined) return calledName(nameIn($ref))
  if (constant !== undefined) return literal(constant)
  if (values) return values.map(literal).join(' | ')
  const variants = anyOf ?? oneOf
  if (variants) return union(variants.map(typeText))
  if (allOf) return allOf.map((part) => `(${typeText(part)})`).join(' & ')
  if (type === undefined) return 'unknown'
  return union([type].flat().map((name) => typeOfName(name, schema)))
}

function typeOfName(name: string, schema: Schema): string {
  if (name === 'integer') return 'number'
  if (name === 'array') return arrayText(typeText(schema.items ?? {}))
  if (name === 'object') return objectText(schema) + dependencies(schema)
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

function objectText({ properties = {}, required = [], additionalProperties }: Schema): string {
  const lines = Object.entries(properties).map(([name, property]) => {
    const text = typeText(property)
    const line = required.includes(name) ? `${name}: ${text}` : `${name}?: ${text} | undefined`
    return comment(property.description) + line
  })
  if (lines.length === 0) {
    const value = typeof additionalProperties === 'object' ? additionalProperties : {}
    lines.push(`[key: string]: ${typeText(value)}`)
  }
  return `{\n${lines.join('\n')}\n}`
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
