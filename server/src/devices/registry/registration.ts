import { type NewAuditEvent, recordAudit } from '../../events/audit.ts'
import { queueEvent } from '../../events/outbox.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { ownLimits } from '../../platform/own-limits.ts'
import { conflict, invalid, Refusal } from '../../platform/refusal.ts'
import { isId, newId } from '../../platform/secrets/identifiers.ts'
import { digest, mintSecret } from '../../platform/secrets/secrets.ts'
import { cancelWaiting } from '../commands/cancel-commands.ts'
import type { Context } from '../context.ts'
import { disconnectDevices } from '../live/connections.ts'
import { forgetReports } from '../settings/settings-reports.ts'
import { updateRegistered } from '../store/firmware-sql.ts'
import { findHardwareKeyOwner, type HardwareKeyOwner, holdHardwareKey } from '../store/hardware-keys-sql.ts'
import type { CellAddresses } from '../store/hub-cells-sql.ts'
import * as store from '../store/registration-sql.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'
import { recordFirmwareChanges } from './firmware.ts'
import { alarmingPairs } from './model-alarms.ts'

/** The body of contract 4.7. */
export interface Registration {
  device_model: string
  hardware_key: string
  mac: string
  sn: string
  firmware_version: string
}

/** Contract 2.5. */
export interface RegisteredDevice extends CellAddresses {
  id: string
  access_key: string
}

export async function registerDevice(context: Context, input: Registration): Promise<RegisteredDevice> {
  // The rest of what the pattern of a serial number cannot name: invisible characters beyond U+FFFF.
  if (/\p{C}/u.test(input.sn)) throw invalid({ field: 'sn', message: 'must have no control characters' })
  const owner = await requireHardwareKey(context, input)
  await takeRegistration(context, owner)
  const accessKey = mintSecret('device_key')
  try {
    // A device in the way may be removed between the insert and the select: the next attempt then inserts.
    for (;;) {
      const id = await transaction(context.sql, (sql) => register(context, sql, owner, input, digest(accessKey)))
      if (id === undefined) continue
      context.countHardwareKeyUse(owner.hardware_key_id)
      context.deviceCounters.countRegistration('registered')
      return { id, access_key: accessKey, ...(context.cells.addressesOf(id) ?? ownAddresses(context)) }
    }
  } catch (error) {
    if (error instanceof Refusal) await context.limits.giveBack(limitOfKey(owner))
    throw error
  }
}

/**
 * Decision 7.76: by hardware key and not by model, so that devices with another key still register while somebody uses up
 * the limit of one that leaked. Counted before the outcome is known; refused ones are given back.
 */
async function takeRegistration({ limits, config, now }: Context, owner: HardwareKeyOwner): Promise<void> {
  const key = limitOfKey(owner)
  if (await limits.take(key, config.registrationsPerKey)) return
  const { closesAt } = await limits.takeMany(key, 0, config.registrationsPerKey)
  const retryAfter = Math.max(1, Math.ceil((closesAt.getTime() - now().getTime()) / 1000))
  const sentence = `More than ${config.registrationsPerKey} devices have registered with this hardware key within a minute. Try again after Retry-After.`
  throw new Refusal(429, 'too_many_requests', sentence, { reason: 'registrations_of_key_limited', retryAfter })
}

function limitOfKey({ hardware_key_id }: HardwareKeyOwner): string {
  return `registrations ${hardware_key_id}`
}

function ownAddresses({ addresses }: Context): CellAddresses {
  const { hubUrl, staticCertUrl, mqttUrl } = addresses
  return { hub_url: hubUrl, hub_url_static_cert: staticCertUrl, mqtt_hub_url: mqttUrl }
}

/** Decision 7.2: the response does not say what is wrong; the integration log does. */
async function requireHardwareKey(context: Context, input: Registration): Promise<HardwareKeyOwner> {
  const owner = await findHardwareKeyOwner(context.sql, digest(input.hardware_key))
  const model = isId(input.device_model) ? input.device_model.toLowerCase() : undefined
  if (owner === undefined || owner.model_id !== model) throw invalidHardwareKey('hardware_key_wrong')
  if (owner.revoked_at !== null) throw invalidHardwareKey('hardware_key_revoked')
  return owner
}

