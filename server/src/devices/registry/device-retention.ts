import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { runJob, type SharedJob } from '../../platform/jobs.ts'
import { smallestIdOf } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import * as store from '../store/device-retention-sql.ts'
import { day, isHistoryDropped } from '../telemetry/partitions.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'
import { removeLocked } from './devices.ts'

/** Devices of one transaction: few enough that nobody waits for it. */
const batch = 500
/** A run must end; what is left goes in the next one. */
const maxBatches = 200

/** A message may have been measured a little after its arrival, and a day of history is dropped when it is over. */
const daysAfterHistory = 2

/**
 * Decision 7.74: deletes what is left of devices that were removed long ago. Never before their history has gone with its
 * days, because nothing could find it any more.
 */
export function deleteRemovedDevicesJob(context: Context): SharedJob {
  const { sql, now, config, deviceCounters } = context
  const days = Math.max(config.removedDeviceDays, config.historyDays + daysAfterHistory)
  const job = { name: 'delete removed devices', everySeconds: 600 }
  return {
    ...job,
    async runShared() {
      for (let turn = 0; turn < maxBatches; turn += 1) {
        let deleted = 0
        const run = async (tx: Sql) => {
          deleted = await deleteBatch(tx, { now: now(), milliseconds: days * day }, config.historyDays)
        }
        if (!(await runJob(sql, { ...job, run }))) return false
        deviceCounters.countDeleted(deleted)
        if (deleted < batch) return true
      }
      return true
    },
  }
}

/** States before devices, as everywhere. */
async function deleteBatch(sql: Sql, age: store.Age, historyDays: number): Promise<number> {
  const devices = await store.listLongRemoved(sql, age, batch)
  if (devices.length === 0 || !(await isHistoryDropped(sql, age.now, historyDays))) return 0
  sql.shards?.requireAll()
  await telemetry.deleteDevices(sql, devices)
  const ids = devices.map(({ id }) => id)
  return await store.deleteLongRemoved(sql, ids, age)
}

/**
 * Decision 7.75: removes devices that nobody claimed and that never authenticated, as their partner would have: with an
 * audit event and a webhook each, so that its cloud learns of it.
 */
export function removeUnusedDevicesJob(context: Context): SharedJob {
  const { sql, now, config } = context
  const job = { name: 'remove unused devices', everySeconds: 3_600 }
  return {
    ...job,
    async runShared() {
      if (config.unusedDeviceDays === null) return
      const milliseconds = config.unusedDeviceDays * day
      const before = smallestIdOf(now().getTime() - milliseconds)
      let after: store.UnusedCursor = store.firstUnused
      for (let turn = 0; turn < maxBatches; turn += 1) {
        const page = await store.listUnused(sql, { now: now(), milliseconds }, { before, after, limit: batch })
        if (page.length > 0) await transaction(sql, (tx) => removeUnused(context, tx, page))
        if (page.length < batch) return
        after = page.at(-1)!
      }
    },
  }
}

/** Those that are still unused under their locks: a device may have authenticated or been claimed meanwhile. */
async function removeUnused(context: Context, sql: Sql, page: store.UnusedCursor[]): Promise<void> {
  const unused = await telemetry.lockUnused(
    sql,
    page.map(({ id }) => id),
  )
  const devices = unused.length > 0 ? await store.findUnclaimedOf(sql, unused) : []
  if (devices.length > 0) await removeLocked(context, sql, { kind: 'system' }, devices)
}
