import { randomUUID } from 'node:crypto'

const countsPerMillisecond = 4_096
let lastMillisecond = 0
let count = 0

/**
 * Version 7: ordered by time, so that new rows go to the end of every index and a page of a list is a range of ids.
 * Within a millisecond the twelve bits after the version count up (RFC 9562, 6.2), so that ids of one process sort in
 * the order they were created.
 */
export function newId(): string {
  const now = Date.now()
  if (now > lastMillisecond) {
    lastMillisecond = now
    count = 0
  } else {
    count += 1
    if (count === countsPerMillisecond) {
      lastMillisecond += 1
      count = 0
    }
  }
  const time = lastMillisecond.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, '0')}-${randomUUID().slice(19)}`
}

/**
 * Version 7 of a given instant. Of two with the same instant, the one with the higher number, below 2³¹, is the larger,
 * whichever processes created them.
 */
export function numberedId(at: Date, number: number): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
  const time = hex(at.getTime(), 12)
  const random = randomUUID()
  const [high, middle, low] = [number >>> 19, (number >>> 5) & 0x3fff, number & 0x1f]
  // Of the last twelve digits, five bits belong to the number.
  const eight = hex((low << 3) | (Number.parseInt(random.slice(24, 26), 16) & 7), 2)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(high, 3)}-${hex(0x8000 | middle, 4)}-${eight}${random.slice(26)}`
}

/** No id of that millisecond or later is smaller. */
export function smallestIdOf(milliseconds: number): string {
  const latest = 2 ** 48 - 1
  const time = Math.min(Math.max(milliseconds, 0), latest).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A caller's id that is not a UUID must become a 404, not a cast error in Postgres. */
export function isId(text: string): boolean {
  return uuidPattern.test(text)
}
