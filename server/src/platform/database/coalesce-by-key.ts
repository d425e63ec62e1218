import { type Coalesced, type CoalesceOptions, coalesce } from './coalesce.ts'

/** `coalesce` for each key by itself: no call shares a run with one of another key. */
export function coalesceByKey<Item, Result>(
  keyOf: (item: Item) => string,
  run: (items: Item[]) => Promise<readonly Result[]>,
  options: CoalesceOptions = {},
): (item: Item) => Promise<Result> {
  const groups = new Map<string, { call: Coalesced<Item, Result>; underWay: number }>()
  return async (item) => {
    const key = keyOf(item)
    const group = groups.get(key) ?? { call: coalesce(run, options), underWay: 0 }
    groups.set(key, group)
    group.underWay += 1
    try {
      return await group.call(item)
    } finally {
      group.underWay -= 1
      if (group.underWay === 0) groups.delete(key)
    }
  }
}
