import type { FastifyRequest } from 'fastify'
import type { PeopleActor } from '../../directory/accounts/people-rights.ts'

/** Who came in, and whose things they act on: a customer's in the organization API, a partner's in the partner API. */
export interface Callers {
  /** The first word of the tags in the reference. */
  api: 'Organization' | 'Partner'
  ownerOf(request: FastifyRequest): { customer_id: string } | { partner_id: string }
  actorOf(request: FastifyRequest): PeopleActor
  /** A token or a key must not be able to extend its own reach: throws unless a person is at the portal. */
  requirePortalSession(request: FastifyRequest): void
}
