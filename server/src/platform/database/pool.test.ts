import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { createDatabase } from '../../../../test/support/database.ts'
import { until } from '../../../../test/support/until.ts'
import { toRefusal } from '../http/refusals.ts'
import { coalesce } from './coalesce.ts'
import { isUnreachable, openDatabase, openHotPool, transaction } from './database.ts'
import { turnsPerServer } from './server-turns.ts'
import { cancelWhen, concerning, type Sql } from './sql.ts'

const postgres = new URL(await createDatabase())
const lines = new Set<Socket>()
/** Between us and Postgres: can be cut without a message. */
const between = createServer((socket) => {
  const onward = connect(Number(postgres.port), postgres.hostname)
  for (const line of [socket, onward]) {
    lines.add(line)
    line.on('error', () => {}).on('close', () => [socket, onward].map((end) => lines.delete(end.destroy())))
  }
  socket.pipe(onward).pipe(socket)
}).listen(0, '127.0.0.1')
await once(between, 'listening')
const { port } = between.address() as AddressInfo
const sql = openDatabase({ url: Object.assign(new URL(postgres), { port }).href, max: 2 })
after(async () => {
  await sql.end({ timeout: 1 })
  between.close()
})

it('a transaction whose connection is lost is refused, whatever it goes on to send; the process lives, and so does the pool', async () => {
  for (let round = 0; round < 30; round += 1) {
    const lost = transaction(sql, async (tx) => {
      const waiting = tx`select pg_sleep(60)`.catch(() => {})
      for (let turns = 0; turns < round % 4; turns += 1) await turn()
      for (const line of lines) line.destroy()
      await waiting
      for (let turns = 0; turns < round % 3; turns += 1) await turn()
      await tx`select 1`
    })
    await assert.rejects(lost)
    const [row] = await sql<{ round: number }[]>`select ${round}::int as round`
    assert.equal(row!.round, round)
  }
})

it('an unreachable database is distinguished from a fault of ours', async () => {
  const nowhere = openDatabase({ url: 'postgres://127.0.0.1:1/nowhere', max: 1 })
  const error = await nowhere`select 1`.catch((refused) => refused)
  assert.ok(isUnreachable(error), String(error))
  assert.equal(toRefusal(error, 'POST').status, 503)
  await nowhere.end()
  assert.ok(isUnreachable(await nowhere`select 1`.catch((refused) => refused)))
  const faulty = await sql`select 1 / 0`.catch((refused) => refused)
  assert.ok(!isUnreachable(faulty))
  assert.equal(toRefusal(faulty, 'POST').status, 500)
})

it('a look-up is never compiled, however costly Postgres thinks it is', async () => {
  const hot = openHotPool(sql, { max: 1 })
  // As on a server with JIT, whatever the one of this run was started with.
  await sql`do $$ begin execute format('alter database %I set jit = on', current_database()); end $$`
  const [row] = await hot<{ jit: string }[]>`select current_setting('jit') as jit`
  assert.equal(row!.jit, 'off')
  await hot.end()
})

describe('a statement that fails', () => {
  it('after it returned a row, leaves nothing behind in the next result on its connection', async () => {
    const one = openDatabase({ url: postgres.href, max: 1 })
    for (let round = 0; round < 3; round += 1) {
      await assert.rejects(one`select 1 / (2 - x) from generate_series(1, ${3}) x`, /division by zero/)
      assert.deepEqual([...(await one`select 'hello' as a, ${round}::int as b`)], [{ a: 'hello', b: round }])
    }
    await one.end()
  })

  it('fails alone among statements in flight on one connection: each gets its own rows', async () => {
    const hot = openHotPool(sql, { max: 1 })
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, (_, n) =>
        n % 3 === 0
          ? hot`select ${n}::int / (2 - x) as n from generate_series(1, 3) x`
          : hot`select ${n}::int as n from generate_series(1, ${(n % 5) + 1}::int)`,
      ),
    )
    for (const [n, result] of results.entries()) {
      if (n % 3 === 0) assert.equal(result.status, 'rejected')
      else assert.deepEqual(result.status === 'fulfilled' && [...result.value], Array((n % 5) + 1).fill({ n }))
    }
    await hot.end()
  })
})

