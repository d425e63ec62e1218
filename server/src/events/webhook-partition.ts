/**
 * Webhook deliveries are claimed by one process at a time per partition: two that walk the same part of the queue at once
 * would find the same rows, and one lock for the whole queue would make every process wait for all others.
 */
export const partitionCount = 16
export const allPartitions: readonly number[] = Array.from({ length: partitionCount }, (_, partition) => partition)

/** The last bits of an endpoint's id are random, so that they need no further hash; as webhook_deliveries.partition. */
export function partitionOf(endpointId: string): number {
  return Number.parseInt(endpointId.slice(-1), 16) & (partitionCount - 1)
}

/** Within a process, with the commit: it has queued deliveries in this partition. */
export function deliveriesQueuedTopic(partition: number): string {
  return `webhooks.queued.${partition}`
}
