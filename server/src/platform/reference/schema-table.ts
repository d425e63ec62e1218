import { type Content, html } from '../pages/html.ts'

/** As much of JSON Schema as our schemas use. */
export interface Schema {
  type?: string
  format?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

interface Row {
  name: string
  schema: Schema
  required: boolean
}

/** One row a field, nested ones under their path: `admin.email`, `devices[].id`. */
export function schemaTable(schema: Schema): Content {
  const rows = rowsOf('', schema, true)
  if (rows.length === 0) return html`<p><code>${typeOf(schema)}</code> ${schema.description}</p>`
  return fieldTable(rows)
}

export function fieldTable(rows: Row[]): Content {
  return html`<table><tbody>${rows.map(
    ({ name, schema, required }) => html`<tr>
<th scope="row"><code>${name}</code></th>
<td><code>${typeOf(schema)}</code>${!required && html` <span class="quiet">optional</span>`}</td>
<td>${schema.description} <span class="quiet">${boundsOf(schema)}</span></td></tr>`,
  )}</tbody></table>`
}

function rowsOf(path: string, schema: Schema, required: boolean): Row[] {
  const own = path === '' ? [] : [{ name: path, schema, required }]
  const inner = schema.anyOf?.find((choice) => choice.type !== 'null') ?? schema
  if (inner.type === 'array' && inner.items) return [...own, ...rowsOf(`${path}[]`, inner.items, true).slice(1)]
  const needed = new Set(inner.required)
  const fields = Object.entries(inner.properties ?? {})
  return [
    ...own,
    ...fields.flatMap(([name, field]) => rowsOf(path ? `${path}.${name}` : name, field, needed.has(name))),
  ]
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' | ')
  if (schema.type === 'array') return `${schema.items ? typeOf(schema.items) : 'any'}[]`
  return schema.format ?? schema.type ?? 'any'
}

function boundsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems, ...schema }: Schema): string {
  const span = (min: number | undefined, max: number | undefined, what: string) => {
    if (min === undefined && max === undefined) return []
    return [`${min === undefined ? 'up to ' : max === undefined ? 'at least ' : `${min}–`}${max ?? min}${what}`]
  }
  return [
    ...span(minimum, maximum, ''),
    ...span(minLength, maxLength, ' characters'),
    ...span(minItems, maxItems, ' items'),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ].join(', ')
}
