import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import { endWithParent } from '../../test/support/end-with-parent.ts'
import { onCleanUp, temporaryFolder } from '../clean-up.ts'
import { startFlags } from '../environment.ts'

const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))

export interface Landbridge {
  pid: number
  port: number
  sql: Pool
  stop(): Promise<void>
}

/** The service as `npm start` runs it: its private Postgres, fsync on, limits on. It trusts forwarded addresses. */
export async function startLandbridge(
  nodeFlags: string[] = startFlags,
  settings: Record<string, string> = {},
): Promise<Landbridge> {
  const { folder, remove } = await temporaryFolder()
  const data = join(folder, 'data')
  const environment = {
    PORT: '0',
    LANDBRIDGE_MQTTS_PORT: '0',
    LANDBRIDGE_STATIC_CERT_PORT: '0',
    LANDBRIDGE_DATA_DIR: data,
    LANDBRIDGE_LAB: 'false',
    LANDBRIDGE_TRUST_PROXY: '127.0.0.1',
    LANDBRIDGE_LOG_LEVEL: 'warn',
    ...settings,
  }
  const flags = ['--disable-warning=ExperimentalWarning', ...nodeFlags, ...endWithParent()]
  const child = spawn(process.execPath, [...flags, main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', ...environment },
  })
  const stopService = onCleanUp(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  const ready = await readyLine(child)
  const sql = openDatabase({
    url: await privateDatabase(data),
    max: 2,
    applicationName: 'bench',
    statementSeconds: 3_600,
  })
  return {
    pid: child.pid!,
    port: Number(new URL(ready.public_url).port),
    sql,
    async stop() {
      await sql.end({ timeout: 1 })
      await stopService()
      await remove()
    },
  }
}

async function readyLine(child: ChildProcess): Promise<{ public_url: string }> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const parsed = line.startsWith('{') ? JSON.parse(line) : {}
    if (parsed.msg === 'ready') {
      child.stdout!.resume()
      return parsed
    }
  }
  throw new Error('the service did not start')
}

/** Seeding millions of rows needs the database itself: its password and port are in the data folder. */
async function privateDatabase(data: string): Promise<string> {
  const postgres = join(data, 'postgres')
  const elsewhere = (await readFile(join(postgres, 'elsewhere'), 'utf8').catch(() => '')).trim()
  const password = (await readFile(join(postgres, 'password'), 'utf8')).trim()
  const pid = await readFile(join(elsewhere || postgres, 'cluster', 'postmaster.pid'), 'utf8')
  return `postgres://landbridge:${password}@127.0.0.1:${pid.split('\n')[3]}/landbridge`
}
