import { meaningOf } from './glossary.ts'
import { refusalCodes } from './refusal-codes.ts'
import type { Parameter, Response, Schema } from './schema.ts'

/** A schema with a description on every field, in the forms that readers and generators of clients like best. */
export function described(schema: Schema, thing = 'thing'): Schema {
  const inner = schema.title ? wordsOf(schema.title) : thing
  const whole = plainForm(schema)
  const parts: Schema = {
    ...whole,
    ...(whole.description ? { description: sentence(whole.description) } : {}),
    ...(whole.items ? { items: described(whole.items, inner) } : {}),
    ...(whole.anyOf ? { anyOf: whole.anyOf.map((variant) => described(variant, inner)) } : {}),
    ...(whole.allOf ? { allOf: whole.allOf.map((part) => described(part, inner)) } : {}),
    ...(isSchema(whole.additionalProperties)
      ? { additionalProperties: described(whole.additionalProperties, inner) }
      : {}),
  }
  if (!whole.properties) return parts
  const fields = Object.entries(whole.properties).map(([name, field]) => [
    name,
    describedField(name, field, inner, schema.title),
  ])
  return { ...parts, properties: Object.fromEntries(fields) }
}

function describedField(name: string, field: Schema, thing: string, title: string | undefined): Schema {
  const text = textOf(name, thing, title)
  const result = described(field, thing)
  // A named schema describes itself; what the field is about is added beside the reference.
  if (result.title || result.description || text === undefined) return result
  return { ...result, description: text }
}

/** Of a parameter: `/spaces/{id}` names a space. */
export function describedParameter(parameter: Parameter, path: string): Parameter {
  const schema = described(parameter.schema)
  const text = parameter.description ?? schema.description ?? textOf(parameter.name, thingOf(path, parameter.name))
  // Inline: the document's parameters have their descriptions beside the schema, not in it.
  const { description: _, title: __, ...rest } = schema
  return { ...parameter, ...(text ? { description: sentence(text) } : {}), schema: rest }
}

function textOf(name: string, thing: string, title?: string): string | undefined {
  return meaningOf(name, title)?.description.replace('{thing}', thing)
}

function thingOf(path: string, parameter: string): string {
  const segments = path.split('/')
  const before = segments[segments.indexOf(`{${parameter}}`) - 1] ?? 'thing'
  return before.replaceAll('-', ' ').replace(/ies$/, 'y').replace(/s$/, '')
}

/** `PartnerDevice` → `partner device`. */
export function wordsOf(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/^(new|created|changed|any) /, '')
    .replace(/ (change|with \w+)$/, '')
}

/** One type with null instead of two variants, and a list of values instead of a variant for each. */
function plainForm(schema: Schema): Schema {
  const { anyOf, ...rest } = schema
  if (!anyOf) return schema.enum && !schema.type ? { type: typeOf(schema.enum), ...schema } : schema
  if (anyOf.every((variant) => typeof variant.const === 'string')) {
    return { ...rest, type: 'string', enum: anyOf.map((variant) => variant.const) }
  }
  const [value, none] = anyOf
  if (anyOf.length !== 2 || none?.type !== 'null' || !value) return schema
  const description = rest.description ?? (value.title ? undefined : value.description)
  const about = description ? { description } : {}
  if (typeof value.type === 'string' && !value.title && !value.enum && value.const === undefined) {
    return { ...value, ...rest, ...about, type: [value.type, 'null'] }
  }
  const { description: _, ...bare } = value
  return { ...rest, ...about, anyOf: [value.title ? value : bare, none] }
}

function typeOf(values: unknown[]): string {
  return values.every((value) => typeof value === 'number') ? 'integer' : 'string'
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null
}

/** Descriptions of patterns are parts of a sentence at run time: "must be six hexadecimal pairs". */
function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?…)`]$/.test(first) ? first : `${first}.`
}

/** When a refusal with these codes occurs. */
export function refusalText(codes: string[]): string {
  if (codes.length === 0) return 'No credential came with the request, or one that is not valid or no longer valid.'
  const lines = codes.map((code) => `\`${code}\`: ${refusalCodes[code] ?? ''}.`)
  return lines.length === 1 ? lines[0]! : lines.map((line) => `- ${line}`).join('\n')
}

/** The wording of a real one is its own; `code` is what counts. */
export function refusalExample([code]: string[]): object {
  if (code === undefined) return { error: 'Not authorized' }
  return { error: sentence((refusalCodes[code] ?? code).replaceAll('`', '')), code }
}

/** What a success returns, where the route does not say so itself. */
export function successText(status: string, schema: Schema | undefined): string {
  if (!schema) return 'Done. The response has no body.'
  const { title = '' } = schema
  if (title.endsWith('List')) return `A page of ${wordsOf(title.slice(0, -4))} items, and where the next one starts.`
  const text = schema.description ?? `The ${wordsOf(title)}.`
  if (status === '201') return `Created. ${text}`
  return status === '202' ? `Accepted. ${text}` : text
}

export function isRefusal(response: Response): boolean {
  return response.content?.['application/json']?.schema?.title === 'Refusal'
}
