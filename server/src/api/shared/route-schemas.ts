import type { FastifySchema } from 'fastify'
import { type TProperties, type TSchema, Type } from 'typebox'
import type { Needed } from '../../directory/permissions.ts'
import type { Creates } from '../../platform/declared-quotas.ts'
import type { Reads } from '../../platform/gated-reads.ts'
import { IfMatch } from '../../platform/http/etag.ts'
import { PageOf, PageQuery } from '../../platform/http/pagination.ts'
import { type RefusalStatus, refusals } from '../../platform/http/schemas.ts'

type Codes = Partial<Record<RefusalStatus, readonly string[]>>

/** Wraps the schema of a route into the route's options, under the tag of its section in the reference. */
export function tagged(tag: string) {
  return <Schema extends FastifySchema>({
    reads,
    creates,
    permission,
    everyToken,
    ...schema
  }: Schema & { reads?: Reads; creates?: Creates; permission?: Needed; everyToken?: boolean }) => ({
    schema: { ...schema, tags: [tag] } as unknown as Schema,
    config: { reads, creates, permission, everyToken },
  })
}

/** `?search=` of a list from which people choose by name. */
export const NameSearch = {
  search: Type.Optional(
    Type.String({
      maxLength: 128,
      description: 'Words of the name, in any order. The closest names come first, in one page.',
    }),
  ),
}

/** The query and responses of a paged list. */
export function paged<
  Item extends TSchema,
  Filters extends TProperties = Record<never, never>,
  Refused extends Codes = Record<never, never>,
>(item: Item, filters?: Filters, codes?: Refused) {
  return {
    querystring: Type.Object({ ...PageQuery, ...(filters as Filters) }),
    response: { 200: PageOf(item), ...refusals((codes ?? {}) as Refused) },
  }
}

/** The header and responses of a change that `If-Match` guards. */
export function guardedChange<Thing extends TSchema, Refused extends Codes = Record<never, never>>(
  thing: Thing,
  codes?: Refused,
) {
  const all = { ...((codes ?? {}) as Refused), 412: ['changed_meanwhile'] } as const
  return { headers: IfMatch, response: { 200: thing, ...refusals(all) } }
}
