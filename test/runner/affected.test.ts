import assert from 'node:assert/strict'
import { glob } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { affectedBy } from './affected.ts'
import { root } from './imports.ts'

const tests = await Array.fromAsync(glob('{server/src,client/src,test}/**/*.test.ts', { cwd: root }))

/** Of the given changes, the affected ones are among the files, and the others are not. */
function check(changed: string[], affected: string[], others: string[]): void {
  const { files, because } = affectedBy(changed, tests)
  assert.equal(because, undefined)
  const has = new Set(files)
  assert.deepEqual([affected.filter((file) => !has.has(file)), others.filter((file) => has.has(file))], [[], []])
}

describe('--changed', () => {
  it('a module: the tests that import it, directly or through others, and those that read everything', () => {
    const others = ['server/src/schema-picture.test.ts', 'test/portal/csv.test.ts']
    check(['client/src/errors.ts'], ['client/src/errors.test.ts', 'test/citations.test.ts'], others)
    check(
      ['server/src/platform/texts.ts'],
      ['server/src/platform/texts.test.ts', 'test/kit/connect.test.ts'],
      ['test/portal/csv.test.ts'],
    )
  })

  it('what the service runs with: the tests that start it as a process, too', () => {
    check(['server/src/supervise.ts'], ['test/supervisor.process.test.ts'], ['client/src/errors.test.ts'])
  })

  it('a migration: the tests with a database', () => {
    check(['server/migrations/0001_new.sql'], ['server/src/schema-picture.test.ts'], ['client/src/errors.test.ts'])
  })

  it('a page of the documentation: the tests that read it', () => {
    check(['docs/operate.md'], ['server/src/config.test.ts', 'test/headings.test.ts'], ['client/src/errors.test.ts'])
    check(
      ['CHANGELOG.md'],
      ['test/headings.test.ts'],
      ['client/src/errors.test.ts', 'server/src/schema-picture.test.ts'],
    )
  })

  it('a page of the portal: the journeys', () => {
    check(['portal/src/pages/new.tsx'], ['test/portal/partner.browser.test.ts'], ['test/portal/csv.test.ts'])
  })

  it('a test: itself', () => {
    check(['test/portal/csv.test.ts'], ['test/portal/csv.test.ts'], ['test/portal/json-lines.test.ts'])
  })

  for (const file of ['package-lock.json', 'client/package.json', 'test/runner/workers.ts', 'something-new.yaml'])
    it(`${file}: everything`, () => {
      assert.deepEqual(affectedBy(['client/src/errors.ts', file], tests), { files: tests, because: file })
    })
})
