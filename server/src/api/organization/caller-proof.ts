import type { FastifyRequest } from 'fastify'
import { requireFreshProof } from '../../directory/accounts/proof.ts'
import { presentedSession, readSession } from '../../directory/accounts/sessions.ts'
import { notAuthorized } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import { callerOf } from './authenticate-organization.ts'

/** A person in the portal must have confirmed in the last ten minutes that it is them; a program has nothing to confirm. */
export async function requireCallerProof(context: Context, request: FastifyRequest): Promise<void> {
  if (callerOf(request).credential !== 'session') return
  const session = await readSession(context, presentedSession(request))
  if (!session) throw notAuthorized('the session has ended')
  requireFreshProof(context, session)
}
