import fc from 'fast-check'
import type { Schema } from './document.ts'

export interface Pool {
  /** Ids of things that exist, for a field or parameter that names one. */
  ids: string[]
  /** Values that a field of this name may well have: what no schema can say. */
  hints?: Record<string, (string | number)[]>
  /** Where there is a hint it is taken, and ids are ids of things that exist. */
  sound?: boolean
  /** What time it is for the service: most instants are near it. */
  now?: Date
}

/** The harness's. */
export const harnessTime = new Date('2026-03-01T12:00:00.000Z')
const day = 86_400_000

/** Drawn once and then picked from: texts that match a pattern are costly to make up. */
function drawn<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.constantFrom(...fc.sample(arbitrary, { numRuns: 200, seed: 1 }))
}

const matching = new Map<string, fc.Arbitrary<string>>()

function matchingText(schema: Schema): fc.Arbitrary<string> {
  const key = JSON.stringify([schema.pattern, schema.minLength, schema.maxLength])
  const known = matching.get(key) ?? drawn(fc.stringMatching(new RegExp(schema.pattern!, 'u')).filter(fits(schema)))
  matching.set(key, known)
  return known
}

/** Numbers that JSON can write and arithmetic can stumble over: sums that overflow, averages that vanish. */
const extremes = fc.constantFrom(5e-324, -5e-324, 1e-320, 1.7976931348623157e308, -1.7976931348623157e308, 2 ** 53, -0)

/** Values a schema admits. */
export function valid(schema: Schema, pool: Pool): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map((choice) => valid(choice, pool)))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => valid({ ...schema, type }, pool)))
  switch (schema.type) {
    case 'object':
      return object(schema, pool, (part) => valid(part, pool))
    case 'array':
      return array(schema, (part) => valid(part, pool))
    case 'string':
      return text(schema, pool)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000_000 })
    case 'number':
      return fc.oneof(
        fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true }),
        extremes.filter((n) => n >= (schema.minimum ?? n) && n <= (schema.maximum ?? n)),
      )
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

/** Mostly what the schema admits, and sometimes, anywhere, what it does not. */
export function hostile(schema: Schema, pool: Pool): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map((choice) => hostile(choice, pool)))
  const shaped =
    schema.type === 'object'
      ? object(schema, pool, (part) => hostile(part, pool), oddNames)
      : schema.type === 'array'
        ? array(schema, (part) => hostile(part, pool))
        : valid(schema, pool)
  const odd = schema.type === 'string' && !schema.enum ? [{ weight: 2, arbitrary: oddText(schema) }] : []
  return fc.oneof({ weight: 12, arbitrary: shaped }, ...odd, { weight: 1, arbitrary: junk })
}

const oddLetters = drawn(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }))

/** So near to what the schema asks for that it may pass, and break what comes after. */
export function oddText({ format, maxLength = 1_000 }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return oddInstants
  return fc.oneof(oddSamples, fc.constantFrom('x'.repeat(maxLength), '😀'.repeat(maxLength), 'x'.repeat(maxLength + 1)))
}

const oddSamples = fc.oneof(
  fc.constantFrom(
    'a\ud800b',
    'a\udc00',
    '\udc00\ud800',
    'a\0b',
    'a\u0001b',
    'a\u2028b',
    'a\u2029',
    'a\nb',
    'a\rb',
    'a\u0085b',
    '\ufffe',
    '\ufeffa',
    'a\tb',
  ),
  fc.constantFrom('שלום', 'a\u202eb\u202c', '👩‍👩‍👧‍👦', 'e\u0301tage', 'Étage', 'İstanbul', 'ΟΔΟΣ', 'ß', '%_\\'),
)

const oddInstants = fc.oneof(
  fc.constantFrom('2016-12-31T23:59:60Z', '2017-01-01T00:59:60+01:00', '0000-01-01T00:00:00Z', '2026-03-01T24:00:00Z'),
  fc.constantFrom('0001-01-01T00:00:00Z', '0001-01-01T00:00:00+23:59', '1969-12-31T23:59:59.999Z', '2026-03-01'),
  fc.constantFrom('9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-01:00', '+010000-01-01T00:00:00Z'),
  fc.constantFrom('2026-03-01T12:00:00.000000000001Z', '2026-03-01t12:00:00z', '2026-03-01T12:00:00+01'),
)

const noId = '00000000-0000-0000-0000-000000000000'
const searchCursor = (...position: unknown[]) => Buffer.from(JSON.stringify(position)).toString('base64url')

/** What a page's `next` may look like to someone who writes their own. */
export const oddCursors = fc.oneof(
  fc.constantFrom('0.0', '999999999999999.0', '253402300800000.0', '1.999999999', '-1.0', 'x', noId),
  fc.constantFrom('1.2147483646', '1.2147483647', '1.2147483648', '1.9999999999', '253402300799999.2147483647'),
  fc.constantFrom(searchCursor(0, '\ud800', noId), searchCursor(2, 'a\0', noId), searchCursor(3, '', noId)),
  fc.constantFrom(searchCursor(1, 'x'.repeat(10_000), noId), searchCursor(0, '\u{10ffff}', noId)),
)

