const first = Date.parse('0001-01-01T00:00:00Z')
const last = Date.parse('9999-12-31T23:59:59.999Z')

/** Postgres reads the years 0001 to 9999 as Date writes them, and no others. */
export function isInReach(at: Date): boolean {
  return at.getTime() >= first && at.getTime() <= last
}
