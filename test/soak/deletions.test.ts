import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { deletions, outlasts } from './deletions.ts'

const migrations = new URL('../../server/migrations/', import.meta.url)

describe('what deletes from the tables that grow', () => {
  it('is said of tables that exist', () => {
    const sql = readdirSync(migrations).map((file) => readFileSync(new URL(file, migrations), 'utf8'))
    const tables = new Set(
      sql.flatMap((text) => [...text.matchAll(/create (?:unlogged )?table (\w+)/g)].map(([, name]) => name)),
    )
    assert.deepEqual(
      [...deletions.keys()].filter((name) => !tables.has(name)),
      [],
    )
  })

  it('a run sees it of tables that keep their rows for less than half of it', () => {
    assert.equal(outlasts('history', 60), true)
    assert.equal(outlasts('access_tokens', 60), true)
    assert.equal(outlasts('access_tokens', 180), false)
    assert.equal(outlasts('limit_windows', 60), false)
    assert.equal(outlasts('of nobody', 60), false)
  })
})
