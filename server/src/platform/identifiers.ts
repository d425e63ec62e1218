import { randomUUIDv7 } from 'node:crypto'

/** Version 7: ordered by time, so that new rows go to the end of every index and a page of a list is a range of ids. */
export function newId(): string {
  return randomUUIDv7()
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** An id from outside that is no UUID names nothing: it must become a 404, not a cast error in Postgres. */
export function isId(text: string): boolean {
  return uuidPattern.test(text)
}
