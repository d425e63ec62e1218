import fc from 'fast-check'
import type { Operation, Schema } from './document.ts'
import { type Pool, valid } from './samples.ts'

/** A field or parameter outside the path that names a thing by its id: `body policy.group_id`, `query space_id`. */
export interface IdField {
  in: 'body' | 'query'
  /** The names on the way to it; `[]` for the items of an array. */
  way: string[]
  /** The field's own name: it says what kind of thing the id names. */
  name: string
}

export function idFieldsOf({ parameters, body }: Operation): IdField[] {
  const query = parameters.filter((parameter) => parameter.in === 'query')
  return [
    ...query.flatMap(({ name, schema }) =>
      waysToIds(schema, [name]).map((way) => ({ in: 'query' as const, way, name })),
    ),
    ...(body ? waysToIds(body.schema, []) : []).map((way) => ({
      in: 'body' as const,
      way,
      name: way.filter((step) => step !== '[]').at(-1)!,
    })),
  ]
}

/** By its format, or by its name where the schema takes any text. */
function waysToIds(schema: Schema, way: string[]): string[][] {
  const named = schema.type === 'string' && /(^|_)ids?$/.test(way.at(-1) ?? '')
  if (schema.format === 'uuid' || named) return [way]
  const inside = [
    ...branchesOf(schema).flatMap((branch) => waysToIds(branch, way)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => waysToIds(part, [...way, name])),
    ...(schema.items ? waysToIds(schema.items, [...way, '[]']) : []),
  ]
  return [...new Map(inside.map((found) => [found.join('.'), found])).values()]
}

/** The smallest value a schema admits that holds `value` at the end of the way; the rest is drawn from the pool. */
export function holding(schema: Schema, way: string[], value: string, pool: Pool): unknown {
  const [next, ...rest] = way
  const branch = branchesOf(schema).find((candidate) => leadsTo(candidate, way))
  if (branch) return holding(branch, way, value, pool)
  if (next === undefined) return value
  if (next === '[]') return [holding(schema.items!, rest, value, pool)]
  const names = new Set([...(schema.required ?? []), next])
  return Object.fromEntries(
    [...names].map((name) => {
      const part = schema.properties![name]!
      if (name === next) return [name, holding(part, rest, value, pool)]
      const hint = pool.hints?.[name]?.[0]
      if (hint !== undefined && (part.enum?.includes(hint) ?? true)) return [name, hint]
      return [name, fc.sample(valid(part, pool), { numRuns: 1, seed: 7 })[0]]
    }),
  )
}

function leadsTo(schema: Schema, way: string[]): boolean {
  if (way.length === 0) return schema.type === 'string'
  return waysToIds(schema, []).some((found) => found.join('.') === way.join('.'))
}

function branchesOf({ anyOf, oneOf, allOf }: Schema): Schema[] {
  return anyOf ?? oneOf ?? allOf ?? []
}
