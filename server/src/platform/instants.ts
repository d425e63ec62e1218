const first = Date.parse('0001-01-01T00:00:00Z')
const last = Date.parse('9999-12-31T23:59:59.999Z')

/** Postgres reads the years 0001 to 9999 as Date writes them, and no others. */
export function isInReach(at: Date): boolean {
  return at.getTime() >= first && at.getTime() <= last
}

const day = 86_400_000

/** Where a range begins that names its end only. */
export function dayBefore(at: Date): Date {
  return new Date(Math.max(first, at.getTime() - day))
}