/** At the end of the transaction, so that a revocation has to wait for the commit only. */
async function requireSameKey(sql: Sql, { hardware_key_id }: HardwareKeyOwner): Promise<void> {
  if (!(await holdHardwareKey(sql, hardware_key_id))) throw invalidHardwareKey('hardware_key_revoked')
}

function invalidHardwareKey(reason: string): Refusal {
  const sentence = 'The model is unknown, or the hardware key is not valid for it.'
  return new Refusal(401, 'invalid_hardware_key', sentence, { reason })
}

/** The id of the device, whose only key is now the new one; undefined when the device in the way was just removed. */
async function register(
  context: Context,
  sql: Sql,
  owner: HardwareKeyOwner,
  input: Registration,
  keyDigest: Buffer,
): Promise<string | undefined> {
  const at = context.now()
  const { partner_id, model_id } = owner
  const identity = { model_id, mac: input.mac.toLowerCase(), sn: input.sn }
  const device = { ...identity, id: newId(), partner_id, firmware_version: input.firmware_version, registered_at: at }
  const audit = (type: 'device.registered' | 'device.registered_again', id: string): NewAuditEvent => {
    const { mac, sn } = identity
    return { type, at, actor: { kind: 'device', id }, partner_id, device_id: id, details: { model_id, mac, sn } }
  }

  const inserted = await store.insertDevice(sql, device)
  if (inserted) {
    // Sent together, in this order: each alone would be a round trip with the connection held.
    await Promise.all([
      telemetry.insertState(sql, {
        device_id: device.id,
        number: inserted.number,
        key_digest: keyDigest,
        alarming: alarmingPairs(owner.alarming),
      }),
      recordAudit(sql, audit('device.registered', device.id)),
      queueEvent(sql, {
        type: 'device.registered',
        at,
        partner_id,
        data: { ...identity, device_id: device.id, firmware_version: device.firmware_version },
      }),
      requireSameKey(sql, owner),
    ])
    return device.id
  }

  const others = await store.findSameIdentity(sql, identity)
  const same = others.find(({ mac, sn }) => mac === identity.mac && sn === identity.sn)
  if (others.length === 0) return undefined
  if (!same) throw identityTaken(others, identity.mac)
  const renewal = await telemetry.renewKey(sql, same.id, keyDigest, at)
  if (renewal === null) {
    if (await telemetry.isRemoved(sql, same.id)) return undefined
    const sentence =
      'This device is registered and has used its access key. Open a replace window to give it a new one, or remove it.'
    throw new Refusal(409, 'already_registered', sentence, { reason: 'already_registered' })
  }
  await forgetReports(sql, same.id)
  if (renewal === 'replaced') await cancelWaiting(context, sql, { kind: 'device', id: same.id }, [same.id])
  await disconnectDevices(context, sql, 'rekeyed', [same.id])
  await recordAudit(sql, audit('device.registered_again', same.id))
  const change = await updateRegistered(sql, same.id, device.firmware_version)
  if (change) await recordFirmwareChanges(context, sql, [change])
  await requireSameKey(sql, owner)
  return same.id
}

function identityTaken(others: store.SameIdentity[], mac: string): Refusal {
  return others.some((other) => other.mac === mac)
    ? conflict('mac_taken', 'Another device of this model has this MAC address.')
    : conflict('sn_taken', 'Another device of this model has this serial number.')
}

/**
 * Refused registrations are counted by address, and by address and model. By model alone, anybody could use up the
 * limit of its partner (decision 10.4).
 */
function limitsOf(address: string, model: unknown): [key: string, max: number][] {
  const ofAddress: [string, number] = [`registration ${address}`, ownLimits.refusedRegistrationsPerAddress]
  if (typeof model !== 'string') return [ofAddress]
  return [ofAddress, [`registration ${address} ${model}`, ownLimits.refusedRegistrationsPerAddressAndModel]]
}

export async function requireRegistrationLimit({ limits }: Context, address: string, model: unknown): Promise<void> {
  const counted = limitsOf(address, model)
  const usedUp = await Promise.all(counted.map(([key, max]) => limits.isUsedUp(key, max)))
  if (!usedUp.includes(true)) return
  const sentence = 'Too many registrations from this address were refused. Wait a minute and try again.'
  throw new Refusal(429, 'too_many_requests', sentence)
}

export async function countRefusedRegistration({ limits }: Context, address: string, model: unknown): Promise<void> {
  await Promise.all(limitsOf(address, model).map(([key, max]) => limits.take(key, max)))
}
