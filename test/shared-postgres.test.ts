// All test files share one Postgres, each with its own database: a statement about sessions or locks without
// `datname` sees those of the others, and has ended them.
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

it('a test asks only about the sessions and locks of its own database', async () => {
  const wrong: string[] = []
  let found = 0
  for await (const file of glob(['server/src/**/*.test.ts', 'client/src/**/*.test.ts', 'test/**/*.ts'], {
    cwd: root,
  })) {
    const source = await readFile(`${root}/${file}`, 'utf8')
    // From the name of the view to the end of its statement.
    for (const [statement] of source.matchAll(/from (?:pg_stat_activity|pg_locks)[^`"]*/g)) {
      found += 1
      if (!statement.includes('datname')) wrong.push(`${file}: ${statement}`)
    }
  }
  assert.ok(found > 10)
  assert.deepEqual(wrong, [])
})
