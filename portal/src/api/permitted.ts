import { useParams } from 'react-router'
import { useRead } from './api.tsx'
import { everything, may, type NamedSpace, type Needed, type Reach, whereTo } from './reach.ts'
import { useSession } from './session.tsx'

const none: Reach = []

/** All of it in the portals of partners and the operator, and for an administrator, for whom nothing is asked. */
export function useReach(): Reach {
  const { customerId } = useParams()
  const { data } = useSession({ enabled: customerId !== undefined })
  const customer = data?.customers.find(({ id }) => id === customerId)
  const asks = customer?.role === 'member' && customer.can_open_portal
  const own = useRead('GET /core/v1/organization/permissions', {}, { enabled: asks, every: 60_000 })
  if (!customerId || customer?.role === 'administrator') return everything
  return (asks && own.data?.reach) || none
}

/** Whether the person may do this somewhere: what would be refused everywhere is not offered. */
export function useMay(needed: Needed): boolean {
  return may(useReach(), needed)
}

/** The spaces to which this is limited for the person; null: everywhere. */
export function useWithin(needed: Needed): NamedSpace[] | null {
  return whereTo(useReach(), needed)
}

/**
 * Whether the person may do this to something in the space. Asks for the spaces above only where the person may read in
 * more places than this.
 */
export function useMayThere(
  needed: 'devices: manage' | 'devices: command' | 'spaces: manage',
  spaceId: string | null,
): boolean {
  const reach = useReach()
  const within = whereTo(reach, needed)
  const read = whereTo(reach, needed === 'spaces: manage' ? 'spaces: read' : 'devices: read')
  const alike = within !== null && read?.every(({ id }) => within.some((space) => space.id === id))
  const asks = within !== null && within.length > 0 && !alike && spaceId !== null
  const space = useRead('GET /core/v1/organization/spaces/{id}/summary', { id: spaceId ?? '' }, { enabled: asks })
  if (!asks) return within === null || (alike === true && within.length > 0)
  return may(reach, needed, [spaceId, ...(space.data?.above ?? []).map(({ id }) => id)])
}

/** Whether the person manages this organization: its people, keys, applications and settings. */
export function useMayChange(): boolean {
  return useMay('people: manage')
}
