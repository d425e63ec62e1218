import type { Parameter, Response, Schema } from './schema.ts'

/** The parts of the document that have a name and are referred to. */
export class Components {
  readonly schemas: Record<string, Schema> = {}
  readonly responses: Record<string, Response> = {}
  readonly parameters: Record<string, Parameter> = {}

  /** The schema with a reference in place of every part that has a title. */
  name(schema: Schema): Schema {
    const { title, ...rest } = schema
    const whole: Schema = {
      ...rest,
      ...(rest.properties ? { properties: mapValues(rest.properties, (field) => this.name(field)) } : {}),
      ...(rest.items ? { items: this.name(rest.items) } : {}),
      ...(rest.anyOf ? { anyOf: rest.anyOf.map((variant) => this.name(variant)) } : {}),
      ...(rest.oneOf ? { oneOf: rest.oneOf.map((variant) => this.name(variant)) } : {}),
      ...(rest.allOf ? { allOf: rest.allOf.map((part) => this.name(part)) } : {}),
      ...(typeof rest.additionalProperties === 'object'
        ? { additionalProperties: this.name(rest.additionalProperties) }
        : {}),
    }
    if (title === undefined) return whole
    const known = this.schemas[title]
    if (known && JSON.stringify(known) !== JSON.stringify(whole)) throw new Error(`Two schemas are named ${title}.`)
    this.schemas[title] = whole
    return { $ref: `#/components/schemas/${title}` }
  }

  response(name: string, response: Response): { $ref: string } {
    this.responses[name] = response
    return { $ref: `#/components/responses/${name}` }
  }

  parameter(parameter: Parameter): { $ref: string } {
    const name = pascalCase(parameter.name)
    this.parameters[name] = parameter
    return { $ref: `#/components/parameters/${name}` }
  }
}

/** `if-match` → `IfMatch`. */
export function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]/).filter(Boolean)
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

export function mapValues<From, To>(record: Record<string, From>, change: (value: From, key: string) => To) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))
}
