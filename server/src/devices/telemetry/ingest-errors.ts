import pg from 'pg'

/** Rolled back as a whole and likely to succeed at once: deadlock, serialization failure, a partition made meanwhile. */
export function isPassing(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (/^40(P01|001)$/.test(error.code!) || isOutOfPartition(error))
}

/** A message on its way into the partition of no day found, when it came in, that its day had just got one. */
function isOutOfPartition({ code, constraint, table }: pg.DatabaseError): boolean {
  return code === '23514' && constraint === undefined && table === 'history_default'
}
