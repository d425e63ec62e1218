/** What a line needs to know of a message. */
export interface QueueItem {
  key_digest: string
  telemetries: string
  /** One of many in a call, which gets one response for all; any other is acknowledged by itself. */
  in_call: boolean
}

export interface Waiter<Item, Result> {
  item: Item
  done(result: Result): void
}

/** The messages of one key in one lane. */
export interface Line<Item, Result> {
  key: string
  waiting: Waiter<Item, Result>[]
  underWay: number
  /** How many of them may be in one statement. */
  maxInRun: number
}

export interface BatchBounds {
  maxInRun: number
  /** With so many devices ready, one message of each is enough for a statement. */
  enoughDevices: number
  /** A device with more messages of calls than this sends them together all the same. */
  fewMessages: number
  /** Characters of the items of one statement; a larger one has a statement of its own. */
  maxCharactersInRun: number
}

/**
 * A statement has one message of each device, or several of each, as the first that is ready: the former costs less
 * per message, and a few devices with several must not make it dearer for all.
 */
export function chooseBatch<Item extends QueueItem, Result>(ready: Line<Item, Result>[], bounds: BatchBounds) {
  const batch: Waiter<Item, Result>[] = []
  const chosen: Line<Item, Result>[] = []
  const others: Line<Item, Result>[] = []
  const few = ready.length < bounds.enoughDevices ? 1 : bounds.fewMessages
  const hasSeveral = ({ waiting, maxInRun }: Line<Item, Result>) =>
    maxInRun > 1 && waiting.length > (waiting[0]!.item.in_call ? few : 1)
  const several = hasSeveral(ready[0]!)
  let left = bounds.maxCharactersInRun
  for (const line of ready) {
    const room = bounds.maxInRun - batch.length
    if (room > 0 && left > 0 && hasSeveral(line) === several) {
      left = take(line, Math.min(several ? line.maxInRun : 1, room), batch, left)
    }
    if (line.underWay > 0) chosen.push(line)
    else others.push(line)
  }
  return { batch, chosen, others }
}

/** Moves as many as there is room for, and returns how many characters are left. */
function take<Item extends QueueItem, Result>(
  line: Line<Item, Result>,
  max: number,
  batch: Waiter<Item, Result>[],
  characters: number,
): number {
  let left = characters
  const most = Math.min(line.waiting.length, max)
  while (line.underWay < most) {
    const waiter = line.waiting[line.underWay]!
    left -= waiter.item.telemetries.length
    if (left < 0 && batch.length > 0) break
    batch.push(waiter)
    line.underWay += 1
  }
  if (line.underWay === line.waiting.length) line.waiting = []
  else line.waiting.splice(0, line.underWay)
  return left
}

/**
 * After the statement: the line's part of the batch ends at `end`. What has no result at the end of that part waits
 * again, half as many at a time. Returns where the part with results ends.
 */
export function settleLine<Item, Result>(
  line: Line<Item, Result>,
  { batch, results, end }: { batch: Waiter<Item, Result>[]; results: readonly (Result | undefined)[]; end: number },
  maxInRun: number,
): number {
  const start = end - line.underWay
  let again = end
  while (again > start && results[again - 1] === undefined) again -= 1
  line.underWay = 0
  if (again < end) {
    line.waiting = [...batch.slice(again, end), ...line.waiting]
    line.maxInRun = Math.max(1, (end - again) >> 1)
  } else line.maxInRun = Math.min(maxInRun, 2 * line.maxInRun)
  return again
}
