import { type CoalesceOptions, coalesce } from './coalesce.ts'

/**
 * `coalesce` for reads: calls for the same thing at the same moment share one item of the run, and its result.
 * A call never gets what was read before the call.
 */
export function coalesceSame<Item, Result>(
  nameOf: (item: Item) => string,
  run: (items: Item[]) => Promise<readonly Result[]>,
  options: CoalesceOptions = {},
): (item: Item) => Promise<Result> {
  return coalesce<Item, Result>(async (items) => {
    const different: Item[] = []
    const indexes = new Map<string, number>()
    const indexOfItem = items.map((item) => {
      const name = nameOf(item)
      const known = indexes.get(name)
      if (known !== undefined) return known
      indexes.set(name, different.length)
      return different.push(item) - 1
    })
    const results = await run(different)
    return indexOfItem.map((index) => results[index]!)
  }, options)
}
