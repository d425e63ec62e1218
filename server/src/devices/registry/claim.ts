import { keepSpaces } from '../../directory/organization/spaces.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { queueEvent } from '../../events/outbox.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { Refusal } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import { judgeLocked } from '../settings/settings-lists.ts'
import * as store from '../store/devices-sql.ts'
import { lockState, setCustomerOfStates } from '../telemetry-store/telemetry-store.ts'
import { giveBackAttempt, takeAttempts } from './claim-attempts.ts'
import { type Device, withDetail } from './device-details.ts'

export interface Claim {
  mac: string
  sn: string
  model_id: string
  name?: string | null | undefined
  space_id?: string | null | undefined
}

/** The same for every failure. */
export const cannotBeClaimed =
  'The device cannot be claimed. Check the MAC address, the serial number, the model and the space.'

/**
 * Makes an unclaimed device the customer's (contract 1.5). Every failure is the same to the caller: unknown device,
 * already claimed, removed, unknown space (decision 7.11).
 */
export async function claimDevice(
  context: Context,
  actor: Actor,
  owner: store.CustomerOwner,
  address: string,
  input: Claim,
): Promise<Device> {
  const { customer_id: customerId } = owner
  const attempt = await takeAttempts(context, { actor, customer_id: customerId, address }, 1)
  if (attempt.granted === 0) {
    const sentence = 'Too many attempts to claim a device have failed. Wait a minute and try again.'
    throw new Refusal(429, 'too_many_attempts', sentence)
  }
  const identity = { model_id: input.model_id, mac: input.mac.toLowerCase(), sn: input.sn }
  const at = context.now()
  const spaceId = input.space_id ?? null
  const claiming = transaction(context.sql, async (sql) => {
    const found = isId(identity.model_id) ? await store.findUnclaimed(sql, identity) : undefined
    if (!found || !(await isRoom(sql, owner, spaceId)) || !(await lockState(sql, found.id))) return undefined
    const claimed = { customer_id: customerId, name: input.name ?? null, space_id: spaceId, claimed_at: at }
    if (!(await store.claim(sql, found.id, claimed))) return undefined
    await setCustomerOfStates(sql, [found.id], customerId)
    await judgeLocked(sql, [found.id])
    const device = await withDetail(sql, owner, (await store.findDevice(sql, owner, found.id))!)
    const { id, partner_id, model_id, mac, sn } = device
    const subject = { partner_id, customer_id: customerId, device_id: id }
    const details = { model_id, mac, sn, name: device.name, space_id: device.space_id }
    await recordAudit(sql, { type: 'device.claimed', at, actor, ...subject, details })
    await queueEvent(sql, { type: 'device.claimed', at, partner_id, data: { device_id: id, model_id, mac, sn } })
    return device
  })
  const device = await claiming
  if (device) {
    await giveBackAttempt(context, attempt)
    return device
  }
  await recordAudit(context.sql, {
    type: 'device.claim_failed',
    at,
    actor,
    customer_id: customerId,
    details: { ...identity, address },
  })
  throw new Refusal(422, 'claim_failed', cannotBeClaimed)
}

/** Whether the caller may put a device there; in no space, only whoever reaches everything. */
async function isRoom(sql: Sql, owner: store.CustomerOwner, spaceId: string | null): Promise<boolean> {
  if (spaceId === null) return !owner.within
  return isId(spaceId) && (await keepSpaces(sql, owner, [spaceId.toLowerCase()])).size > 0
}
