import { recordAudit } from '../../events/audit.ts'
import type { BaseContext } from '../../platform/context.ts'
import { transaction } from '../../platform/database/database.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { found, Refusal } from '../../platform/refusal.ts'
import { fullRights, type PeopleActor, requireRight } from '../accounts/people-rights.ts'
import type { Session } from '../accounts/sessions.ts'
import { lockCustomer } from '../store/customers-sql.ts'
import type { SecondFactor } from '../store/factor-facts-sql.ts'
import * as store from '../store/factor-policy-sql.ts'
import { type FactorDemand, type FactorFacts, isRefused, judgeFactor } from './factor-judgement.ts'

export const factorPolicies = ['optional', 'administrators', 'all'] as const
export type FactorPolicy = (typeof factorPolicies)[number]

export interface PolicyOfCustomer {
  policy: FactorPolicy
  /** Since when it is required; null: it is not. */
  administrators_since: Date | null
  all_since: Date | null
}

/** Where a session acts for a customer. Its facts came with the membership: no statement of its own. */
export function requireSecondFactor(
  { now }: BaseContext,
  facts: FactorFacts,
  { methods }: Pick<Session, 'methods'>,
): void {
  const demand = judgeFactor(facts, methods)
  if (demand && isRefused(demand, now())) throw new Refusal(403, 'second_factor_required', sentenceOf(demand))
}

function sentenceOf({ step }: FactorDemand): string {
  return step === 'set_up'
    ? 'This organization requires a second factor. Set one up at /account, then try again.'
    : 'This organization requires a second factor, and you signed in without yours. Present it at /account/prove, then try again.'
}

export async function getFactorPolicy({ sql }: BaseContext, customerId: string): Promise<PolicyOfCustomer> {
  return policyOf(found(await store.findFactorPolicy(sql, customerId), 'customer'))
}

function policyOf(since: store.PolicyTimes): PolicyOfCustomer {
  const policy = since.all_since ? 'all' : since.administrators_since ? 'administrators' : 'optional'
  return { policy, ...since }
}

/** What was required before stays required since then: only what is new has its days of grace. */
export async function setFactorPolicy(
  context: BaseContext,
  actor: PeopleActor,
  { customerId, ifMatch }: { customerId: string; ifMatch: string | undefined },
  policy: FactorPolicy,
): Promise<PolicyOfCustomer> {
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    await lockCustomer(sql, customerId)
    await requireRight(sql, fullRights(actor), { customer_id: customerId })
    const before = policyOf(found(await store.findFactorPolicy(sql, customerId), 'customer'))
    requireMatch(ifMatch, before)
    if (before.policy === policy) return before
    const after = {
      administrators_since: policy === 'optional' ? null : (before.administrators_since ?? at),
      all_since: policy === 'all' ? at : null,
    }
    await store.updateFactorPolicy(sql, customerId, after)
    const details = { policy, before: before.policy }
    await recordAudit(sql, {
      type: 'customer.second_factor_policy_changed',
      at,
      actor,
      customer_id: customerId,
      details,
    })
    return policyOf(after)
  })
}

/** Of the people of a customer: with which factor, and how many are required to have one and have none. */
export async function countFactors({ sql }: BaseContext, customerId: string): Promise<store.FactorCounts> {
  return await store.countFactors(sql, customerId)
}

/** The strongest that the account has. */
export async function secondFactorOf({ sql }: BaseContext, userId: string): Promise<SecondFactor | null> {
  return await store.findSecondFactor(sql, userId)
}
