import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { fileTokenStore } from '../../client/src/file.ts'
import { memoryTokenStore, type TokenStore, type Tokens } from '../../client/src/index.ts'
import { postgresTokenStore } from '../../client/src/postgres.ts'
import { redisTokenStore } from '../../client/src/redis.ts'
import { createDatabase } from '../support/database.ts'

const key = randomBytes(32).toString('base64')
const folder = await mkdtemp(join(tmpdir(), 'landbridge-tokens-'))
after(() => rm(folder, { recursive: true, force: true }))
// One connection: a store that needs two at once would wait for itself.
const database = await createDatabase()
const pool = new pg.Pool({ connectionString: database, max: 1 })
const other = new pg.Pool({ connectionString: database, max: 1 })
// The database is dropped with its connections.
for (const each of [pool, other]) each.on('error', () => {})
await pool.query('create table landbridge_tokens (org_id text primary key, sealed text not null)')

const tokens = (refresh_token: string): Tokens => ({
  org_id: 'org',
  access_token: 'lba_a',
  refresh_token,
  expires_at: 1,
  scope: 'openid',
})

const stores: Record<string, (key: string) => TokenStore> = {
  memory: () => memoryTokenStore(),
  files: (key) => fileTokenStore({ folder, key }),
  postgres: (key) => postgresTokenStore({ pool, key }),
}

describe('partner kit: token stores', () => {
  it('a key that is none is refused when the store is made: before a code is spent for what it could not keep', () => {
    for (const bad of ['', '…', 'not base64', randomBytes(16).toString('base64'), randomBytes(33).toString('base64')]) {
      const open = [
        () => fileTokenStore({ folder, key: bad }),
        () => postgresTokenStore({ pool, key: bad }),
        () => redisTokenStore({ command: async () => null, key: bad }),
      ]
      for (const each of open) assert.throws(each, { code: 'invalid_key', message: /openssl rand -base64 32/ })
    }
  })

  for (const [name, open] of Object.entries(stores)) {
    const store = open(key)

    it(`${name}: keeps, replaces and removes; a loser never deletes the winner's tokens`, async () => {
      assert.equal(await store.read('org'), undefined)
      await store.exclusively('org', (held) => held.write(tokens('lbr_1')))
      await store.exclusively('org', async (held) => held.write({ ...(await held.read())!, refresh_token: 'lbr_2' }))
      assert.deepEqual(await store.read('org'), tokens('lbr_2'))
      await store.exclusively('org', (held) => held.remove(tokens('lbr_1')))
      assert.deepEqual(await store.read('org'), tokens('lbr_2'))
      await store.exclusively('org', (held) => held.remove(tokens('lbr_2')))
      assert.equal(await store.read('org'), undefined)
    })

    it(`${name}: one after the other, also after a failure, whose changes stay`, async () => {
      let inside = 0
      const work = async (refresh: string) =>
        await store.exclusively('org', async (held) => {
          inside += 1
          assert.equal(inside, 1)
          await held.write(tokens(refresh))
          inside -= 1
          if (refresh === 'lbr_fails') throw new Error('after the change')
        })
      const outcomes = await Promise.allSettled(['lbr_1', 'lbr_fails', 'lbr_3', 'lbr_4'].map(work))
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
      )
      await store.exclusively('org', (held) => held.write(tokens('lbr_1')))
      await assert.rejects(
        store.exclusively('org', async (held) => {
          await held.remove(tokens('lbr_1'))
          throw new Error('connect again')
        }),
      )
      assert.equal(await store.read('org'), undefined)
    })
  }

  it('what lies there is sealed, readable by its owner alone, and opens only with its key and for its organization', async () => {
    const files = stores.files!(key)
    await files.exclusively('org', (held) => held.write(tokens('lbr_secret')))
    await stores.postgres!(key).exclusively('org', (held) => held.write(tokens('lbr_secret')))
    const [name] = await readdir(folder)
    const text = await readFile(join(folder, name!), 'utf8')
    const { rows } = await pool.query('select sealed from landbridge_tokens')
    for (const lying of [text, rows[0].sealed]) assert.ok(!atob(lying.replace('.', '')).includes('lbr_'))
    assert.equal((await stat(join(folder, name!))).mode & 0o077, 0)
    for (const wrong of ['files', 'postgres']) {
      await assert.rejects(stores[wrong]!(randomBytes(32).toString('base64')).read('org'), /another key/)
    }
    await pool.query("update landbridge_tokens set org_id = 'other'")
    await assert.rejects(stores.postgres!(key).read('other'), /cannot be opened/)
    assert.throws(() => postgresTokenStore({ pool, key, table: 'a; drop table b' }), /plain name/)
  })

  it('postgres: a connection that is lost while it is held ends neither the process nor the fresh tokens', async () => {
    const store = stores.postgres!(key)
    await store.exclusively('org', async (held) => {
      const { rows } = await other.query(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query ~ 'advisory' and pid <> pg_backend_pid()`)
      assert.equal(rows.length, 1)
      await sleep(100)
      await assert.rejects(held.read())
      await held.write(tokens('lbr_fresh'))
    })
    assert.equal((await store.read('org'))?.refresh_token, 'lbr_fresh')
    await store.exclusively('org', (held) => held.remove(tokens('lbr_fresh')))
  })
})
