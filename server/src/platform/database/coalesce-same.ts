import { type CoalesceOptions, coalesce } from './coalesce.ts'

/**
 * `coalesce` for reads: callers who ask for the same thing at the same moment share one item of the run, and its result.
 * A caller never gets what was read before it asked.
 */
export function coalesceSame<Item, Result>(
  nameOf: (item: Item) => string,
  run: (items: Item[]) => Promise<readonly Result[]>,
  options: CoalesceOptions = {},
): (item: Item) => Promise<Result> {
  return coalesce<Item, Result>(async (items) => {
    const different = new Map<string, { item: Item; place: number }>()
    const places = items.map((item) => {
      const name = nameOf(item)
      const first = different.get(name) ?? { item, place: different.size }
      different.set(name, first)
      return first.place
    })
    const results = await run([...different.values()].map(({ item }) => item))
    return places.map((place) => results[place]!)
  }, options)
}
