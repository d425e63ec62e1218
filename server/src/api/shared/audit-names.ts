import { type TProperties, type TSchema, Type } from 'typebox'
import { findDeviceNames } from '../../devices/registry/device-names.ts'
import { findNames, type NamesFor } from '../../directory/names.ts'
import type { RecordedEvent } from '../../events/audit.ts'
import { PageOf, PageQuery } from '../../platform/http/pagination.ts'
import { Dictionary } from '../../platform/http/schemas.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'

const Names = Dictionary(Type.String(), {
  description:
    'The current names, by id, of the people, devices, applications and other things that the events of this page mention; of a space its path, `Building A / Floor 2`. What no longer exists, or is not known to the caller, is missing.',
})

/** The query and response of a page of audit events with names. */
export function pagedWithNames<Item extends TSchema, Filters extends TProperties>(item: Item, filters: Filters) {
  const { properties, title, description } = PageOf(item) as ReturnType<typeof PageOf<Item>> & Record<string, string>
  return {
    querystring: Type.Object({ ...PageQuery, ...filters }),
    response: { 200: Type.Object({ ...properties, names: Names }, { title: title!, description: description! }) },
  }
}

/** Ids that the reader may not see must be removed from the events before. */
export async function namesIn(
  context: Context,
  reader: NamesFor,
  events: RecordedEvent[],
): Promise<Record<string, string>> {
  const ids = [...new Set(events.flatMap(idsOf))]
  if (ids.length === 0) return {}
  const [things, devices] = await Promise.all([
    findNames(context, reader, ids),
    findDeviceNames(context, 'operator' in reader ? null : reader, ids),
  ])
  return Object.fromEntries([...things, ...devices].map(({ id, name }) => [id, name]))
}

function idsOf({ actor, partner_id, application_id, customer_id, device_id, details }: RecordedEvent): string[] {
  const about = [partner_id, application_id, customer_id, device_id, 'id' in actor ? actor.id : undefined]
  const mentioned = Object.entries(details).flatMap(([key, value]) => (key.endsWith('_id') ? [value] : []))
  return [...about, ...mentioned].filter((id): id is string => typeof id === 'string' && isId(id))
}
