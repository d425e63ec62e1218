import type { Context } from '../../context.ts'
import { ownLimits } from '../../platform/own-limits.ts'
import { Refusal } from '../../platform/refusal.ts'

/**
 * Refused registrations are counted by address, and by address and model: by the model alone anybody could use up the
 * budget of its partner.
 */
function budgetsOf(address: string, model: unknown): [key: string, max: number][] {
  const ofAddress: [string, number] = [`registration ${address}`, ownLimits.refusedRegistrationsPerAddress]
  if (typeof model !== 'string') return [ofAddress]
  return [ofAddress, [`registration ${address} ${model}`, ownLimits.refusedRegistrationsPerAddressAndModel]]
}

export async function requireRegistrationBudget({ limits }: Context, address: string, model?: unknown): Promise<void> {
  const budgets = budgetsOf(address, model)
  const usedUp = await Promise.all(budgets.map(([key, max]) => limits.isUsedUp(key, max)))
  if (!usedUp.includes(true)) return
  const sentence = 'Too many registrations from this address were refused. Wait a minute and try again.'
  throw new Refusal(429, 'too_many_requests', sentence)
}

export async function countRefusedRegistration({ limits }: Context, address: string, model: unknown): Promise<void> {
  await Promise.all(budgetsOf(address, model).map(([key, max]) => limits.take(key, max)))
}
