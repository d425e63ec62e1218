import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { createDatabase } from '../../../../test/support/database.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { until } from '../../../../test/support/until.ts'
import { StartFailure } from '../process/start-failure.ts'
import { openDatabase } from './database.ts'
import { isMigrated, migrate } from './migrate.ts'
import { type Migration, readMigrations } from './migration-files.ts'
import { splitStatements } from './split-statements.ts'

const sql = openDatabase({ url: await createDatabase(), max: 4 })
after(() => sql.end({ timeout: 1 }))
const released = await readMigrations()
const next = (text: string): Migration => ({ name: '0900_next.sql', text })
const index = '-- no transaction\ncreate index concurrently if not exists rooms_by_name on rooms (name);\n'

async function emptyRooms(): Promise<void> {
  await sql`drop table if exists rooms`
  await sql`create table rooms (id integer primary key, name text)`
  await sql`insert into rooms select n, 'room' from generate_series(1, 10) n`
  await sql`delete from migrations where name like '09%'`
}

async function indexIsValid(): Promise<boolean | undefined> {
  const [row] = await sql<{ valid: boolean }[]>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass('rooms_by_name')`
  return row?.valid
}

describe('decision 3.9: migrations', () => {
  beforeEach(emptyRooms)

  it('apply the missing files once', async () => {
    const migrations = [...released, next('alter table rooms add column floor text')]
    assert.equal(await isMigrated(sql, migrations), false)
    assert.deepEqual(await migrate(sql, migrations), ['0900_next.sql'])
    assert.deepEqual(await migrate(sql, migrations), [])
    assert.equal(await isMigrated(sql, migrations), true)
  })

  it('a file that fails leaves nothing behind', async () => {
    const failing = next('alter table rooms add column floor text; select 1 / 0')
    await assert.rejects(migrate(sql, [...released, failing]), /division by zero/)
    assert.deepEqual(await migrate(sql, [...released, next('alter table rooms add column floor text')]), [
      '0900_next.sql',
    ])
  })

  it('a database that a newer release migrated serves this one too', async () => {
    await migrate(sql, [...released, next('alter table rooms add column floor text')])
    assert.deepEqual(await migrate(sql, released), [])
    assert.equal(await isMigrated(sql, released), true)
  })

  for (const [when, known] of [
    ['of before the first release', [{ name: '0001_first.sql', text: '' }, ...released.slice(1)]],
    ['of another branch', [...released, { name: '0901_other.sql', text: '' }]],
  ] as const) {
    it(`a database ${when} is refused in one sentence`, async () => {
      await migrate(sql, [...released, next('select 1')])
      const refused = await migrate(sql, known).catch((error) => error)
      assert.ok(refused instanceof StartFailure, String(refused))
      assert.match(
        refused.message,
        /^This database was created by a version before the first release, .* 09?0\d+_\w+\.sql is unknown/,
      )
    })
  }

  it('a table in use is waited for briefly, and again: nobody waits long behind a migration', async () => {
    const release = await holdLocks(sql, (hold) => hold`select from rooms limit 1`)
    const migration = migrate(sql, [...released, next('alter table rooms add column floor text')])
    await untilWaiting(sql)
    // Behind the migration that waits, until that gives up.
    await sql`insert into rooms values (11, 'room')`
    await release()
    assert.deepEqual(await migration, ['0900_next.sql'])
  })
})

describe('decision 3.9: a migration outside a transaction', () => {
  beforeEach(emptyRooms)

  const migrations = [...released, next(index)]

  it('builds its index while others write', async () => {
    const commit = await holdLocks(sql, (hold) => hold`insert into rooms values (11, 'room')`)
    const migration = migrate(sql, migrations)
    await until(async () => (await indexIsValid()) === false)
    await sql`insert into rooms values (12, 'room')`
    await commit()
    assert.deepEqual(await migration, ['0900_next.sql'])
    assert.equal(await indexIsValid(), true)
  })

  it('starts again after a crash: an invalid index is dropped and rebuilt, a finished one is left', async () => {
    await assert.rejects(sql`create unique index concurrently rooms_by_name on rooms (name)`)
    assert.equal(await indexIsValid(), false)
    assert.deepEqual(await migrate(sql, migrations), ['0900_next.sql'])
    assert.equal(await indexIsValid(), true)
    await sql`delete from migrations where name = '0900_next.sql'`
    assert.deepEqual(await migrate(sql, migrations), ['0900_next.sql'])
  })

  it('on several processes is carried out by one, and waited for by the others', async () => {
    const applied = await Promise.all([1, 2, 3].map(() => migrate(sql, migrations)))
    assert.deepEqual(applied.flat(), ['0900_next.sql'])
    assert.equal(await indexIsValid(), true)
  })

  it('may contain nothing that could not be repeated', async () => {
    const other = next('-- no transaction\nupdate rooms set name = name;')
    await assert.rejects(migrate(sql, [...released, other]), /only "create index concurrently/)
  })
})

it('decision 3.27: a file is divided into its statements, whatever is in them', async () => {
  const text = `
    -- A comment; with 'a quote
    create table a (b text default 'x;''y');
    create function "f;g"() returns void language plpgsql as $body$ begin perform '$$;'; end $body$; /* c; */
    do $$ begin null; end $$;
    select $1 - 2 / 3`
  assert.deepEqual(splitStatements(text), [
    "create table a (b text default 'x;''y')",
    `create function "f;g"() returns void language plpgsql as $body$ begin perform '$$;'; end $body$`,
    'do $$ begin null; end $$',
    'select $1 - 2 / 3',
  ])
  for (const { text } of await readMigrations()) {
    const words = (some: string) => some.replaceAll(/--.*|\s|;/g, '')
    assert.equal(words(splitStatements(text).join(';')), words(text))
  }
})
