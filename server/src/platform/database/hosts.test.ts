import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectToPostgres, withoutTls } from '../../../../test/support/beside-tls.ts'
import { createDatabase } from '../../../../test/support/database.ts'
import { until } from '../../../../test/support/until.ts'
import { isUnreachable, openDatabase, openHotPool } from './database.ts'
import { targetSessionValues } from './host-list.ts'
import { requireOwnSessions } from './session-check.ts'

const postgres = new URL(await createDatabase())
const lines = new Set<Socket>()
let frozen = false
/** Between us and Postgres: can fall silent like a frozen server, which still accepts connections. */
const between = createServer((socket) => {
  if (frozen) return void lines.add(socket.on('close', () => lines.delete(socket)))
  const onward = connect(Number(postgres.port), postgres.hostname)
  for (const line of [socket, onward]) {
    lines.add(line)
    line.on('error', () => {}).on('close', () => [socket, onward].map((end) => lines.delete(end.destroy())))
  }
  socket.pipe(onward).pipe(socket)
}).listen(0, '127.0.0.1')
await once(between, 'listening')
const { port } = between.address() as AddressInfo
function freeze(): void {
  frozen = true
  for (const line of lines) line.pause()
}
function thaw(): void {
  frozen = false
  for (const line of lines) line.destroy()
}
after(() => between.close())

