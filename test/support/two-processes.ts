// Two processes of the service on one database, behind a proxy that tells whose request it forwards.

import { after } from 'node:test'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import { createDatabase, operatorKey } from './harness.ts'
import { testMasterKey } from './keys.ts'
import { type Service, startService } from './service.ts'

export interface TwoProcesses {
  services: [Service, Service]
  urls: [string, string]
  sql: Pool
  start(): Promise<Service>
}

export async function startTwoProcesses(): Promise<TwoProcesses> {
  const databaseUrl = await createDatabase()
  const sql = openDatabase({ url: databaseUrl, max: 2 })
  const env = {
    DATABASE_URL: databaseUrl,
    LANDBRIDGE_MASTER_KEY: testMasterKey.toString('base64'),
    LANDBRIDGE_OPERATOR_KEY: operatorKey,
    LANDBRIDGE_TRUST_PROXY: '127.0.0.1',
    LANDBRIDGE_LOG_LEVEL: 'warn',
  }
  const start = async () => {
    const service = await startService({ env })
    after(() => service.stop())
    return service
  }
  const services: [Service, Service] = await Promise.all([start(), start()])
  after(() => sql.end({ timeout: 1 }))
  return { services, urls: [addressOf(services[0]), addressOf(services[1])], sql, start }
}

function addressOf({ ready }: Service): string {
  return ready.public_url.replace('localhost', '127.0.0.1')
}
