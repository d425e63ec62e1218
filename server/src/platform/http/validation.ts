import { Ajv, type ErrorObject, str, type ValidateFunction } from 'ajv'
import formats, { type FormatName } from 'ajv-formats'
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify'
import { isInReach } from '../instants.ts'
import { requestLimits } from '../own-limits.ts'
import type { Detail } from '../refusal.ts'
import { textKeyword } from './text-keyword.ts'

/** The formats in use besides date-time, each with its maximum length. */
const formatCharacters = { email: 254, uuid: 45 }

/** A body is validated as it is; what is all text, such as a query or a path, is coerced. */
const strict = build({ coerceTypes: false })
const coercing = build({ coerceTypes: true })
/** Decision 10.20: what a route does not declare of a query never reaches its verb. */
const dropping = build({ coerceTypes: true, removeAdditional: 'all' })
const validators: Record<string, Ajv> = { body: strict, querystring: dropping }

/** Compiled at a route's first request, since compiling them all takes longer than the rest of a start. */
export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  let validate: ValidateFunction | undefined
  return (data) => {
    validate ??= (validators[httpPart ?? ''] ?? coercing).compile(schema)
    const passes = validate(data)
    // Only JSON can contain a lone surrogate: a path or query is decoded from UTF-8.
    const errors = passes && httpPart === 'body' ? illFormed(data) : (validate.errors ?? [])
    return errors.length === 0 || { error: errors as FastifySchemaValidationError[] }
  }
}

/** For the parts of a body that are judged one by one: returns what is wrong with a part, by field. */
export function partValidator(schema: object): (part: unknown) => Detail[] {
  let validate: ValidateFunction | undefined
  return (part) => {
    validate ??= strict.compile(schema)
    return detailsOf(validate(part) ? illFormed(part) : (validate.errors ?? []))
  }
}

/** A lone surrogate is no character: Postgres refuses it in JSON, and in text it would be replaced. */
function illFormed(value: unknown, instancePath = ''): Partial<ErrorObject>[] {
  if (typeof value === 'string') {
    return value.isWellFormed() ? [] : [{ instancePath, message: 'must be text without lone surrogates' }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => illFormed(part, `${instancePath}/${name}`))
}

function build(options: { coerceTypes: boolean; removeAdditional?: 'all' }): Ajv {
  // allErrors: a caller can fix all fields at once; bodies are bounded, so the cost is too.
  // verbose: an error carries its schema, whose description says in words what a pattern means.
  const common = { allErrors: true, verbose: true, useDefaults: true, strict: false }
  const ajv = new Ajv({ ...options, ...common })
  checkLengthBeforePattern(ajv)
  ajv.addKeyword(textKeyword)
  for (const [name, max] of Object.entries(formatCharacters)) {
    const isOfFormat = stockFormat(name)
    ajv.addFormat(name, (text: string) => text.length <= max && isOfFormat(text))
  }
  // The stock format also admits leap seconds and offsets without minutes, which Date rejects, and years out of range.
  const isDateTime = stockFormat('date-time')
  ajv.addFormat('date-time', (text: string) => text.length <= 64 && isDateTime(text) && isInReach(new Date(text)))
  return ajv
}

function stockFormat(name: string): (text: string) => boolean {
  const format = formats.default.get(name as FormatName)
  const test =
    format instanceof RegExp ? format : (format as { validate: RegExp | ((text: string) => boolean) }).validate
  return test instanceof RegExp ? (text) => test.test(text) : test
}

/** With `allErrors` the stock keyword runs on texts of any length, even after `maxLength` has failed. */
function checkLengthBeforePattern(ajv: Ajv): void {
  ajv.removeKeyword('pattern')
  ajv.addKeyword({
    keyword: 'pattern',
    type: 'string',
    schemaType: 'string',
    error: { message: ({ schemaCode }) => str`must match pattern "${schemaCode}"` },
    compile(pattern: string, schema) {
      const { maxLength } = schema as { maxLength?: number }
      if (maxLength === undefined) throw new Error(`The pattern ${pattern} needs a maxLength beside it.`)
      const matches = new RegExp(pattern, 'u')
      // maxLength counts characters of at most two code units each, so a longer text has failed it already.
      return (text: string) => text.length > 2 * maxLength || matches.test(text)
    },
  })
}

const instant = 'an RFC 3339 instant such as 2026-03-01T12:00:00Z, of the years 0001 to 9999 and no leap second'

/** One detail per field. */
export function detailsOf(errors: readonly Partial<ErrorObject>[]): Detail[] {
  const details = new Map<string, string>()
  for (const error of withAlternatives(withoutNull(errors))) {
    if (details.size === requestLimits.namedProblems) break
    const { field, message } = detailOf(error)
    if (!details.has(field)) details.set(field, message)
  }
  return [...details].map(([field, message]) => ({ field, message }))
}

/** Of what may be null and is wrong otherwise, ajv also reports that it is not null: that is no advice. */
function withoutNull(errors: readonly Partial<ErrorObject>[]): readonly Partial<ErrorObject>[] {
  const isNull = ({ keyword, params }: Partial<ErrorObject>) => keyword === 'type' && params?.type === 'null'
  const nullable = new Set(errors.filter(isNull).map(({ instancePath }) => instancePath))
  if (nullable.size === 0) return errors
  const telling = errors.filter((error) => {
    const union = error.keyword === 'anyOf' && nullable.has(error.instancePath)
    return !isNull(error) && !union
  })
  return telling.length > 0 ? telling : errors
}

/** Of a union of literals, ajv reports each alternative: the caller is told all of them, not the first. */
function withAlternatives(errors: readonly Partial<ErrorObject>[]): Partial<ErrorObject>[] {
  const literals = errors.filter(({ keyword }) => keyword === 'const')
  const byField = Map.groupBy(literals, ({ instancePath }) => instancePath)
  return errors.map((error) => {
    const alternatives = error.keyword === 'const' ? byField.get(error.instancePath)! : []
    if (alternatives.length < 2) return error
    return {
      ...error,
      keyword: 'enum',
      params: { allowedValues: alternatives.map(({ params }) => params?.allowedValue) },
    }
  })
}

function detailOf(error: Partial<ErrorObject>): Detail {
  const { instancePath = '', keyword, params = {} } = error
  const path = instancePath.slice(1).replaceAll('/', '.')
  const child = (name: string) => (path ? `${path}.${name}` : name)
  if (keyword === 'required') return { field: child(params.missingProperty), message: 'is required' }
  if (keyword === 'additionalProperties') {
    return { field: child(params.additionalProperty), message: 'is not a known field' }
  }
  return { field: path || 'body', message: predicateOf(error) }
}

const typeNames: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}