describe('decision 3.6: a database that is away, frozen or a standby', () => {
  const connectVia = (
    hosts: string,
    { value = 'read-write', ...options }: { value?: string } & Partial<Options> = {},
  ) => {
    const url = postgres.href.replace(`${postgres.hostname}:${postgres.port}`, hosts)
    return openDatabase({
      url: `${url}${postgres.search ? '&' : '?'}target_session_attrs=${value}`,
      max: 2,
      ...options,
    })
  }
  type Options = Parameters<typeof openDatabase>[0]
  const real = `${postgres.hostname}:${postgres.port}`

  it('the hosts are tried in turn, in any order and with any of libpq’s values', async () => {
    const lists = [`127.0.0.1:1,${real}`, `${real},127.0.0.1:1`, `127.0.0.1:1,127.0.0.1:2,${real}`]
    for (const [n, value] of targetSessionValues.entries()) {
      const pool = connectVia(lists[n % lists.length]!, { value })
      assert.equal((await pool`select 1 as one`)[0]!.one, 1)
      await pool.end()
    }
  })

  it('without any host that accepts writes, the error names each host and its reason, and no password', async () => {
    const url = postgres.href.replace(/\/\/.*@[^/]+/, '//user:secret@127.0.0.1:1,127.0.0.1:2')
    const pool = openDatabase({ url, max: 2 })
    const errors = await Promise.all([1, 2].map(() => pool`select 1`.catch((error) => error)))
    for (const error of errors) {
      assert.ok(isUnreachable(error))
      assert.match(String(error), /127\.0\.0\.1:1: .*ECONNREFUSED.* 127\.0\.0\.1:2: .*ECONNREFUSED/)
      assert.doesNotMatch(String(error), /secret/)
    }
    await pool.end()
  })

  it('a server that accepts no writes is passed by', async () => {
    const admin = openDatabase({ url: postgres.href, max: 1 })
    const name = `${postgres.pathname.slice(1)}`
    await admin.unsafe(`alter database ${name} set default_transaction_read_only = on`)
    const pool = connectVia(real)
    await assert.rejects(pool`select 1`, (error) => isUnreachable(error) && /standby/.test(String(error)))
    await admin.unsafe(
      `set default_transaction_read_only = off; alter database ${name} reset default_transaction_read_only`,
    )
    const isBack = () =>
      pool`select 1`.then(
        () => true,
        () => false,
      )
    await until(isBack, 'the pool is back')
    await Promise.all([pool.end(), admin.end()])
  })

  it('a server that becomes a standby under living connections loses all of them with the first refused write', async () => {
    const pool = connectVia(real)
    await pool`create table if not exists written (n int)`
    const sessions = async () => {
      const held = await Promise.all([pool.reserve(), pool.reserve()])
      const ids = await Promise.all(held.map(async (one) => (await one`select pg_backend_pid() as id`)[0]!.id))
      return { ids, held, release: () => held.map((one) => one.release()) }
    }
    const before = await sessions()
    for (const one of before.held) await one`set default_transaction_read_only = on`
    before.release()
    await assert.rejects(pool`insert into written values (1)`, isUnreachable)
    await pool`insert into written values (2)`
    const after = await sessions()
    assert.equal(after.ids.filter((id) => before.ids.includes(id)).length, 0)
    after.release()
    await pool.end()
  })

  it('a statement that takes too long is cancelled by Postgres, and its connection is kept', async () => {
    const pool = connectVia(real, { statementSeconds: 1 })
    const [{ pid }] = (await pool`select pg_backend_pid() as pid`) as unknown as [{ pid: number }]
    const error = await pool`select pg_sleep(30)`.catch((refused) => refused)
    assert.ok(isUnreachable(error), String(error))
    assert.equal((await pool`select pg_backend_pid() as pid`)[0]!.pid, pid)
    await pool.end()
  })

  it('a server that falls silent loses all connections within seconds, however long statements may take', async () => {
    const pool = connectVia(`127.0.0.1:${port},${real}`, { statementSeconds: 60, max: 4 })
    const hot = openHotPool(pool, { max: 2 })
    await Promise.all([...Array(4).fill(pool), hot].map((each) => each`select pg_sleep(0.1)`))
    freeze()
    const started = performance.now()
    const results = await Promise.allSettled([pool`select 2`, hot`select 2`, pool.begin((tx) => tx`select 2`)])
    for (const result of results) assert.ok(result.status === 'rejected' && isUnreachable(result.reason))
    // The idle connections, too: each statement after the first one goes to the other host at once.
    const again = await Promise.all(Array.from({ length: 4 }, () => pool`select 3 as three`))
    assert.deepEqual(new Set(again.map(([row]) => row!.three)), new Set([3]))
    assert.ok(performance.now() - started < 5_000, `${performance.now() - started} ms`)
    thaw()
    await Promise.all([pool.end(), hot.end()])
  })

  it('a single server that falls silent is reported within seconds, and used again when it responds', async () => {
    const pool = connectVia(`127.0.0.1:${port}`, { max: 2 })
    await pool`select 1`
    freeze()
    const started = performance.now()
    const results = await Promise.all(Array.from({ length: 50 }, () => pool`select 2`.catch((error) => error)))
    assert.ok(results.every(isUnreachable))
    assert.ok(performance.now() - started < 5_000, `${performance.now() - started} ms`)
    await assert.rejects(pool.checkAll(), isUnreachable)
    thaw()
    const isBack = () =>
      pool.checkAll().then(
        () => true,
        () => false,
      )
    await until(isBack, 'the pool is back')
    await pool.end()
  })

  it('a server that is too slow to connect to is not given up while it serves others', async () => {
    const pool = connectVia(`127.0.0.1:${port},127.0.0.1:1`, { max: 2 })
    await pool`select 1`
    // New connections hang, and the open one works.
    frozen = true
    const late = pool.connect().catch((error) => error)
    for (let n = 0; n < 12; n += 1) {
      await pool`select 1`
      await sleep(200)
    }
    assert.ok(isUnreachable(await late))
    frozen = false
    const connects = () =>
      pool.connect().then(
        (connection) => connection.close().then(() => true),
        () => false,
      )
    const connectsWhileBusy = async () => {
      await pool`select 1`
      return await connects()
    }
    await until(connectsWhileBusy, 'a new connection', 3)
    await pool.end()
    thaw()
  })

  it('a slow statement on a server that responds is left alone', async () => {
    const pool = connectVia(real)
    const [row] = await pool`select pg_sleep(1.6), 1 as one`
    assert.equal(row!.one, 1)
    await pool.end()
  })

  it('a statement waits for a free connection for a few seconds at most', async () => {
    const pool = openDatabase({ url: postgres.href, max: 1 }).alongside({ waitSeconds: 0.5 })
    const held = await pool.reserve()
    const error = await pool`select 1`.catch((refused) => refused)
    assert.ok(isUnreachable(error), String(error))
    // A pool whose connections are all at work is not taken for one that has lost its database.
    await pool.checkAll()
    held.release()
    assert.equal((await pool`select 1 as one`)[0]!.one, 1)
    await pool.end()
  })

  it('a commit that was not replicated is not reported as one', async () => {
    const fields = 'SWARNING\0RSyncRepWaitForLSN\0\0'
    const notice = Buffer.from(`N....${fields}`)
    notice.writeInt32BE(fields.length + 4, 1)
    // As Postgres does: the warning and the success arrive together.
    const warning = createServer(async (socket) => {
      const onward = await connectToPostgres(postgres.href)
      socket.pipe(onward).on('data', (chunk) => {
        socket.write(chunk.includes('COMMIT\0') ? Buffer.concat([notice, chunk]) : chunk)
      })
      for (const line of [socket, onward])
        line.on('error', () => {}).on('close', () => [socket, onward].map((end) => end.destroy()))
    }).listen(0, '127.0.0.1')
    await once(warning, 'listening')
    const pool = openDatabase({ url: withoutTls(postgres.href, (warning.address() as AddressInfo).port), max: 2 })
    const outcome = await pool
      .begin(async () => 'committed')
      .catch((error) => error)
      .finally(() => pool.end({ timeout: 1 }))
    warning.close()
    assert.ok(isUnreachable(outcome), String(outcome))
  })
})

describe('decision 3.11: sessions that are not shared', () => {
  const sql = openDatabase({ url: postgres.href, max: 2 })
  after(() => sql.end({ timeout: 1 }))

  it('Postgres itself passes the check', async () => {
    const hot = openHotPool(sql, { max: 1 })
    await requireOwnSessions(hot)
    await hot.end()
  })

  it('a pooler that shares sessions between connections is refused in one sentence', async () => {
    const connection = await sql.connect()
    const shared = {
      ...sql,
      connect: async () => ({ settings: {}, run: connection.run.bind(connection), close: async () => {} }),
    }
    await assert.rejects(requireOwnSessions(shared as never), /set pool_mode = session/)
    connection.destroy()
  })

  it('a setting that does not hold is named', async () => {
    const forgetful = {
      ...sql,
      connect: async () => Object.assign(await sql.connect(), { settings: { timezone: 'X' } }),
    }
    await assert.rejects(requireOwnSessions(forgetful as never), /do not keep their settings \(timezone\)/)
  })
})
