import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

function npmTest(env: Record<string, string>, ...args: string[]): { status: number | null; output: string } {
  // The inner run is no part of this one: the runner would expect its own kind of report from it.
  const { NODE_TEST_CONTEXT: _, ...rest } = process.env
  const flags = ['--disable-warning=ExperimentalWarning', '--import', './server/require-node.js', 'test/run.ts']
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...rest, ...env },
  })
  return { status, output: stdout + stderr }
}

describe('npm test -- <files>', () => {
  const nobodyThere = { LANDBRIDGE_TEST_POSTGRES: 'postgres://somebody@127.0.0.1:1/postgres' }

  it('a file that asks for no database runs without a Postgres', () => {
    const { status, output } = npmTest(nobodyThere, 'client/src/errors.test.ts')
    assert.equal(status, 0, output)
  })

  it('a file that asks for one, when there is none: the run fails and says why', () => {
    const { status, output } = npmTest(nobodyThere, 'server/src/schema-picture.test.ts')
    assert.equal(status, 1)
    assert.match(output, /connect ECONNREFUSED 127\.0\.0\.1:1/)
  })
})