describe('a transaction', () => {
  it('that failed inside is not reported as committed, even when its work swallowed the error', async () => {
    const swallowed = transaction(sql, async (tx) => {
      await tx`select 1 / 0`.catch(() => {})
    })
    await assert.rejects(swallowed, /rolled back/)
  })

  it('accepts no statement after its end: it would run by itself, on another caller’s connection', async () => {
    let forgotten: Promise<unknown> | undefined
    await transaction(sql, async (tx) => {
      forgotten = turn().then(() => tx`create table left_behind ()`)
      forgotten.catch(() => {})
    })
    await assert.rejects(forgotten!, /transaction had ended/)
  })

  it('undoes a failed savepoint alone', async () => {
    await sql`create table kept (n int)`
    await transaction(sql, async (tx) => {
      await tx`insert into kept values (${1})`
      const inner = (tx as typeof sql).begin(async (inside) => {
        await inside`insert into kept values (${2})`
        throw new Error('undo')
      })
      await assert.rejects(inner, /undo/)
      await tx`insert into kept values (${3})`
    })
    assert.deepEqual([...(await sql`select n from kept order by n`)], [{ n: 1 }, { n: 3 }])
  })

  it('gets its connection although statements never stop coming', async () => {
    const hot = openHotPool(sql, { max: 1 })
    let stop = false
    const busy = Array.from({ length: 5 }, async () => {
      while (!stop) await hot`select ${1}::int`
    })
    await transaction(hot, async (tx) => tx`select 1`)
    stop = true
    await Promise.all(busy)
    await hot.end()
  })
})

describe('parameters', () => {
  it('keep their type where the statement alone does not say it', async () => {
    const at = new Date('2026-03-01T12:00:00.123Z')
    const bytes = Buffer.from([0, 255, 10])
    const rows =
      await sql`select ${at} as at, ${true} as yes, ${bytes} as bytes, ${2n ** 60n} as big, ${sql.json([1, { a: 'x' }])} as json`
    assert.deepEqual([...rows], [{ at, yes: true, bytes, big: 2n ** 60n, json: [1, { a: 'x' }] }])
    const texts = ['a"b', '\\', 'c,d', '{}', 'null', '', null]
    const [lists] =
      await sql`select ${texts}::text[] as texts, ${[at]}::timestamptz[] as times, ${[bytes]}::bytea[] as all`
    assert.deepEqual(lists, { texts, times: [at], all: [bytes] })
  })

  it('must not be undefined: a forgotten value would become null', async () => {
    await assert.rejects(async () => sql`select ${undefined}`, TypeError)
    await assert.rejects(async () => sql`select ${[undefined]}::text[]`, TypeError)
  })
})

describe('a caller that leaves', () => {
  it('cancels its own statement in Postgres, and no other one', async () => {
    const pool = openDatabase({ url: postgres.href, max: 2 })
    const leaving = new AbortController()
    const slow = cancelWhen(leaving.signal, pool`select pg_sleep(${20}) as slow`)
    slow.catch(() => {})
    const running = async () => {
      const [row] = await sql`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and state = 'active' and query like ${'select pg_sleep(%) as slow'}`
      return row!.count
    }
    await until(async () => (await running()) === 1, 'the statement runs')
    const other = pool`select pg_sleep(${0.5}) as other`
    leaving.abort()
    await assert.rejects(slow, /left/)
    await until(async () => (await running()) === 0, 'the statement has ended')
    await other
    await pool.end()
  })

  it('while it waits for a connection, sends no statement at all', async () => {
    const pool = openDatabase({ url: postgres.href, max: 1 })
    const held = await pool.reserve()
    const leaving = new AbortController()
    const waiting = cancelWhen(leaving.signal, pool`select pg_sleep(${20}) as waiting`)
    waiting.catch(() => {})
    const next = pool`select 1 as one`
    leaving.abort()
    held.release()
    await assert.rejects(waiting, /left/)
    assert.equal((await next)[0]!.one, 1)
    await pool.end({ timeout: 1 })
  })
})

it('closing waits for what is under way, but not for ever', async () => {
  const pool = openDatabase({ url: postgres.href, max: 2 })
  // Opens both connections, which may take long on a busy machine.
  await Promise.all([pool`select pg_sleep(0.2)`, pool`select pg_sleep(0.2)`])
  const quick = pool`select pg_sleep(0.3), 1 as one`
  quick.catch(() => {})
  const slow = pool`select pg_sleep(30)`
  slow.catch(() => {})
  await sleep(100)
  await pool.end({ timeout: 1 })
  assert.equal((await quick)[0]!.one, 1)
  await assert.rejects(slow)
})

