import type { BaseContext } from '../../platform/context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { carryStatuses } from '../store/statuses.ts'
import type { NumberedStatus } from '../telemetry-store/telemetry-store.ts'
import { statusChangedTopic } from './topics.ts'

/** An acknowledgement waits no longer than this for the device lists to show the status (decision 7.53). */
const maxWaitMilliseconds = 250
/** Batches that may wait; the job that publishes changes carries over whatever was left out. */
const maxWaiting = 100

/** Carries statuses over to the directory, so that lists show and filter by what a device has just reported. */
export interface StatusCarrier {
  /** After the commit of these changes. Never fails, and resolves soon even if it could not be done. */
  carry(changes: readonly NumberedStatus[]): Promise<void>
  /** While a status of this device is being carried over. */
  pending(deviceId: string): Promise<void> | undefined
}

export function createStatusCarrier(
  { sql, log, notifications }: BaseContext,
  waitMilliseconds = maxWaitMilliseconds,
): StatusCarrier {
  const underWay = new Map<string, Promise<void>>()
  const write = coalesce<readonly NumberedStatus[], undefined>(
    async (batches) => {
      await carryStatuses(sql, latestOf(batches.flat()))
      return batches.map(() => undefined)
    },
    { max: 10 },
  )

  async function writeSoon(changes: readonly NumberedStatus[]): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(resolve, waitMilliseconds, undefined)
    try {
      await Promise.race([write(changes), late])
    } catch (error) {
      log.warn({ err: error, devices: changes.length }, 'statuses not carried over: the next run of the job will')
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async carry(changes) {
      if (changes.length === 0) return
      if (write.waiting() < maxWaiting) {
        const written = writeSoon(changes)
        for (const { device_id } of changes) underWay.set(device_id, written)
        await written
        for (const { device_id } of changes) if (underWay.get(device_id) === written) underWay.delete(device_id)
      }
      // Wakes the job of this process, and only now, so that both do not write the same rows at once. Not by a NOTIFY in the
      // statement of the change: that would serialize every commit.
      notifications.publishHere(statusChangedTopic)
    },
    pending: (deviceId) => underWay.get(deviceId),
  }
}

/** Of each device, the last change. */
export function latestOf(changes: readonly NumberedStatus[]): NumberedStatus[] {
  const latest = new Map<string, NumberedStatus>()
  for (const change of changes) {
    if (change.number > (latest.get(change.device_id)?.number ?? 0)) latest.set(change.device_id, change)
  }
  return [...latest.values()]
}
