import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify'
import { isInReach } from '../instants.ts'
import { type Detail, mostDetails } from '../refusal.ts'

/** A body is taken as it is written; only a query or path, which knows nothing but text, is coerced. */
const strict = build({ coerceTypes: false })
const coercing = build({ coerceTypes: true })

/** Compiled at a route's first request: to compile them all takes longer than the rest of a start. */
export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  let validate: ValidateFunction | undefined
  return (data) => {
    validate ??= (httpPart === 'body' ? strict : coercing).compile(schema)
    const passes = validate(data)
    // Of what a schema admits, and no deeper: only JSON can write half a character, a path or query is decoded from UTF-8.
    const errors = passes && httpPart === 'body' ? illFormed(data) : (validate.errors ?? [])
    return errors.length === 0 || { error: errors as FastifySchemaValidationError[] }
  }
}

/** A lone surrogate is no character in any encoding: Postgres refuses it in JSON, and in text it would be another one. */
function illFormed(value: unknown, instancePath = ''): Partial<ErrorObject>[] {
  if (typeof value === 'string') {
    return value.isWellFormed() ? [] : [{ instancePath, message: 'must be text without lone surrogates' }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => illFormed(part, `${instancePath}/${name}`))
}

function build(options: { coerceTypes: boolean }): Ajv {
  // allErrors: a caller mends a body once, not once a field. Bodies are bounded, so the cost is too.
  // verbose: an error brings its schema along, whose description says in words what a pattern asks for.
  const taking = { allErrors: true, verbose: true, useDefaults: true, removeAdditional: false, strict: false }
  const ajv = new Ajv({ ...options, ...taking })
  formats.default(ajv)
  // The stock format admits a leap second and offsets without minutes, which are no Date, and years out of reach.
  const { validate: isDateTime } = formats.default.get('date-time') as { validate(text: string): boolean }
  ajv.addFormat('date-time', (text: string) => isDateTime(text) && isInReach(new Date(text)))
  return ajv
}

const instant = 'an RFC 3339 instant such as 2026-03-01T12:00:00Z, of the years 0001 to 9999 and no leap second'

/** One detail a field, in the caller's words. */
export function detailsOf(errors: readonly Partial<ErrorObject>[]): Detail[] {
  const details = new Map<string, string>()
  for (const error of errors) {
    if (details.size === mostDetails) break
    const { field, message } = detailOf(error)
    if (!details.has(field)) details.set(field, message)
  }
  return [...details].map(([field, message]) => ({ field, message }))
}

function detailOf(error: Partial<ErrorObject>): Detail {
  const { instancePath = '', keyword, params = {}, message = 'is not valid', parentSchema } = error
  const path = instancePath.slice(1).replaceAll('/', '.')
  const child = (name: string) => (path ? `${path}.${name}` : name)
  switch (keyword) {
    case 'required':
      return { field: child(params.missingProperty), message: 'is required' }
    case 'additionalProperties':
      return { field: child(params.additionalProperty), message: 'is not a known field' }
    case 'enum':
      return { field: path, message: `must be one of ${params.allowedValues.join(', ')}` }
    case 'const':
      return { field: path, message: `must be ${JSON.stringify(params.allowedValue)}` }
    case 'pattern': {
      const { description } = parentSchema ?? {}
      return { field: path, message: description ? `must be ${description}` : message }
    }
    case 'maxItems':
      return { field: path, message: `must have at most ${params.limit} items` }
    case 'format':
      return { field: path, message: params.format === 'date-time' ? `must be ${instant}` : message }
    default:
      return { field: path || 'body', message }
  }
}
