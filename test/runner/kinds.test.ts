import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { contradiction, isAlone, type Kind, kindOf } from './kinds.ts'

describe('the kind of a test file', () => {
  const kinds: [file: string, kind: Kind, alone: boolean][] = [
    ['server/src/platform/texts.test.ts', 'shared', false],
    ['test/citations.test.ts', 'shared', false],
    ['test/start.process.test.ts', 'process', false],
    ['test/start.alone.test.ts', 'process', true],
    ['test/consent.browser.test.ts', 'browser', false],
    ['test/portal/live.browser.alone.test.ts', 'browser', true],
    ['test/system/proxies.test.ts', 'process', false],
  ]
  for (const [file, kind, alone] of kinds)
    it(`${file}: ${kind}${alone ? ', alone' : ''}`, () => {
      assert.deepEqual([kindOf(file), isAlone(file)], [kind, alone])
    })

  // By files that are no tests, so that nobody runs them.
  it('one that shares a process starts no other, not by what it imports either', () => {
    assert.match(contradiction('test/support/service.ts')!, /service\.ts imports node:child_process/)
    assert.match(contradiction('test/support/two-processes.ts')!, /service\.ts imports node:child_process/)
  })

  it('only one that is named so opens a browser', () => {
    assert.match(contradiction('test/support/consent-world.ts')!, /name it \*\.browser\.test\.ts/)
  })

  it('one that shares a process has no hooks for the tests of others', () => {
    assert.match(contradiction('test/set-up/hooks.ts')!, /put it into a describe/)
  })

  it('the service may start threads and processes of its own', () => {
    assert.equal(contradiction('test/support/harness.ts'), undefined)
  })
})
