import type { Context } from '../../context.ts'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { conflict, notFound } from '../../platform/refusal.ts'
import * as store from '../store/hardware-keys.ts'
import { getModel } from './models.ts'
import { addKey, type HardwareKey, sealPurpose } from './new-hardware-key.ts'

export type { HardwareKey } from './new-hardware-key.ts'

/** More than any change-over needs; a list without pages must be bounded. */
const maxKeys = 100

/** In order, with the keys themselves: design section 7 lets them be shown again and copied. */
export async function listHardwareKeys(context: Context, partnerId: string, modelId: string): Promise<HardwareKey[]> {
  await getModel(context, partnerId, modelId)
  const rows = await store.listHardwareKeys(context.sql, modelId)
  return rows.map(({ sealed, uses, ...row }) => ({
    ...row,
    uses: Number(uses),
    hardware_key: context.masterKey.open(sealPurpose, sealed),
  }))
}

export async function addHardwareKey(
  context: Context,
  actor: Actor,
  partnerId: string,
  modelId: string,
): Promise<HardwareKey> {
  await getModel(context, partnerId, modelId)
  return await transaction(context.sql, async (sql) => {
    if ((await store.countHardwareKeys(sql, modelId)) >= maxKeys) {
      throw conflict('too_many_hardware_keys', `A model has at most ${maxKeys} hardware keys, revoked ones included.`)
    }
    const key = await addKey(context, sql, modelId)
    await recordKeyAudit(sql, 'hardware_key.added', { at: key.created_at, actor, partnerId, modelId, keyId: key.id })
    return key
  })
}

/** Devices already registered keep their own keys; only registration asks for this one. */
export async function revokeHardwareKey(
  context: Context,
  actor: Actor,
  partnerId: string,
  modelId: string,
  id: string,
): Promise<void> {
  await getModel(context, partnerId, modelId)
  const at = context.now()
  await transaction(context.sql, async (sql) => {
    const revokedAt = await store.revokeHardwareKey(sql, modelId, id, at)
    if (!revokedAt) throw notFound('hardware key')
    await recordKeyAudit(sql, 'hardware_key.revoked', { at, actor, partnerId, modelId, keyId: id })
  })
}

interface KeyAct {
  at: Date
  actor: Actor
  partnerId: string
  modelId: string
  keyId: string
}

function recordKeyAudit(sql: Sql, type: string, { at, actor, partnerId, modelId, keyId }: KeyAct): Promise<void> {
  const details = { model_id: modelId, hardware_key_id: keyId }
  return recordAudit(sql, { type, at, actor, partner_id: partnerId, details })
}
