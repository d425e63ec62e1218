import { openDatabase } from '../../server/src/platform/database/database.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import { portOf, startBenchPostgres, startFlags, startService } from '../environment.ts'

export interface Landbridge {
  port: number
  /** Its database: seeding takes too long over the API. */
  sql: Pool
  stop(): Promise<void>
}

/** The service with its limits on; it trusts forwarded addresses, so that every request can have its own. */
export async function startLandbridge(): Promise<Landbridge> {
  const postgres = await startBenchPostgres()
  const url = await postgres.createDatabase()
  const environment = { LANDBRIDGE_TRUST_PROXY: '127.0.0.1', LANDBRIDGE_LOG_LEVEL: 'info' }
  const service = await startService(url, startFlags, environment)
  const sql = openDatabase({ url, max: 2, applicationName: 'bench', statementSeconds: 3_600 })
  return {
    port: portOf(service.url),
    sql,
    async stop() {
      await sql.end({ timeout: 1 })
      await service.stop()
      await postgres.stop()
    },
  }
}