describe('decision 9.19: pools that share a budget of connections', () => {
  const open = (budget: number, { forbidNested = false } = {}) => {
    const sql = openDatabase({ url: postgres.href, max: 3, least: 1, budget, forbidNested })
    const other = openHotPool(sql, { max: 3, least: 1 })
    const end = () => Promise.all([sql.end({ timeout: 1 }), other.end({ timeout: 1 })])
    return { sql, other, end }
  }
  const backend = async (tag: Sql) => (await tag`select pg_backend_pid() as id, pg_sleep(0.05)`)[0]!.id as number

  it('each keeps its own least, however busy the others are, and takes the rest when it is free', async () => {
    const { sql, other, end } = open(3)
    const held = [await sql.reserve(), await sql.reserve()]
    await assert.rejects(sql.alongside({ waitSeconds: 0.3, max: 1 })`select 1`, { code: 'POOL_BUSY' })
    assert.equal(new Set(await Promise.all(Array.from({ length: 5 }, () => backend(other)))).size, 1)
    const third = sql.reserve()
    held.pop()!.release()
    held.push(await third)
    for (const each of held) each.release()
    await end()
  })

  it('an idle connection beyond the least is closed, and the next pool opens one instead', async () => {
    const { sql, other, end } = open(3)
    const held = [await sql.reserve(), await sql.reserve()]
    for (const each of held) each.release()
    const many = async () => new Set(await Promise.all(Array.from({ length: 8 }, () => backend(other)))).size
    await until(async () => (await many()) === 2, 'the second connection', 15)
    await end()
  })

  it('a statement to a pool inside its own transaction is found by tests, also when many callers share it', async () => {
    const { sql, other, end } = open(4, { forbidNested: true })
    const shared = coalesce(async (items: number[]) => {
      await sql`select 1`
      return items
    })
    const nested = /inside one of its transactions/
    await assert.rejects(
      sql.begin(() => sql`select 1`),
      nested,
    )
    await assert.rejects(
      sql.begin(() => sql.begin(async () => {})),
      nested,
    )
    await assert.rejects(
      sql.begin(() => shared(1)),
      nested,
    )
    await sql.begin(async (tx) => [await tx`select 1`, await other`select 1`])
    assert.equal(await shared(2), 2)
    await end()
  })
})

describe('decision 3.26: a server of a distributed database that does not respond', () => {
  it('is not waited for, nor are the others, until it responds again', async () => {
    const spread = openDatabase({ url: postgres.href, max: 2, distributed: true })
    // What the coordinator of a Citus would say.
    await spread.unsafe(`
      create table pg_dist_node (groupid int, nodename text, nodeport int, noderole text);
      insert into pg_dist_node values (1, 'one.test', 5432, 'primary'), (2, 'two.test', 5432, 'primary');
      create table pg_dist_placement (shardid bigint, groupid int);
      insert into pg_dist_placement values (100, 1), (101, 2);
      create table down (name text);
      insert into down values ('one.test');
      create function citus_check_connection_to_node(text, int) returns boolean language sql
        as 'select $1 not in (select name from down)'`)
    spread.shards!.learn(
      [100, 101],
      new Map([100, 101].map((shard, index) => [shard, `${['one', 'two'][index]}.test:5432`])),
    )
    const changes: string[] = []
    spread.shards!.servers.onChange((server, responds) => changes.push(`${server} ${responds}`))
    const on = (bucket: number, text: string) => concerning(spread, [bucket], spread.unsafe(text))
    const underWay = on(0, 'select pg_sleep(60)').catch((error) => error.code)
    const lost = on(0, `do $$ begin raise exception 'lost' using errcode = '08006'; end $$`)
    await assert.rejects(lost, /lost/)
    assert.equal(await underWay, 'SHARD_SILENT')
    const refused = await on(0, 'select 1').catch((error) => error)
    assert.ok(isUnreachable(refused))
    assert.match(refused.message, /one\.test:5432 does not respond/)
    assert.equal((await on(1, 'select 1')).length, 1)
    assert.deepEqual(spread.shards!.reachable(), [1])
    assert.throws(() => spread.shards!.requireAll())
    await spread`delete from down`
    await until(() => spread.shards!.reachable() === null, 'the server responds again')
    assert.equal((await on(0, 'select 1')).length, 1)
    assert.deepEqual(changes, ['one.test:5432 false', 'one.test:5432 true'])
    await spread.end({ timeout: 1 })
  })

  it('decision 9.21: has one statement at a time, and those behind it are refused in time', async () => {
    const inTurn = turnsPerServer(0.05)
    const { promise, resolve } = Promise.withResolvers<string>()
    const first = inTurn('one', () => promise)
    await assert.rejects(
      inTurn('one', async () => 'second'),
      isUnreachable,
    )
    assert.equal(await inTurn('two', async () => 'other'), 'other')
    const next = inTurn('one', async () => 'next')
    resolve('first')
    assert.deepEqual(await Promise.all([first, next]), ['first', 'next'])
    assert.equal(await inTurn('one', async () => 'last'), 'last')
  })
})
