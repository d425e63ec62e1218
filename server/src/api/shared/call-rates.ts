import type { FastifyReply } from 'fastify'
import type { PeopleActor } from '../../directory/accounts/people-rights.ts'
import type { BaseContext } from '../../platform/context.ts'
import type { Tenant } from '../../platform/limits-reached.ts'
import { callsInReserve, type RateName } from '../../platform/own-limits.ts'
import type { Rate } from '../../platform/rates.ts'
import { Refusal } from '../../platform/refusal.ts'

export interface Calling {
  tenant: Tenant
  actor: PeopleActor
}

/** Made once: a new one for every refusal would cost more than the call itself. */
const numbers = new Intl.NumberFormat('en')

function tooManyCalls(who: string, { max, seconds, reached }: Rate): Refusal {
  const sentence = `${who} made more than ${numbers.format(max)} calls in a minute. Try again in ${seconds} s.`
  return new Refusal(429, 'too_many_requests', sentence, { retryAfter: seconds, repeated: reached === null })
}

/** The name of the rate that all callers of a tenant share. */
export function sharedRateOf(tenant: Tenant): RateName {
  return 'customer_id' in tenant ? 'organization' : 'partner'
}

export function sharedRateKey(tenant: Tenant): string {
  return `calls ${Object.values(tenant)[0]}`
}

export function credentialRateKey({ tenant, actor }: Calling): string {
  return `${sharedRateKey(tenant)} ${actor.kind} ${'id' in actor ? actor.id : ''}`
}

type Headers = Pick<FastifyReply, 'header'>

/**
 * Counts a call of the caller and of its tenant, writes the fields of draft-ietf-httpapi-ratelimit-headers, and throws
 * when there were too many (decision 10.23).
 */
export function createCallLimit(context: BaseContext): (reply: Headers, calling: Calling) => Promise<void> | void {
  const { config, rates } = context
  const policyOf = (shared: RateName) =>
    `"${shared}";q=${config.rates[shared]};w=60,"credential";q=${config.rates.credential};w=60`
  const policies = new Map((['organization', 'partner'] as const).map((name) => [name as RateName, policyOf(name)]))

  function judge(reply: Headers, calling: Calling, own: Rate, all: Rate | null): void {
    const { tenant, actor } = calling
    const shared = sharedRateOf(tenant)
    reply.header('ratelimit-policy', policies.get(shared)!)
    reply.header('ratelimit', `${all ? `${limitOf(shared, all)},` : ''}${limitOf('credential', own)}`)
    if (own.reached) record(context, calling, 'credential', own)
    if (all?.reached) record(context, calling, shared, all)
    if (!own.allowed) throw refuse(context, 'credential', whoIs[actor.kind], own)
    if (all!.allowed || (actor.kind === 'user' && own.max - own.remaining <= callsInReserve)) return
    throw refuse(context, shared, `The callers of this ${shared} together`, all!)
  }

  /** A call that is refused for its caller is none of its tenant: the others need not suffer. */
  const takeShared = (own: Rate, { tenant }: Calling) =>
    own.allowed ? rates.take(sharedRateKey(tenant), config.rates[sharedRateOf(tenant)]) : null

  async function wait(reply: Headers, calling: Calling, taken: Rate | Promise<Rate>): Promise<void> {
    const own = await taken
    judge(reply, calling, own, await takeShared(own, calling))
  }

  return (reply, calling) => {
    const own = rates.take(credentialRateKey(calling), config.rates.credential)
    if (own instanceof Promise) return wait(reply, calling, own)
    const all = takeShared(own, calling)
    if (!(all instanceof Promise)) return judge(reply, calling, own, all)
    return all.then((shared) => judge(reply, calling, own, shared))
  }
}

function limitOf(name: RateName, { remaining, seconds }: Rate): string {
  return `"${name}";r=${remaining};t=${seconds}`
}

const whoIs: Record<PeopleActor['kind'], string> = {
  application: 'This application',
  api_key: 'This API key',
  user: 'You',
  operator: 'The operator',
}

function refuse({ counters }: BaseContext, name: RateName, who: string, rate: Rate): Refusal {
  counters.countLimited(name)
  return tooManyCalls(who, rate)
}

function record({ recordLimit }: BaseContext, { tenant, actor }: Calling, name: RateName, rate: Rate): void {
  const used = rate.max - rate.remaining
  const caller_id = name === 'credential' && 'id' in actor ? actor.id : null
  recordLimit({ tenant, name, used, max: rate.max, refused: !rate.allowed, caller_id })
}
