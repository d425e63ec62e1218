import { readConfig } from '../config.ts'
import { prepareDistribution } from '../devices/telemetry/distribution.ts'
import { openDatabase } from '../platform/database/database.ts'
import { migrate } from '../platform/database/migrate.ts'
import { createLog } from '../platform/log.ts'
import { openStorage } from '../platform/process/storage.ts'

/** For deployments that migrate once before they start many processes; `serve` also migrates by itself. */
export async function runMigrations(environment: NodeJS.ProcessEnv): Promise<void> {
  const { config, faults } = readConfig(environment)
  const fault = faults.find(({ variable }) => variable === 'DATABASE_URL' || variable === 'LANDBRIDGE_DISTRIBUTED')
  if (fault) throw new Error(`${fault.variable} ${fault.message}`)
  const storage = await openStorage(config, createLog('warn'), { onLost: () => process.exit(1) })
  const sql = openDatabase({ url: storage.databaseUrl, max: 2, distributed: config.distributed })
  try {
    const applied = await migrate(sql, undefined, prepareDistribution)
    for (const name of applied) console.log(`Applied ${name}`)
    if (applied.length === 0) console.log('The database is up to date.')
  } finally {
    await sql.end({ timeout: 5 })
    await storage.close()
  }
}
