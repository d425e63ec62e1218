import type { Context } from '../../context.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { queueEvent } from '../../events/outbox.ts'
import { isForeignKeyViolation, transaction } from '../../platform/database/database.ts'
import { ownLimits } from '../../platform/own-limits.ts'
import { Refusal } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import * as store from '../store/devices.ts'

export interface Claim {
  mac: string
  sn: string
  model_id: string
  name?: string | null | undefined
  space_id?: string | null | undefined
}

/**
 * Makes an unclaimed device the customer's (contract 1.5). Every failure is the same to the caller: unknown device,
 * already claimed, removed, unknown space (decision 7.11).
 */
export async function claimDevice(
  context: Context,
  actor: Actor,
  customerId: string,
  address: string,
  input: Claim,
): Promise<store.Device> {
  const counted = await countAttempt(context, actor, customerId, address)
  const identity = { model_id: input.model_id, mac: input.mac.toLowerCase(), sn: input.sn }
  const at = context.now()
  const spaceId = input.space_id ?? null
  const claiming = transaction(context.sql, async (sql) => {
    const found = isId(identity.model_id) ? await store.findUnclaimed(sql, identity) : undefined
    if (!found || (spaceId !== null && !isId(spaceId)) || !(await store.lockState(sql, found.id))) return undefined
    const claimed = { customer_id: customerId, name: input.name ?? null, space_id: spaceId, claimed_at: at }
    if (!(await store.claim(sql, found.id, claimed))) return undefined
    const device = (await store.findDevice(sql, { customer_id: customerId }, found.id))!
    const { id, partner_id, model_id, mac, sn } = device
    const subject = { partner_id, customer_id: customerId, device_id: id }
    const details = { model_id, mac, sn, name: device.name, space_id: device.space_id }
    await recordAudit(sql, { type: 'device.claimed', at, actor, ...subject, details })
    await queueEvent(sql, { type: 'device.claimed', at, partner_id, data: { device_id: id, model_id, mac, sn } })
    return device
  })
  // The composite key refuses a space that is unknown, another customer's, or just deleted.
  const device = await claiming.catch((error) => {
    if (isForeignKeyViolation(error)) return undefined
    throw error
  })
  if (device) {
    await Promise.all(counted.map((key) => context.limits.giveBack(key)))
    return device
  }
  await recordAudit(context.sql, {
    type: 'device.claim_failed',
    at,
    actor,
    customer_id: customerId,
    details: { ...identity, address },
  })
  const sentence = 'The device cannot be claimed. Check the MAC address, the serial number, the model and the space.'
  throw new Refusal(422, 'claim_failed', sentence)
}

/**
 * Counts the attempt as failed before its outcome is known, so that concurrent attempts cannot exceed the limit; after
 * a success the returned keys are given back. Nothing is counted per device, or a guesser could lock its owner out.
 * Customers and addresses are shared, so each person has a reserve that others cannot use up; the API keys and tokens
 * of a customer share one, or each new key would add to it.
 */
async function countAttempt(context: Context, actor: Actor, customerId: string, address: string): Promise<string[]> {
  const counted: string[] = []
  const take = (key: string, max: number) => {
    counted.push(key)
    return context.limits.take(key, max)
  }
  const isPerson = actor.kind === 'user'
  const caller = isPerson ? `${customerId} user ${actor.id}` : `${customerId} keys`
  const own = isPerson ? ownLimits.failedClaimsPerUser : ownLimits.failedClaimsByKeysOfCustomer
  if (await take(`claim ${caller}`, own)) {
    const shared = await Promise.all([
      take(`claim customer ${customerId}`, ownLimits.failedClaimsPerCustomer),
      take(`claim address ${address}`, ownLimits.failedClaimsPerAddress),
    ])
    if (shared.every(Boolean)) return counted
    if (await take(`claim reserve ${caller}`, ownLimits.failedClaimsInReserve)) return counted
  }
  const sentence = 'Too many attempts to claim a device have failed. Wait a minute and try again.'
  throw new Refusal(429, 'too_many_attempts', sentence)
}
