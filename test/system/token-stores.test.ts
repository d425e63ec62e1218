// Many processes of a partner find the same access token expired at once: one of them refreshes, for every kind of store.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { Application, memoryTokenStore, type TokenStore } from '../../client/src/index.ts'
import { createDatabase } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { startKitService, submitConsent } from '../support/kit-service.ts'
import { until } from '../support/until.ts'

/** Fifty by `npm run test:kit`. */
const processes = Number(process.env.LANDBRIDGE_KIT_PROCESSES ?? 15)
const run = promisify(execFile)
const running = await startKitService()
const { url, application, service } = running
const folder = await mkdtemp(join(tmpdir(), 'landbridge-stores-'))
after(() => rm(folder, { recursive: true, force: true }))
const key = randomBytes(32).toString('base64')
const databaseUrl = await createDatabase()
const redisPort = await freePort()
const kit = (name: string) => JSON.stringify(new URL(`../../client/src/${name}.ts`, import.meta.url).href)

/** How a process opens each store, as code; `close` lets it end. */
const stores: Record<string, string> = {
  files: `import { fileTokenStore } from ${kit('file')}
    export const store = fileTokenStore({ folder: ${JSON.stringify(join(folder, 'tokens'))}, key: '${key}' })
    export const close = async () => {}`,
  postgres: `import pg from ${JSON.stringify(import.meta.resolve('pg'))}
    import { postgresTokenStore } from ${kit('postgres')}
    const pool = new pg.Pool({ connectionString: '${databaseUrl}', max: 2 })
    export const store = postgresTokenStore({ pool, key: '${key}' })
    export const close = () => pool.end()`,
  redis: `import { createClient } from 'redis'
    import { redisTokenStore } from ${kit('redis')}
    const client = await createClient({ url: 'redis://127.0.0.1:${redisPort}' }).connect()
    export const store = redisTokenStore({ command: (args) => client.sendCommand(args), key: '${key}' })
    export const close = async () => client.destroy()`,
}

const options = {
  url,
  clientId: application.client_id,
  clientSecret: application.client_secret,
  redirectUri: application.redirect_uri,
}

const redis = spawn(
  'redis-server',
  ['--port', String(redisPort), '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
  {
    stdio: 'ignore',
  },
)

before(async () => {
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}')
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts']
  await run('npm', ['install', ...quiet, 'redis@6'], { cwd: folder })
  const pool = new pg.Client({ connectionString: databaseUrl })
  await pool.connect()
  await pool.query('create table landbridge_tokens (org_id text primary key, sealed text not null)')
  await pool.end()
  await until(async () => {
    const ping = await run('redis-cli', ['-p', String(redisPort), 'ping']).catch(() => ({ stdout: '' }))
    return ping.stdout.startsWith('PONG')
  }, 'redis responds')
})

describe(`partner kit: ${processes} processes, one refresh`, () => {
  // Of the suite: the hooks of the file wait until nothing keeps the process alive, and this program does.
  after(async () => {
    redis.kill('SIGTERM')
    if (redis.exitCode === null && redis.signalCode === null) await once(redis, 'exit')
  })

  for (const [name, code] of Object.entries(stores)) {
    it(name, async () => {
      const module = join(folder, `${name}.js`)
      await writeFile(module, code)
      const { store, close } = (await import(module)) as { store: TokenStore; close(): Promise<void> }
      const first = new Application({ ...options, store: memoryTokenStore() })
      const { url: address, pending } = await first.begin()
      const { org_id } = await first.finish(await submitConsent(running, address), pending)
      const tokens = (await first.options.store.read(org_id))!
      await store.exclusively(org_id, (held) => held.write({ ...tokens, expires_at: 0 }))
      const refreshes = async () => Number((await service.sql`select count(*) from retired_refresh_tokens`)[0]!.count)
      const earlier = await refreshes()
      const script = join(folder, `${name}-process.js`)
      await writeFile(
        script,
        `import { Application } from ${kit('index')}
         import { close, store } from './${name}.js'
         const application = new Application({ ...${JSON.stringify(options)}, store })
         process.send('ready')
         await new Promise((resolve) => process.once('message', resolve))
         const { id } = await application.organization('${org_id}').info.get()
         await close()
         process.disconnect()
         process.exitCode = id === '${org_id}' ? 0 : 1`,
      )
      const children = Array.from({ length: processes }, () =>
        spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], {
          cwd: folder,
          stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        }),
      )
      const exits = children.map((child) => once(child, 'exit'))
      try {
        await Promise.all(children.map((child) => once(child, 'message')))
        for (const child of children) child.send('go')
        const codes = (await Promise.all(exits)).map(([exitCode]) => exitCode)
        assert.deepEqual(codes, Array(processes).fill(0))
      } finally {
        for (const child of children) child.kill('SIGKILL')
        await close()
      }
      assert.equal((await refreshes()) - earlier, 1)
      console.log(`${name}: ${processes} processes, ${(await refreshes()) - earlier} refresh`)
    })
  }
})
