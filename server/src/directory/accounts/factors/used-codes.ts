import { recordAudit } from '../../../events/audit.ts'
import type { Sql } from '../../../platform/database/sql.ts'
import type { Context } from '../../context.ts'
import { findFactors } from '../../store/factors-sql.ts'
import type { RequestSource } from '../sign-in-events.ts'
import { mailFactorChange } from './factor-mails.ts'

/** Mailed, since its owner may have lost the list without noticing. */
export async function recordUsedCode(context: Context, sql: Sql, userId: string, from: RequestSource): Promise<void> {
  const { recovery_codes_left: left } = await findFactors(sql, userId)
  const actor = { kind: 'user', id: userId } as const
  await recordAudit(sql, { type: 'user.recovery_code_used', at: context.now(), actor, details: { left, ...from } })
  await mailFactorChange(context, sql, userId, { change: 'recovery_code_used', left })
}
