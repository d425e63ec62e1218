import { join } from 'node:path'
import pino from 'pino'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { createContext } from './context.ts'
import { openDatabase } from './platform/database.ts'
import { migrate } from './platform/migrate.ts'
import { startPrivatePostgres } from './platform/private-postgres.ts'

const { config, faults } = readConfig(process.env)
if (faults.length > 0) {
  for (const { variable, message } of faults) console.error(`${variable} ${message}`)
  process.exit(2)
}
const log = pino({ level: config.logLevel })
const privatePostgres = config.databaseUrl
  ? null
  : await startPrivatePostgres({ folder: join(config.dataDir, 'postgres') })
const sql = openDatabase({ url: config.databaseUrl ?? privatePostgres!.url })
await migrate(sql)
const now = () => new Date()
const publicUrl = config.publicUrl ?? `http://localhost:${config.port}`
const context = createContext({
  config,
  addresses: {
    publicUrl,
    entryUrl: config.entryUrl ?? publicUrl,
    hubUrl: config.hubUrl ?? publicUrl,
    mqttUrl: config.mqttUrl ?? `mqtts://localhost:${config.mqttsPort}`,
    staticCertUrl: config.staticCertUrl ?? `https://localhost:${config.staticCertPort}`,
  },
  sql,
  now,
  log,
  keys: { master: config.masterKey ?? Buffer.alloc(32), operator: config.operatorKey ?? '' },
})
const app = await buildApp(context)
await app.listen({ host: config.host, port: config.port })
