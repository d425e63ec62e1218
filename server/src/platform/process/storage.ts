import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { connectionsOfAll } from '../database/pool-sizes.ts'
import { startPrivatePostgres } from '../private-postgres/private-postgres.ts'
import { createDataFolder, keepSecret } from './data-folder.ts'
import { lockFolder } from './folder-lock.ts'

/** The database and the keys: the operator's Postgres and environment, or both from the data folder. */
export interface Storage {
  databaseUrl: string
  /** Whose disk the rows are on; null for a Postgres elsewhere. */
  folder: string | null
  keys: { master: Buffer; operator: string }
  /** Stores the service's address for the command line on the same machine. */
  keepAddress(url: string): Promise<void>
  close(): Promise<void>
}

export async function openStorage(config: Config, log: Logger, { onLost }: { onLost(): void }): Promise<Storage> {
  const { dataDir } = config
  if (config.databaseUrl) {
    // The configuration requires both keys with DATABASE_URL.
    const keys = { master: config.masterKey!, operator: config.operatorKey! }
    return { databaseUrl: config.databaseUrl, folder: null, keys, keepAddress: async () => {}, close: async () => {} }
  }
  await createDataFolder(dataDir)
  const unlock = await lockFolder(dataDir)
  const key = () => keepSecret(dataDir, 'master.key', () => randomBytes(32).toString('base64'))
  const operatorKey = () => keepSecret(dataDir, 'operator.key', () => randomBytes(32).toString('base64url'))
  const keys = {
    master: config.masterKey ?? Buffer.from(await key(), 'base64'),
    operator: config.operatorKey ?? (await operatorKey()),
  }
  const max_connections = String(Math.max(100, connectionsOfAll(config.processes, config.connections)))
  const settings = { max_connections }
  const postgres = await startPrivatePostgres({ folder: join(dataDir, 'postgres'), log, onLost, settings })
  return {
    databaseUrl: postgres.url,
    folder: postgres.folder,
    keys,
    keepAddress: (url) => writeFile(join(dataDir, 'address'), `${url}\n`, { mode: 0o600 }),
    async close() {
      await postgres.stop()
      unlock()
    },
  }
}
