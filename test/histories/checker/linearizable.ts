// Wing and Gong's search with Lowe's memory: is there an order of the calls, one after the other, that the model allows and
// in which no call comes before another that had returned when it began?

interface Interval {
  invoked: number
  /** Null: open for ever. It may take effect at any time after it began, or never. */
  returned: number | null
}

export interface Model<State, Op> {
  initial: State
  /** The states after this call with this outcome; none when it is impossible here. */
  step(state: State, op: Op): State[]
  /** A call that with this outcome changes no state: where it is possible it may as well come at once. */
  changesNothing?(op: Op): boolean
}

export type Verdict = 'linearizable' | 'not linearizable' | 'undecided'

/** More than any history here needs: what exceeds it is reported as undecided, and never as right. */
const maxVisited = 300_000
/** For each call that may be left out: what is not known by then stays. */
const maxVisitedToShorten = 5_000

export function linearize<State, Op extends Interval>(
  model: Model<State, Op>,
  calls: readonly Op[],
  limit = maxVisited,
): Verdict {
  const ops = calls.toSorted((one, other) => one.invoked - other.invoked)
  const required = ops.reduce((set, { returned }, index) => (returned === null ? set : set | (1n << BigInt(index))), 0n)
  const visited = new Set<string>()
  const stack: { done: bigint; state: State }[] = [{ done: 0n, state: model.initial }]
  while (stack.length > 0) {
    const { done, state } = stack.pop()!
    if ((done & required) === required) return 'linearizable'
    if (visited.size > limit) return 'undecided'
    const possible = candidates(ops, done)
    const free = possible.find((index) => isFree(model, state, ops[index]!))
    // Pushed in reverse, so that the call that began first is tried first.
    for (const index of free === undefined ? possible.toReversed() : [free]) {
      const next = done | (1n << BigInt(index))
      for (const after of model.step(state, ops[index]!)) {
        const key = `${next} ${JSON.stringify(after)}`
        if (visited.has(key)) continue
        visited.add(key)
        stack.push({ done: next, state: after })
      }
    }
  }
  return 'not linearizable'
}

/** Every order in which it comes later is also one with it here, so that no other has to be tried. */
function isFree<State, Op>(model: Model<State, Op>, state: State, op: Op): boolean {
  if (!model.changesNothing?.(op)) return false
  const [after, ...others] = model.step(state, op)
  return after === state && others.length === 0
}

/** Calls that may come next: no other that is left had returned before they began. */
function candidates(ops: readonly Interval[], done: bigint): number[] {
  let end = Number.POSITIVE_INFINITY
  const found: number[] = []
  for (const [index, { invoked, returned }] of ops.entries()) {
    if ((done >> BigInt(index)) & 1n) continue
    if (invoked > end) break
    found.push(index)
    if (returned !== null) end = Math.min(end, returned)
  }
  return found.filter((index) => ops[index]!.invoked <= end)
}

/**
 * The calls without which there would be an order: each of the others may as well have been open for ever, with the
 * outcome that it had.
 */
export function shortest<State, Op extends Interval>(model: Model<State, Op>, calls: readonly Op[]): Op[] {
  const needed = new Set(calls)
  for (const call of calls.toReversed()) {
    needed.delete(call)
    const weaker = calls.map((each) => (needed.has(each) ? each : { ...each, returned: null }))
    if (linearize(model, weaker, maxVisitedToShorten) !== 'not linearizable') needed.add(call)
  }
  return calls.filter((call) => needed.has(call))
}
