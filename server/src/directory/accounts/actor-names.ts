import type { Context } from '../../context.ts'
import type { RecordedEvent } from '../../events/audit.ts'
import * as store from '../store/actor-names.ts'

type Named = Omit<RecordedEvent, 'actor'> & { actor: RecordedEvent['actor'] & { name?: string } }

/** An event keeps an id, since names change; whoever reads it wants today's name. */
export async function withActorNames(context: Context, events: RecordedEvent[]): Promise<Named[]> {
  const ids = events.flatMap(({ actor }) => ('id' in actor ? [actor.id] : []))
  const names = new Map((await store.namesOf(context.sql, ids)).map(({ id, name }) => [id, name]))
  return events.map((event) => {
    const name = 'id' in event.actor ? names.get(event.actor.id) : undefined
    return name === undefined ? event : { ...event, actor: { ...event.actor, name } }
  })
}
