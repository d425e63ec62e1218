import { readConfig } from '../config.ts'
import { recordAudit } from '../events/audit.ts'
import { openDatabase, transaction } from '../platform/database/database.ts'
import { acceptLoss, findPosition } from '../platform/database/primary-memory.ts'

/** After a restore or a failover that lost rows (decision 3.41): processes that refuse the primary follow it. */
export async function acceptLossOfPrimary(environment: NodeJS.ProcessEnv): Promise<void> {
  const { config } = readConfig(environment)
  if (!config.databaseUrl) throw new Error('DATABASE_URL is not set: a private Postgres has no other primary.')
  const sql = openDatabase({ url: config.databaseUrl, max: 1, distributed: config.distributed })
  try {
    const position = await findPosition(sql)
    const primary = await transaction(sql, async (tx) => {
      const { primary, at } = await acceptLoss(tx, position)
      await recordAudit(tx, { type: 'database.loss_accepted', at, actor: { kind: 'operator' }, details: { primary } })
      return primary
    })
    console.log(
      `Accepted ${primary} as the primary. Every process uses it with its next connection; what it lacks is lost.`,
    )
  } finally {
    await sql.end({ timeout: 5 })
  }
}
