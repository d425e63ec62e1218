import type { Context } from '../context.ts'
import { type DeliveryQueue, type RunningDeliveries, startDeliveryLoop } from '../delivery-loop.ts'
import { type ClaimedDelivery, findNextAttempts } from '../store/webhook-claims.ts'
import { allPartitions, deliveriesQueuedTopic, partitionOf } from '../webhook-partition.ts'
import { claim, deliver } from './deliveries.ts'
import { isLimited } from './slots.ts'

/** Delivers webhooks until stopped. */
export function startDeliveries(context: Context, options?: { everyMs?: number }): RunningDeliveries {
  const queue: DeliveryQueue<ClaimedDelivery> = {
    name: 'webhook',
    partitions: allPartitions,
    topicOf: deliveriesQueuedTopic,
    partitionOf: ({ endpoint_id }) => partitionOf(endpoint_id),
    claim: (inProgress, partitions) => claim(context, inProgress, partitions),
    isLimited,
    deliver: async (delivery) => (await deliver(context, delivery)) === 'delivered' && delivery.type_failures === 0,
    findNextAttempts: () => findNextAttempts(context.sql),
  }
  return startDeliveryLoop(context, queue, options)
}
