import { expiryJob } from './authorization/expiry.ts'
import type { Context } from './context.ts'
import { offlineDeadlinesJob } from './devices/offline-deadlines.ts'
import { dropHistory, keepHistory } from './devices/partitions.ts'
import { statusEventsJob } from './devices/status-events.ts'
import { forgetSessions } from './directory/expiry.ts'
import { forgetDeliveries } from './partner/webhook-deliveries.ts'
import { forgetAnswers } from './platform/http/idempotency.ts'
import type { Job, SharedJob } from './platform/jobs.ts'
import { sweepLimits } from './platform/limits.ts'
import { forgetAuditEvents } from './platform/records/audit-retention.ts'
import { forgetFailures } from './platform/records/integration-log.ts'

/** The one list of everything that happens without being asked: expiry, partitions, deadlines, deliveries. */
export function backgroundJobs(context: Context): (Job | SharedJob)[] {
  return [
    keepHistory(context),
    dropHistory(context),
    offlineDeadlinesJob(context),
    statusEventsJob(context),
    expiryJob(context),
    forgetSessions(context),
    sweepLimits(context),
    forgetAnswers(context),
    forgetDeliveries(context),
    forgetFailures(context),
    forgetAuditEvents(context),
  ]
}
