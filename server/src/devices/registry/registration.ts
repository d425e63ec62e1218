import type { Context } from '../../context.ts'
import { type NewAuditEvent, recordAudit } from '../../events/audit.ts'
import { queueEvent } from '../../events/outbox.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { conflict, Refusal } from '../../platform/refusal.ts'
import { isId, newId } from '../../platform/secrets/identifiers.ts'
import { digest, mintSecret } from '../../platform/secrets/secrets.ts'
import { disconnectDevices } from '../live/disconnect.ts'
import { updateRegistered } from '../store/firmware.ts'
import { countHardwareKeyUse, findKeyHolder, type KeyHolder } from '../store/hardware-keys.ts'
import * as store from '../store/registration.ts'
import { noteFirmwareChanges } from './firmware.ts'

/** The body of spec 4.7. */
export interface Registration {
  device_model: string
  hardware_key: string
  mac: string
  sn: string
  firmware_version: string
}

/** The object of spec 2.5. */
export interface RegisteredDevice {
  id: string
  access_key: string
  hub_url: string
  hub_url_static_cert: string
  mqtt_hub_url: string
}

export async function registerDevice(context: Context, input: Registration): Promise<RegisteredDevice> {
  const holder = await requireHardwareKey(context, input)
  const accessKey = mintSecret('device_key')
  // A namesake that is removed between the insert and the look leaves neither: then the next turn inserts.
  for (;;) {
    const id = await transaction(context.sql, async (sql) => {
      const registered = await register(context, sql, holder, input, digest(accessKey))
      if (registered === undefined) return undefined
      if (await countHardwareKeyUse(sql, holder.hardware_key_id, context.now())) return registered
      throw invalidHardwareKey('hardware_key_revoked')
    })
    if (id === undefined) continue
    const { hubUrl, staticCertUrl, mqttUrl } = context.addresses
    return { id, access_key: accessKey, hub_url: hubUrl, hub_url_static_cert: staticCertUrl, mqtt_hub_url: mqttUrl }
  }
}

/** Unknown model, wrong key and revoked key are one and the same to the caller; the log knows which. */
async function requireHardwareKey(context: Context, input: Registration): Promise<KeyHolder> {
  const holder = await findKeyHolder(context.sql, digest(input.hardware_key))
  const model = isId(input.device_model) ? input.device_model.toLowerCase() : undefined
  const reason =
    holder === undefined || holder.model_id !== model
      ? 'hardware_key_wrong'
      : holder.revoked_at !== null
        ? 'hardware_key_revoked'
        : undefined
  if (reason === undefined) return holder!
  throw invalidHardwareKey(reason)
}

function invalidHardwareKey(reason: string): Refusal {
  const sentence = 'The model is unknown, or the hardware key is not a valid one of it.'
  return new Refusal(401, 'invalid_hardware_key', sentence, { reason })
}

/** The device's id, with the key now its only one; undefined when the device in the way has just gone. */
async function register(
  context: Context,
  sql: Sql,
  holder: KeyHolder,
  input: Registration,
  keyDigest: Buffer,
): Promise<string | undefined> {
  const at = context.now()
  const { partner_id, model_id } = holder
  const identity = { model_id, mac: input.mac.toLowerCase(), sn: input.sn }
  const device = { ...identity, id: newId(), partner_id, firmware_version: input.firmware_version, registered_at: at }
  const audit = (type: string, id: string): NewAuditEvent => {
    const { mac, sn } = identity
    return { type, at, actor: { kind: 'device', id }, partner_id, device_id: id, details: { model_id, mac, sn } }
  }

  const inserted = await store.insertDevice(sql, device)
  if (inserted) {
    await store.insertDeviceState(sql, { device_id: device.id, number: inserted.number, key_digest: keyDigest })
    await recordAudit(sql, audit('device.registered', device.id))
    await queueEvent(sql, {
      type: 'device.registered',
      at,
      partner_id,
      data: { ...identity, device_id: device.id, firmware_version: device.firmware_version },
    })
    return device.id
  }

  const namesakes = await store.findNamesakes(sql, identity)
  const same = namesakes.find(({ mac, sn }) => mac === identity.mac && sn === identity.sn)
  if (namesakes.length === 0) return undefined
  if (!same) throw identityTaken(namesakes, identity.mac)
  if (!(await store.renewKey(sql, same.id, keyDigest, at))) {
    if (await store.isRemoved(sql, same.id)) return undefined
    const sentence =
      'This device is registered and has used its access key. Open a replace window to give it a new one, or remove it.'
    throw new Refusal(409, 'already_registered', sentence, { reason: 'already_registered' })
  }
  await disconnectDevices(context, sql, 'rekeyed', [same.id])
  await recordAudit(sql, audit('device.registered_again', same.id))
  const change = await updateRegistered(sql, same.id, device.firmware_version)
  if (change) await noteFirmwareChanges(context, sql, [change])
  return same.id
}

function identityTaken(namesakes: store.Namesake[], mac: string): Refusal {
  return namesakes.some((namesake) => namesake.mac === mac)
    ? conflict('mac_taken', 'Another device of this model has this MAC address.')
    : conflict('sn_taken', 'Another device of this model has this serial number.')
}
