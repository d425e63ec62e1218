// Two processes of the service on one database, behind a trusted proxy, so that each call can name the address it comes from.

import { after } from 'node:test'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import { createDatabase } from './database.ts'
import { onDatabase, type Service, startService } from './service.ts'

export interface TwoProcesses {
  services: [Service, Service]
  urls: [string, string]
  sql: Pool
  start(): Promise<Service>
}

export async function startTwoProcesses(): Promise<TwoProcesses> {
  const databaseUrl = await createDatabase()
  const sql = openDatabase({ url: databaseUrl, max: 2 })
  const env = { ...onDatabase(databaseUrl), LANDBRIDGE_TRUST_PROXY: '127.0.0.1' }
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
