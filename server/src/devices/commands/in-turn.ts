export type Outcome<Result> = Result | { failure: unknown }

interface OfDevice {
  device_id: string
}

/**
 * Work on the devices of these items, all of them at once, but for one item of a device after the other. When it fails,
 * that is the outcome of those it was about: what was done before has been committed.
 */
export async function inTurn<Item extends OfDevice, Result>(
  items: readonly Item[],
  work: (items: Item[]) => Promise<Result[]>,
): Promise<Outcome<Result>[]> {
  const outcomes = new Map<Item, Outcome<Result>>()
  for (const some of divide(items)) {
    const results = await work(some).catch((failure: unknown) => some.map(() => ({ failure })))
    for (const [index, item] of some.entries()) outcomes.set(item, results[index]!)
  }
  return items.map((item) => outcomes.get(item)!)
}

/** Each part has one item of a device at most, the earlier ones first. */
function divide<Item extends OfDevice>(items: readonly Item[]): Item[][] {
  const parts: Item[][] = []
  const counts = new Map<string, number>()
  for (const item of items) {
    const before = counts.get(item.device_id) ?? 0
    counts.set(item.device_id, before + 1)
    parts[before] ??= []
    parts[before].push(item)
  }
  return parts
}