const formatNames: Record<string, string> = {
  'date-time': instant,
  email: 'an email address, such as ada@example.com',
  uuid: 'an id, such as 0190c3f2-7a4e-7000-8000-000000000000',
}

/** The rest of a sentence that begins with the field's name; ajv's own messages are written for schema authors. */
function predicateOf({ keyword, params = {}, message = 'is not valid', parentSchema }: Partial<ErrorObject>): string {
  const { description, pattern } = parentSchema ?? {}
  const { limit, comparison } = params
  switch (keyword) {
    case 'type':
      return `must be ${[params.type]
        .flat()
        .map((type: string) => typeNames[type] ?? type)
        .join(' or ')}`
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'maxLength':
      return pattern && description ? `must be ${description}` : `must have ${counted(limit, 'character')} or fewer`
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have ${counted(limit, 'character')} or more`
    case 'pattern':
      return description ? `must be ${description}` : `must match the pattern ${params.pattern ?? pattern}`
    case 'maxItems':
      return `must have ${counted(limit, 'item')} or fewer`
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have ${counted(limit, 'item')} or more`
    case 'maxProperties':
      return `must have ${counted(limit, 'field')} or fewer`
    case 'minProperties':
      return limit === 1 ? 'must not be empty' : `must have ${counted(limit, 'field')} or more`
    case 'uniqueItems':
      return 'must not list anything twice'
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `must be ${bounds[comparison as keyof typeof bounds](grouped(limit))}`
    case 'format':
      return `must be ${formatNames[params.format] ?? `a valid ${params.format}`}`
    default:
      return message
  }
}

const bounds = {
  '>=': (limit: string) => `${limit} or more`,
  '<=': (limit: string) => `${limit} or less`,
  '>': (limit: string) => `more than ${limit}`,
  '<': (limit: string) => `less than ${limit}`,
}

function grouped(count: number): string {
  return count.toLocaleString('en')
}

function counted(count: number, unit: string): string {
  return `${grouped(count)} ${unit}${count === 1 ? '' : 's'}`
}
