import type { FastifyRequest } from 'fastify'
import { recordAudit } from '../../events/audit.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { ownLimits } from '../../platform/own-limits.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'

/**
 * Decision 10.22: what a wrong operator or API key is refused with. Only wrong keys are counted and refused, so that
 * nobody can lock out who shares an address; one event per address and window, so that nobody can fill the log.
 */
export async function limitWrongKeys(
  context: Context,
  { ip, headers, id }: FastifyRequest,
  wrong: Refusal,
): Promise<Refusal> {
  const address = limitAddress(ip)
  if (await context.limits.take(`wrong keys ${address}`, ownLimits.wrongKeysPerAddress)) return wrong
  context.counters.countLimited('wrong_keys')
  if (await context.limits.take(`wrong keys audited ${address}`, 1)) {
    const details = { address, user_agent: (headers['user-agent'] ?? '').slice(0, 200), request_id: id }
    await recordAudit(context.sql, {
      type: 'key.guessing_limited',
      at: context.now(),
      actor: { kind: 'visitor' },
      details,
    })
  }
  const sentence = 'Too many wrong keys came from this address. Check the key, and try again in a minute.'
  return new Refusal(429, 'too_many_attempts', sentence, { retryAfter: 60 })
}