/** What tends to break things. */
export const nastyText = fc.oneof(
  fc.constantFrom('', ' ', '\0', 'a\0b', '\ud800', '‮', "'; drop table users; --", '../../etc/passwd', '%00', '{}'),
  fc.constantFrom('null', 'undefined', 'NaN', '-1', '1e400', '9'.repeat(400), '__proto__', 'constructor', '*', '%'),
  fc.constantFrom('00000000-0000-0000-0000-000000000000', '2026-02-30T25:61:61Z', 'x'.repeat(5_000), '😀'.repeat(300)),
  drawn(fc.string({ unit: 'binary', maxLength: 40 })),
)

/** Deep, wide or long: what takes long to parse, to judge, or to quote in a refusal. */
export const costlyText = fc.constantFrom(
  '['.repeat(50_000),
  `${'{"a":'.repeat(10_000)}0${'}'.repeat(10_000)}`,
  `{${Array.from({ length: 10_000 }, (_, index) => `"${index}":0`).join()}}`,
  `{${Array.from({ length: 1_500 }, (_, index) => `"k${index}":0`).join()}}`,
  `[${Array(20_000).fill('{}').join()}]`,
  `{"name":"${'a'.repeat(100_000)}\\u0001"}`,
  `{"${'x'.repeat(50_000)}":1}`,
)

const junk = fc.oneof(
  nastyText,
  drawn(fc.jsonValue({ maxDepth: 3 })),
  fc.constantFrom(null, true, -1, 0, 1e308, -0, 2 ** 53, [], {}, [[]], { __proto__: null, constructor: 1 }),
)

const plainNames = fc.string({ minLength: 1, maxLength: 12 })
const oddNames = fc.oneof(
  { weight: 4, arbitrary: plainNames },
  { weight: 1, arbitrary: fc.oneof(oddSamples, nastyText) },
)

function object(
  schema: Schema,
  pool: Pool,
  part: (schema: Schema) => fc.Arbitrary<unknown>,
  names = plainNames,
): fc.Arbitrary<unknown> {
  const properties = schema.properties ?? {}
  const named = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const hints = pool.hints?.[name]
      if (!hints) return [name, part(property)]
      const hinted =
        property.type === 'array'
          ? fc.array(fc.constantFrom(...hints), { minLength: 1, maxLength: 3 })
          : fc.constantFrom(...hints)
      return [
        name,
        fc.oneof(
          { weight: 3, arbitrary: hinted as fc.Arbitrary<unknown> },
          { weight: pool.sound ? 0 : 1, arbitrary: part(property) },
        ),
      ]
    }),
  )
  const required = (schema.required ?? []).filter((name) => name in named)
  const record = fc.record(named, { requiredKeys: required })
  const further = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
  if (!further) return atLeast(schema, record, named)
  const extra = fc.dictionary(names, part(further), { maxKeys: 6 })
  return fc.tuple(record, extra).map(([known, more]) => ({ ...more, ...known }))
}

/** `minProperties: 1`: an object of optional fields gets one of them. */
function atLeast(
  schema: Schema,
  record: fc.Arbitrary<object>,
  named: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<unknown> {
  const names = Object.keys(named)
  if (!schema.minProperties || names.length === 0) return record
  const one = fc.constantFrom(...names).chain((name) => named[name]!.map((value) => ({ [name]: value })))
  return fc.tuple(one, record).map(([first, rest]) => ({ ...rest, ...first }))
}

function array(schema: Schema, part: (schema: Schema) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const bounds = { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 4, 4) }
  return fc.array(part(schema.items ?? {}), bounds)
}

function text(schema: Schema, pool: Pool): fc.Arbitrary<string> {
  switch (schema.format) {
    case 'uuid':
      return fc.oneof(fc.constantFrom(...pool.ids), { weight: pool.sound ? 0 : 1, arbitrary: fc.uuid() })
    case 'date-time':
      return fc
        .oneof(instantsNear(pool.now ?? harnessTime), {
          weight: pool.sound ? 0 : 1,
          arbitrary: instants(new Date('0001-01-01'), new Date('9999-12-31')),
        })
        .map((at) => at.toISOString())
    case 'email':
      return fc.nat(1_000_000).map((n) => `someone-${n}@example.com`)
  }
  if (schema.pattern) return matchingText(schema)
  const bounds = { minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 30, 30) }
  return fc.oneof(fc.string(bounds), oddLetters.filter(fits(schema)))
}

function instantsNear(now: Date): fc.Arbitrary<Date> {
  return instants(new Date(now.getTime() - 9.5 * day), new Date(now.getTime() + 3.5 * day))
}

function instants(min: Date, max: Date): fc.Arbitrary<Date> {
  return fc.date({ min, max, noInvalidDate: true })
}

function fits({ minLength = 0, maxLength = 10_000 }: Schema): (text: string) => boolean {
  return (value) => [...value].length >= minLength && [...value].length <= maxLength
}
