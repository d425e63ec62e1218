import type { Context } from '../context.ts'
import { isForeignKeyViolation, transaction } from '../platform/database/database.ts'
import { type Actor, recordAudit } from '../platform/records/audit.ts'
import { queueEvent } from '../platform/records/outbox.ts'
import { Refusal } from '../platform/refusal.ts'
import { isId } from '../platform/secrets/identifiers.ts'
import * as store from './store/devices.ts'

export interface Claim {
  mac: string
  sn: string
  model_id: string
  name?: string | null | undefined
  space_id?: string | null | undefined
}

/**
 * Attempts a minute. None of these counts by device, or whoever guesses at a device would lock its owner out. A
 * customer and an address are shared, so each claimant has a few attempts that no neighbour can use up.
 */
export const claimLimits = { claimant: 120, customer: 300, address: 600, spare: 10 } as const

/**
 * Makes an unclaimed device the customer's (spec 1.5). Every failure is one and the same to the caller: unknown,
 * claimed by whomever, removed, no such space.
 */
export async function claimDevice(
  context: Context,
  actor: Actor,
  customerId: string,
  address: string,
  input: Claim,
): Promise<store.Device> {
  await requireAllowance(context, actor, customerId, address)
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
    await recordAudit(sql, { type: 'device.claimed', at, actor, ...subject, details: { model_id, mac, sn } })
    await queueEvent(sql, { type: 'device.claimed', at, partner_id, data: { device_id: id, model_id, mac, sn } })
    return device
  })
  // The composite key refuses a space that is unknown, another customer's, or gone this very moment.
  const device = await claiming.catch((error) => {
    if (isForeignKeyViolation(error)) return undefined
    throw error
  })
  if (device) return device
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

async function requireAllowance(context: Context, actor: Actor, customerId: string, address: string): Promise<void> {
  const claimant = 'id' in actor ? `${actor.kind}:${actor.id}` : actor.kind
  const take = (kind: keyof typeof claimLimits, key: string) =>
    context.limits.take(`claim:${kind}:${key}`, claimLimits[kind])
  const own = await take('claimant', `${customerId}:${claimant}`)
  const shared = await Promise.all([take('customer', customerId), take('address', address)])
  if (own && (shared.every(Boolean) || (await take('spare', `${customerId}:${claimant}`)))) return
  throw new Refusal(429, 'too_many_attempts', 'Too many attempts to claim a device. Wait a minute and go on.')
}
