import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../../server/src/platform/database.ts'
import { newId } from '../../server/src/platform/identifiers.ts'
import { digest, mintSecret } from '../../server/src/platform/secrets.ts'
import type { Pool } from '../../server/src/platform/sql.ts'
import type { Chain } from './load.ts'

const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))

export interface Landbridge {
  pid: number
  port: number
  sql: Pool
  stop(): Promise<void>
}

/** The service as `npm start` runs it: its private Postgres, fsync on, limits on. It only believes forwarded addresses. */
export async function startLandbridge(): Promise<Landbridge> {
  const folder = await mkdtemp(join(tmpdir(), 'landbridge-bench-'))
  await chmod(folder, 0o711)
  const data = join(folder, 'data')
  const environment = {
    PORT: '0',
    LANDBRIDGE_MQTTS_PORT: '0',
    LANDBRIDGE_STATIC_CERT_PORT: '0',
    LANDBRIDGE_DATA_DIR: data,
    LANDBRIDGE_LAB: 'false',
    LANDBRIDGE_TRUST_PROXY: '127.0.0.1',
    LANDBRIDGE_LOG_LEVEL: 'warn',
  }
  const child = spawn(
    process.execPath,
    [
      ...(process.env.PROF ? ['--cpu-prof', '--cpu-prof-dir=/tmp/prof'] : []),
      '--disable-warning=ExperimentalWarning',
      main,
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production', ...environment },
    },
  )
  const ready = await readyLine(child)
  const sql = openDatabase({ url: await privateDatabase(data), max: 2, applicationName: 'bench' })
  return {
    pid: child.pid!,
    port: Number(new URL(ready.public_url).port),
    sql,
    async stop() {
      await sql.end({ timeout: 1 })
      child.kill('SIGTERM')
      await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
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

export interface Seeded {
  chains: Chain[]
  accessTokens: string[]
  grantIds: string[]
}

/** Applications with one connected customer each, a refresh token and an access token. */
export async function seed(sql: Pool, count: number, alg: 'RS256' | 'ES256'): Promise<Seeded> {
  const partnerId = newId()
  const now = new Date()
  await sql`insert into partners (id, name, created_at) values (${partnerId}, 'Bench', ${now})`
  const seeded: Seeded = { chains: [], accessTokens: [], grantIds: [] }
  for (let from = 0; from < count; from += 500) {
    const rows = Array.from({ length: Math.min(500, count - from) }, () => ({
      client_id: newId(),
      client_secret: mintSecret('client_secret'),
      refresh_token: mintSecret('refresh_token'),
      access_token: mintSecret('access_token'),
      customer_id: newId(),
      user_id: newId(),
      grant_id: newId(),
    }))
    const insert = (table: string, values: object[]) => sql`insert into ${sql(table)} ${sql(values as never)}`
    await insert(
      'applications',
      rows.map(({ client_id }) => ({
        ...{ client_id, partner_id: partnerId, name: 'Bench', redirect_uris: ['https://app.example.com/cb'] },
        ...{ id_token_alg: alg, created_at: now },
      })),
    )
    await insert(
      'client_secrets',
      rows.map(({ client_id, client_secret }) => ({
        ...{ id: newId(), client_id, digest: digest(client_secret), hint: 'lbs_', created_at: now },
      })),
    )
    await insert(
      'users',
      rows.map(({ user_id }) => ({ id: user_id, email: `${user_id}@example.com`, name: 'Ada', created_at: now })),
    )
    await insert(
      'customers',
      rows.map(({ customer_id }) => ({ id: customer_id, partner_id: partnerId, name: 'Acme', created_at: now })),
    )
    await insert(
      'grants',
      rows.map(({ grant_id, client_id, customer_id }) => ({ id: grant_id, client_id, customer_id, created_at: now })),
    )
    const token = (grant_id: string, user_id: string, secret: string) => ({
      ...{ digest: digest(secret), grant_id, user_id, scope: 'openid profile email' },
      expires_at: new Date(now.getTime() + 90 * 24 * 3600_000),
    })
    await insert(
      'refresh_tokens',
      rows.map((row) => ({ ...token(row.grant_id, row.user_id, row.refresh_token), auth_time: now })),
    )
    await insert(
      'access_tokens',
      rows.map((row) => token(row.grant_id, row.user_id, row.access_token)),
    )
    seeded.chains.push(
      ...rows.map(({ client_id, client_secret, refresh_token }) => ({ client_id, client_secret, refresh_token })),
    )
    seeded.accessTokens.push(...rows.map(({ access_token }) => access_token))
    seeded.grantIds.push(...rows.map(({ grant_id }) => grant_id))
  }
  await sql`analyze`
  return seeded
}
