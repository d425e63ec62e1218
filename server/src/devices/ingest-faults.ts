import { postgres } from '../platform/database/driver.ts'

/** Rolled back as a whole and likely to succeed at once: deadlock, serialization failure, a partition made meanwhile. */
export function isPassing(error: unknown): boolean {
  return error instanceof postgres.PostgresError && (/^40(P01|001)$/.test(error.code) || isOutOfPartition(error))
}

/** A message on its way into the partition of no day found, when it came in, that its day had just got one. */
function isOutOfPartition({ code, constraint_name, table_name }: InstanceType<typeof postgres.PostgresError>): boolean {
  return code === '23514' && constraint_name === undefined && table_name === 'history_of_no_day'
}
