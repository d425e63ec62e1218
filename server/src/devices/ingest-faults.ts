import { postgres } from '../platform/database/driver.ts'

/** Rolled back as a whole and likely to succeed at once: deadlock, serialization failure. */
export function isPassing(error: unknown): boolean {
  return error instanceof postgres.PostgresError && (error.code === '40P01' || error.code === '40001')
}

/** A fault of what was sent rather than of the database: then one message is to blame, and the others are not. */
export function isFaultOfData(error: unknown): boolean {
  return error instanceof postgres.PostgresError && /^(22|23|54)/.test(error.code)
}
