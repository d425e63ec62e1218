import type { Context } from '../../context.ts'
import { transaction } from '../../platform/database/database.ts'
import { digest, isWellFormed } from '../../platform/secrets/secrets.ts'
import { findGrantOfToken } from '../store/tokens.ts'
import type { Client } from './client-authentication.ts'
import { revokeGrant } from './grants.ts'

/**
 * 4.3: a good token of this client ends its whole grant; the approval is untouched. Any other token is left alone, and
 * the answer is the same.
 */
export async function revokeToken(context: Context, client: Client, token: string): Promise<void> {
  if (!isWellFormed('access_token', token) && !isWellFormed('refresh_token', token)) return
  const at = context.now()
  await transaction(context.sql, async (sql) => {
    const grantId = await findGrantOfToken(sql, digest(token), client.client_id, at)
    const actor = { kind: 'application', id: client.client_id } as const
    if (grantId) await revokeGrant(sql, grantId, { at, actor, because: 'revoked_by_application' })
  })
}
