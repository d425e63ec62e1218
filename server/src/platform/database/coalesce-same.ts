import { type CoalesceOptions, coalesce } from './coalesce.ts'

/**
 * `coalesce` for reads: calls for the same thing at the same moment share one item of the run, and its result.
 * A call never gets what was read before it was made.
 */
export function coalesceSame<Item, Result>(
  nameOf: (item: Item) => string,
  run: (items: Item[]) => Promise<readonly Result[]>,
  options: CoalesceOptions = {},
): (item: Item) => Promise<Result> {
  return coalesce<Item, Result>(async (items) => {
    const different: Item[] = []
    const placeOf = new Map<string, number>()
    const places = items.map((item) => {
      const name = nameOf(item)
      const known = placeOf.get(name)
      if (known !== undefined) return known
      placeOf.set(name, different.length)
      return different.push(item) - 1
    })
    const results = await run(different)
    return places.map((place) => results[place]!)
  }, options)
}
