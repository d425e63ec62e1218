import { deliverySlots } from '../../platform/own-limits.ts'
import type { ClaimedDelivery } from '../store/webhook-claims.ts'
import { partitionOf } from '../webhook-partition.ts'

type Busy = Pick<ClaimedDelivery, 'partner_id' | 'endpoint_id' | 'type' | 'by_person'>

/** Whether a claim of the partition may have left due deliveries behind, because the slots for them are in use. */
export function isLimited(inProgress: readonly Busy[], partition: number): boolean {
  if (inProgress.length >= deliverySlots.total) return true
  const { perPartner, perEndpoint, perType, byPerson } = deliverySlots
  return inProgress.some(({ partner_id, endpoint_id, type, by_person }) => {
    if (partitionOf(endpoint_id) !== partition) return false
    const alike = inProgress.filter((other) => other.partner_id === partner_id && other.by_person === by_person)
    const ofEndpoint = alike.filter((other) => other.endpoint_id === endpoint_id)
    if (by_person) return ofEndpoint.length >= byPerson
    const ofType = ofEndpoint.filter((other) => other.type === type)
    return alike.length >= perPartner || ofEndpoint.length >= perEndpoint || ofType.length >= perType
  })
}
