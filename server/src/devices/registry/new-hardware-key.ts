import type { Context } from '../../context.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { digest, mintSecret } from '../../platform/secrets/secrets.ts'
import { insertHardwareKey } from '../store/hardware-keys.ts'

export interface HardwareKey {
  id: string
  model_id: string
  hardware_key: string
  created_at: Date
  revoked_at: Date | null
  uses: number
  last_used_at: Date | null
}

export const sealPurpose = 'hardware_key'

/** Adds a key within the transaction that makes or changes its model. */
export async function addKey(context: Context, sql: Sql, modelId: string): Promise<HardwareKey> {
  const key = { id: newId(), model_id: modelId, created_at: context.now() }
  const secret = mintSecret('hardware_key')
  const sealed = context.masterKey.seal(sealPurpose, secret)
  await insertHardwareKey(sql, { ...key, digest: digest(secret), sealed })
  return { ...key, hardware_key: secret, revoked_at: null, uses: 0, last_used_at: null }
}
