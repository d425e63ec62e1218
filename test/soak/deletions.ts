// Which tables use writes to, and what deletes from them.
import { lifetimes, signInLimits, storedFor } from '../../server/src/platform/own-limits.ts'

interface Deletion {
  /** Minutes after a row was written. */
  after: number
  by: string
}

const minutes = (milliseconds: number) => milliseconds / 60_000
const [hour, day] = [60, 24 * 60]
/** The job for expired tokens keeps them for another ten minutes. */
const kept = 10

/** A table that grows and is not here fails the run. */
export const deletions = new Map<string, Deletion>([
  ['access_tokens', { after: hour + kept, by: 'the job for expired tokens, every 30 s' }],
  ['audit_events', { after: 400 * day, by: 'the job for its months, every hour' }],
  ['authorization_codes', { after: 1 + kept, by: 'the job for expired tokens, every 30 s' }],
  [
    'authorization_requests',
    {
      after: minutes(lifetimes.authorizationRequestMilliseconds) + kept,
      by: 'the job for expired tokens, every 30 s',
    },
  ],
  ['device_trends', { after: day, by: 'each new point deletes those older than a day' }],
  ['history', { after: 30 * day, by: 'the job for its days, every 600 s' }],
  ['idempotency_keys', { after: minutes(storedFor.idempotentResponseMilliseconds), by: 'its job, every 60 s' }],
  ['integration_failures', { after: minutes(storedFor.integrationFailureMilliseconds), by: 'its job, every 600 s' }],
  ['job_turns', { after: 0, by: 'nothing: one row per job, which each turn updates' }],
  ['limit_windows', { after: 1, by: 'its job, every 30 s' }],
  ['live_interests', { after: 1, by: 'the end of the last live stream of a customer' }],
  ['limits_reached', { after: minutes(storedFor.reachedLimitMilliseconds), by: 'its job, every hour' }],
  ['offline_deadlines', { after: 0, by: 'the job that settles them, every 4 s' }],
  ['refresh_tokens', { after: 0, by: 'each rotation, which retires its token' }],
  ['retired_refresh_tokens', { after: 90 * day, by: 'the job for its months, every hour' }],
  ['sessions', { after: minutes(lifetimes.idleSessionMilliseconds), by: 'the job for expired sessions, every 300 s' }],
  [
    'sign_in_attempts',
    { after: minutes(signInLimits.windowMilliseconds), by: 'the job for expired sessions, every 300 s' },
  ],
  ['status_changes', { after: 0, by: 'the job that publishes them, every 5 s' }],
  ['status_history', { after: 30 * day, by: 'its job, every 600 s' }],
  ['webhook_deliveries', { after: minutes(storedFor.webhookDeliveryMilliseconds), by: 'its job, every 600 s' }],
])

/** Whether a run is too short to see that a table stops growing: nothing of it was deleted before its last quarters. */
export function outlasts(table: string, minutes: number): boolean {
  return (deletions.get(table)?.after ?? 0) >= minutes / 2
}
