/**
 * The one way to what devices send: ingest, states, history, statuses, connections and the credentials of devices. No
 * other file names its tables, and no statement in this folder names any other table (decision 3.12), so that telemetry
 * can be spread over the servers of a distributed database, bucket by bucket.
 */
export { setAlarming } from './alarms.ts'
export * from './authenticate-devices.ts'
export * from './command-changes-sql.ts'
export * from './command-lists-sql.ts'
export * from './commands-sql.ts'
export * from './connections-sql.ts'
export * from './delete-devices.ts'
export * from './distribute.ts'
export * from './due-work.ts'
export * from './fleet-commands-sql.ts'
export * from './history-sql.ts'
export type { Ingested } from './ingest-result.ts'
export * from './lanes.ts'
export type { MessageColumns, TogetherColumns } from './message-columns.ts'
export type { NumberedStatus } from './message-statuses.ts'
export * from './partitions-sql.ts'
export * from './settings-documents.ts'
export * from './space-series-sql.ts'
export * from './state-values.ts'
export * from './states.ts'
export * from './status-changes.ts'
export * from './status-history-sql.ts'
export * from './store-singly.ts'
export * from './store-together.ts'
