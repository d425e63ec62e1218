import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { slowReadSeconds, tookTooLong } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { readGate } from '../../platform/read-gate.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Owner } from '../store/devices.ts'

/**
 * Postgres notices within a second that a caller has disconnected. Until then the read counts as running: calls that
 * are sent and dropped in a loop would otherwise fill Postgres with statements that nobody reads.
 */
const endMilliseconds = 1_100

export const createHistoryGate = () => readGate({ atOnce: 2, maxWaiting: 20 })

/**
 * Decision 9.4: one statement over a device's history on separate connections, a few per tenant at once. Postgres
 * ends it when its time is up or the caller has disconnected.
 */
export async function readSlowly<T>(
  context: Context,
  owner: Owner,
  signal: AbortSignal | undefined,
  read: (sql: Sql) => Promise<T>,
): Promise<T> {
  const tenant = 'customer_id' in owner ? `customer ${owner.customer_id}` : `partner ${owner.partner_id}`
  try {
    return await context.historyGate(tenant, signal, async () => {
      try {
        return await read(context.reads)
      } finally {
        if (signal?.aborted) await sleep(endMilliseconds)
      }
    })
  } catch (error) {
    if (signal?.aborted) throw new Refusal(499, 'caller_left', 'The caller closed the connection.')
    if (tookTooLong(error)) throw tooLarge()
    throw error
  }
}

function tooLarge(): Refusal {
  const sentence = `Reading this took more than ${slowReadSeconds} seconds. Ask for a shorter range or fewer data points.`
  return new Refusal(422, 'read_too_large', sentence)
}
