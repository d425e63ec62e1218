/** The buckets of each cell; neighbours in this order move together where they can. */
export type Owned = ReadonlyMap<string, readonly number[]>

export interface BucketMove {
  bucket: number
  from: string
  to: string
}

/** The fewest moves after which all of these cells have the same number of buckets, give or take one, and others none. */
export function evenOut(owned: Owned, cells: readonly string[]): BucketMove[] {
  const all = [...owned.values()].reduce((sum, { length }) => sum + length, 0)
  const share = Math.floor(all / cells.length)
  const countOf = (cell: string) => owned.get(cell)?.length ?? 0
  // Those that have the most keep the one more: it need not move.
  const most = new Set(
    cells
      .toSorted((one, other) => countOf(other) - countOf(one) || (one < other ? -1 : 1))
      .slice(0, all % cells.length),
  )
  const shareOf = (cell: string) => (cells.includes(cell) ? share + (most.has(cell) ? 1 : 0) : 0)
  const surplus = [...owned].flatMap(([from, buckets]) => {
    return buckets.slice(shareOf(from)).map((bucket) => ({ bucket, from }))
  })
  const targets = cells.flatMap((to) => Array.from({ length: Math.max(0, shareOf(to) - countOf(to)) }, () => to))
  return surplus.map(({ bucket, from }, index) => ({ bucket, from, to: targets[index]! }))
}

/** All buckets of one cell go to these cells, each to the one that then has the fewest; the others stay where they are. */
export function emptyOut(owned: Owned, from: string, cells: readonly string[]): BucketMove[] {
  const counts = new Map(cells.map((cell) => [cell, owned.get(cell)?.length ?? 0]))
  const buckets = owned.get(from) ?? []
  const targets = buckets.map(() => {
    const to = cells.reduce((fewest, cell) => (counts.get(cell)! < counts.get(fewest)! ? cell : fewest))
    counts.set(to, counts.get(to)! + 1)
    return cells.indexOf(to)
  })
  targets.sort((one, other) => one - other)
  return buckets.map((bucket, index) => ({ bucket, from, to: cells[targets[index]!]! }))
}

/** So many buckets go to one cell, each from the one that then has the most; fewer if there are no more. */
export function takeTo(owned: Owned, to: string, count: number, sources: readonly string[]): BucketMove[] {
  const left = new Map(sources.filter((cell) => cell !== to).map((cell) => [cell, [...(owned.get(cell) ?? [])]]))
  const moves: BucketMove[] = []
  while (moves.length < count) {
    const [from, buckets] = [...left].reduce<[string, number[]]>(
      (most, each) => (each[1].length > most[1].length ? each : most),
      ['', []],
    )
    if (buckets.length === 0) break
    moves.push({ bucket: buckets.pop()!, from, to })
  }
  return moves
}
