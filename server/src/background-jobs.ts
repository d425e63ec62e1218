import { setTimeout as sleep } from 'node:timers/promises'
import { retiredTokensJob } from './authorization/token/retired-tokens.ts'
import { expiryJob } from './authorization/token/token-expiry.ts'
import type { Context } from './context.ts'
import { hubCellsJob } from './devices/cells/cell-map.ts'
import { commandDeadlinesJob } from './devices/commands/command-deadlines.ts'
import { deleteOldCommandsJob } from './devices/commands/command-retention.ts'
import { withdrawnCommandsJob } from './devices/commands/withdrawn-commands.ts'
import { offlineDeadlinesJob } from './devices/live/offline-deadlines.ts'
import { statusEventsJob } from './devices/live/status-events.ts'
import { deleteOldStatusesJob } from './devices/live/status-history.ts'
import { deviceTrendsJob, fleetCountsJob } from './devices/registry/device-counts.ts'
import { deleteRemovedDevicesJob, removeUnusedDevicesJob } from './devices/registry/device-retention.ts'
import { modelAlarmsJob } from './devices/registry/model-alarms.ts'
import { settingReviewsJob } from './devices/settings/setting-reviews.ts'
import { packHistoryJob } from './devices/telemetry/packing.ts'
import { createPartitionsJob, dropPartitionsJob } from './devices/telemetry/partitions.ts'
import { factorResetsJob } from './directory/accounts/factor-resets.ts'
import { deleteExpiredSessionsJob } from './directory/accounts/session-expiry.ts'
import { announceExpiringKeysJob } from './directory/api-key-expiry.ts'
import { checkDomainsJob } from './directory/partners/domains.ts'
import { auditMonthsJob } from './events/audit-retention.ts'
import { deleteOldFailuresJob } from './events/integration-log.ts'
import { deleteOldMailsJob } from './events/mail/mail-deliveries.ts'
import { deleteOldDeliveriesJob } from './events/webhooks/deliveries.ts'
import type { Pool } from './platform/database/sql.ts'
import { deleteOldIdempotencyKeysJob } from './platform/http/idempotency.ts'
import { type Job, runJob, type SharedJob } from './platform/jobs.ts'
import { deleteClosedWindowsJob } from './platform/limits.ts'
import { deleteOldReachedJob } from './platform/limits-reached.ts'

/**
 * The first of the jobs, whose partitions have to exist before anything is written: a row on its way into the default
 * partition fails when the partition of its time appears.
 */
export async function preparePartitions(context: Context): Promise<void> {
  for (const job of [createPartitionsJob(context), auditMonthsJob(context), retiredTokensJob(context)]) {
    // Another process that starts too may be at it.
    while (!(await runJob(context.sql, job))) await sleep(50)
  }
}

/**
 * The one list of everything that happens without being asked: expiry, partitions, deadlines, deliveries. What may take
 * long has a pool of its own, so that neither requests nor status events wait for it.
 */
export function backgroundJobs(context: Context, slow: Pool = context.sql): (Job | SharedJob)[] {
  const slowly = { ...context, sql: slow }
  return [
    createPartitionsJob(context),
    dropPartitionsJob(context),
    auditMonthsJob(context),
    retiredTokensJob(context),
    packHistoryJob(context),
    offlineDeadlinesJob(context),
    statusEventsJob(context),
    commandDeadlinesJob(context),
    withdrawnCommandsJob(context),
    deleteOldStatusesJob(slowly),
    deleteOldCommandsJob(slowly),
    removeUnusedDevicesJob(slowly),
    deleteRemovedDevicesJob(slowly),
    modelAlarmsJob(context),
    settingReviewsJob(context),
    hubCellsJob(context),
    deviceTrendsJob(context),
    fleetCountsJob(context),
    expiryJob(slowly),
    deleteExpiredSessionsJob(slowly),
    deleteClosedWindowsJob(slowly),
    deleteOldReachedJob(slowly),
    deleteOldIdempotencyKeysJob(slowly),
    deleteOldDeliveriesJob(slowly),
    deleteOldMailsJob(slowly),
    deleteOldFailuresJob(slowly),
    checkDomainsJob(context),
    announceExpiringKeysJob(context),
    factorResetsJob(context),
  ].map((job) => context.counters.watchJob(job))
}
