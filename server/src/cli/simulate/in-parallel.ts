/** Works through the items with so many at a time; the first failure ends it. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  atOnce: number,
  signal: AbortSignal,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]()
  let failed = false
  const worker = async () => {
    try {
      for (let next = rest.next(); !next.done && !failed && !signal.aborted; next = rest.next()) await work(next.value)
    } catch (error) {
      failed = true
      throw error
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
