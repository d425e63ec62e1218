import { type Static, type TObjectOptions, type TSchema, type TStringOptions, Type } from 'typebox'

/** Parts of every API's schemas. */
export const Id = Type.String({ format: 'uuid' })
/** One line that people read, by the rule of `platform/texts.ts`: sent text is normalised, trimmed and judged by it. */
export function Line(maxLength: number, options: TStringOptions = {}) {
  return Type.String({ minLength: 1, maxLength, 'x-text': 'line', ...options })
}
/** As `Line`, with line breaks. */
export function Lines(maxLength: number, options: TStringOptions = {}) {
  return Type.String({ maxLength, 'x-text': 'lines', ...options })
}
/** What something is called. Every name has this type: a test over all routes finds one that has not. */
export const Name = Line(200)
export const Email = Type.String({ format: 'email', maxLength: 254 })
export const Role = Type.Enum(['administrator', 'member'], {
  title: 'Role',
  description: 'The role of a person in a customer.',
})
export const Password = Type.String({ minLength: 10, maxLength: 256 })
export const PortalDomain = Type.String({
  pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$',
  maxLength: 260,
  description: '`host[:port]`, in lower case',
})

/** RFC 3339 in UTC. The driver returns Dates, the serializer writes them. */
export const Instant = Type.Unsafe<Date>({ type: 'string', format: 'date-time' })

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/**
 * An object whose names are data. Not `Type.Record`, which requires names to match `^.*$`: the serializer would omit
 * every name with a line break.
 */
export function Dictionary<Value extends TSchema>(value: Value, options: TObjectOptions = {}) {
  return Type.Unsafe<Record<string, Static<Value>>>({ type: 'object', additionalProperties: value, ...options })
}

/** An id that is not a UUID gets a 404, like one that is unknown. */
export const IdPath = Type.Object({ id: Id })

/** A response whose description in the document says when it occurs, where the schema's own says what it is. */
export function when<Schema extends TSchema>(schema: Schema, text: string): Schema {
  return { ...schema, 'x-response-description': text }
}

/** `void`, so that `reply.send()` takes nothing. */
export const Empty = Type.Unsafe<void>({ type: 'null', description: 'Success, without a body.' })

/**
 * The refusals of a route, beyond those that `documentRefusals` adds to every route:
 * `response: { 200: Thing, ...refusals({ 409: ['name_taken'] }) }`.
 */
export function refusals<const Codes extends Partial<Record<RefusalStatus, readonly string[]>>>(codes: Codes) {
  const entries = Object.entries(codes).map(([status, values]) => [status, Refused(values as string[])])
  return Object.fromEntries(entries) as { [Status in keyof Codes]: ReturnType<typeof Refused> }
}

export type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 410 | 412 | 413 | 415 | 422 | 429 | 500 | 503

/** What is wrong with one field of a request. */
export const FieldProblem = Type.Object(
  {
    field: Type.String({ description: 'The path of the field, such as `admin.email`.' }),
    message: Type.String({ description: 'What would be right.' }),
  },
  { title: 'FieldProblem', description: 'What is wrong with one field of the request.' },
)

/** Hundreds of routes refuse with a few dozen sets of codes: each schema is made once. */
const refusedWith = new Map<string, ReturnType<typeof refusal>>()

/** `{error, code, details?}`; the 401 of contract 7.7 has no code. */
export function Refused(codes: readonly string[]) {
  const key = codes.join()
  const made = refusedWith.get(key) ?? refusal(codes)
  refusedWith.set(key, made)
  return made
}

function refusal(codes: readonly string[]) {
  return Type.Object(
    {
      error: Type.String({ description: 'A sentence for people. Branch on `code`.' }),
      code: Type.Optional(Type.String(codes.length > 0 ? { enum: [...codes] } : {})),
      details: Type.Optional(Type.Array(FieldProblem)),
      missing: Type.Optional(Type.String()),
    },
    { title: 'Refusal' },
  )
}
