import { type Actor, recordAudit } from '../../events/audit.ts'
import type { BaseContext } from '../../platform/context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { requireRoom } from '../../platform/quotas.ts'
import { notFound } from '../../platform/refusal.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { digest, mintSecret } from '../../platform/secrets/secrets.ts'
import * as store from '../store/hardware-keys-sql.ts'
import { findModel } from '../store/models-sql.ts'

export interface HardwareKey {
  id: string
  model_id: string
  hardware_key: string
  created_at: Date
  revoked_at: Date | null
  uses: number
  last_used_at: Date | null
}

const sealPurpose = 'hardware_key'

/** In order of creation, with the keys themselves: the partner may copy them again (decision 7.15). */
export async function listHardwareKeys(
  context: BaseContext,
  partnerId: string,
  modelId: string,
): Promise<HardwareKey[]> {
  await requireModel(context, partnerId, modelId)
  const rows = await store.listHardwareKeys(context.sql, modelId)
  return rows.map(({ sealed, uses, ...row }) => ({
    ...row,
    uses: Number(uses),
    hardware_key: context.masterKey.open(sealPurpose, sealed),
  }))
}

/**
 * After the registration, and many at once: in its transaction, all registrations of a factory would wait for each other
 * (decision 9.15). No caller waits for it: it needs a connection, behind all registrations that wait for one.
 */
export function createHardwareKeyUseCounter({ sql, now, log }: BaseContext): (id: string) => void {
  const count = coalesce<string, null>(async (ids) => {
    const uses = new Map<string, number>()
    for (const id of ids) uses.set(id, (uses.get(id) ?? 0) + 1)
    await store.countHardwareKeyUses(sql, uses, now())
    return ids.map(() => null)
  })
  return (id) => {
    count(id).catch((error) => log.warn({ err: error }, 'use of a hardware key not counted'))
  }
}

export async function addHardwareKey(
  context: BaseContext,
  actor: Actor,
  partnerId: string,
  modelId: string,
): Promise<HardwareKey> {
  await requireModel(context, partnerId, modelId)
  return await transaction(context.sql, async (sql) => {
    await requireRoom(context, sql, 'hardware_keys', {
      tenant: { partner_id: partnerId },
      within: modelId,
      count: () => store.countHardwareKeys(sql, modelId),
    })
    const key = await createHardwareKey(context, sql, modelId)
    const details = { model_id: modelId, hardware_key_id: key.id }
    await recordAudit(sql, { type: 'hardware_key.added', at: key.created_at, actor, partner_id: partnerId, details })
    return key
  })
}

/** In the transaction that creates or changes the model. */
export async function createHardwareKey(context: BaseContext, sql: Sql, modelId: string): Promise<HardwareKey> {
  const key = { id: newId(), model_id: modelId, created_at: context.now() }
  const secret = mintSecret('hardware_key')
  const sealed = context.masterKey.seal(sealPurpose, secret)
  await store.insertHardwareKey(sql, { ...key, digest: digest(secret), sealed })
  return { ...key, hardware_key: secret, revoked_at: null, uses: 0, last_used_at: null }
}

/** Registered devices keep their access keys: only registration needs a hardware key. */
export async function revokeHardwareKey(
  context: BaseContext,
  actor: Actor,
  partnerId: string,
  modelId: string,
  id: string,
): Promise<void> {
  await requireModel(context, partnerId, modelId)
  const at = context.now()
  await transaction(context.sql, async (sql) => {
    if (!(await store.revokeHardwareKey(sql, modelId, id, at))) throw notFound('hardware key')
    const details = { model_id: modelId, hardware_key_id: id }
    await recordAudit(sql, { type: 'hardware_key.revoked', at, actor, partner_id: partnerId, details })
  })
}

async function requireModel({ sql }: BaseContext, partnerId: string, id: string): Promise<void> {
  if (!(await findModel(sql, partnerId, id))) throw notFound('model')
}
