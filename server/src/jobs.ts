import { expiryJob } from './authorization/token/expiry.ts'
import type { Context } from './context.ts'
import { offlineDeadlinesJob } from './devices/live/offline-deadlines.ts'
import { statusEventsJob } from './devices/live/status-events.ts'
import { dropHistory, keepHistory } from './devices/telemetry/partitions.ts'
import { forgetSessions } from './directory/accounts/expiry.ts'
import { forgetAuditEvents } from './events/audit-retention.ts'
import { forgetFailures } from './events/failure-log.ts'
import { forgetDeliveries } from './events/webhooks/deliveries.ts'
import { forgetAnswers } from './platform/http/idempotency.ts'
import type { Job, SharedJob } from './platform/jobs.ts'
import { sweepLimits } from './platform/limits.ts'

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
