/** A JSON Schema in the OpenAPI document. */
export interface Schema {
  $ref?: string
  title?: string
  description?: string
  type?: string | string[]
  format?: string
  pattern?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  propertyNames?: Schema
  items?: Schema
  minLength?: number
  minItems?: number
  minimum?: number
  default?: unknown
}

export interface Media {
  schema?: Schema
  example?: unknown
}

export interface Response {
  $ref?: string
  description: string
  content?: Record<string, Media>
  headers?: Record<string, object>
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

export interface Operation {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  security?: Record<string, string[]>[]
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { description?: string; required?: boolean; content: Record<string, Media> }
  responses: Record<string, Response | { $ref: string }>
  /** Of the organization API (decision 6.47). */
  'x-permission'?: string
  'x-codeSamples'?: { lang: string; label: string; source: string }[]
}

export interface Document {
  openapi: string
  info: object
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, Response>
    parameters: Record<string, Parameter>
    securitySchemes: Record<string, object>
  }
}
