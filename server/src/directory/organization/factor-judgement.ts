import { lifetimes } from '../../platform/own-limits.ts'
import type { FactorFacts } from '../store/factor-facts-sql.ts'

export type { FactorFacts } from '../store/factor-facts-sql.ts'

/** What a person has to do: have a second factor at all, or present the one they have in this session. */
export type FactorStep = 'met' | 'set_up' | 'present'

export interface FactorDemand {
  /** Until then nothing is refused. */
  due_at: Date
  step: FactorStep
}

/** What the policy of a customer asks of one of its people in a session; null: nothing (decision 6.66). */
export function judgeFactor(facts: FactorFacts, methods: readonly string[]): FactorDemand | null {
  const due_at = dueAt(facts)
  if (due_at === null) return null
  if (facts.second_factor === null) return { due_at, step: 'set_up' }
  return { due_at, step: isSecondFactorPresented(methods) ? 'met' : 'present' }
}

/** Whether the person may act for the customer now. */
export function isRefused(demand: FactorDemand | null, now: Date): boolean {
  return demand !== null && demand.step !== 'met' && demand.due_at <= now
}

/** RFC 8176: more than one factor; a passkey that verifies its user is two in one. */
export function isSecondFactorPresented(methods: readonly string[]): boolean {
  return methods.includes('mfa')
}

/** The earlier of both requirements: who becomes an administrator gets no later date as a member than before. */
function dueAt({ role, joined_at, ...facts }: FactorFacts): Date | null {
  const { administrators_since, all_since, administrator_since } = facts
  const asMember = all_since && Math.max(all_since.getTime(), joined_at.getTime())
  const asAdministrator =
    role === 'administrator' && administrators_since
      ? Math.max(administrators_since.getTime(), (administrator_since ?? joined_at).getTime())
      : null
  const starts = [asMember, asAdministrator].filter((time) => time !== null)
  return starts.length === 0 ? null : new Date(Math.min(...starts) + lifetimes.secondFactorGraceMilliseconds)
}
