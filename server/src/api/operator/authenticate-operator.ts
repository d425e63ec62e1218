import type { FastifyRequest } from 'fastify'
import type { PeopleActor } from '../../directory/accounts/people-rights.ts'
import { notAuthorized } from '../../platform/refusal.ts'
import { digest, sameDigest } from '../../platform/secrets/secrets.ts'
import type { Context } from '../context.ts'

export const operator: PeopleActor = { kind: 'operator' }

/** The operator's reads take turns with each other, as those of a tenant do. */
export const readerOf = ({ signal }: FastifyRequest) => ({ tenant: 'operator', signal })

/** Digests are compared, so that the time taken reveals neither the key's length nor its first wrong byte. */
export function requireOperator(context: Context, authorization: string | undefined): void {
  if (!authorization || !sameDigest(digest(authorization), digest(context.operatorKey))) throw notAuthorized()
}
