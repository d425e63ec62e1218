// Which tables use writes to, and what deletes from them.

interface Deletion {
  /** Minutes after a row was written. */
  after: number
  by: string
}

const [hour, day] = [60, 24 * 60]

/** A table that grows and is not here fails the run. */
export const deletions = new Map<string, Deletion>([
  ['access_tokens', { after: hour, by: 'the job for expired tokens, every 30 s' }],
  ['audit_events', { after: 30 * day, by: 'the job for its retention, a month’s partition at a time' }],
  ['authorization_codes', { after: 1, by: 'the job for expired tokens, every 30 s' }],
  ['authorization_requests', { after: 10, by: 'the job for expired tokens, every 30 s' }],
  ['device_trends', { after: day, by: 'each new point deletes those older than a day' }],
  ['history', { after: day, by: 'the job for its retention, a day’s partition at a time' }],
  ['idempotency_keys', { after: day, by: 'its job, every 60 s' }],
  ['integration_failures', { after: day, by: 'its job, every 600 s: the newest of each caller are kept' }],
  ['limit_windows', { after: 1, by: 'its job, every 30 s' }],
  ['limits_reached', { after: 30 * day, by: 'its job, every hour' }],
  ['offline_deadlines', { after: 0, by: 'the job that settles them, every 4 s' }],
  ['refresh_tokens', { after: 0, by: 'each rotation, which retires its token' }],
  ['retired_refresh_tokens', { after: 90 * day, by: 'the job for its retention, a month’s partition at a time' }],
  ['sessions', { after: 12 * hour, by: 'the job for expired sessions, every 300 s' }],
  ['sign_in_attempts', { after: 15, by: 'the job for expired sessions, every 300 s' }],
  ['status_changes', { after: 0, by: 'the job that publishes them, every 5 s' }],
  ['status_history', { after: day, by: 'its job, every 600 s' }],
  ['webhook_deliveries', { after: day, by: 'its job, every 600 s' }],
])

/** Whether a run is too short to see that a table stops growing: nothing of it was deleted before its last quarters. */
export function outlasts(table: string, minutes: number): boolean {
  return (deletions.get(table)?.after ?? 0) >= minutes / 2
}
