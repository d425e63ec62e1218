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

describe('npm test', () => {
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

  it('the last lines say how long the slowest files took, each of a shared process, too', () => {
    const { output } = npmTest(nobodyThere, 'client/src/{errors,transport}.test.ts', 'client/src/moves.test.ts')
    const last = output.trim().split('\n').slice(-4)
    assert.equal(last[0], 'The slowest files:')
    const names = last.slice(1).map((line) => /^ +\d+\.\d s {2}(.+)$/.exec(line)?.[1])
    assert.deepEqual(
      names.toSorted(),
      ['errors', 'moves', 'transport'].map((name) => `client/src/${name}.test.ts`),
    )
  })

  it('a name that matches no file is refused, with the file that may be meant', () => {
    const { status, output } = npmTest(nobodyThere, 'client/src/errors.test.ts', 'test/runner/run.test.ts')
    assert.equal(status, 1)
    assert.equal(output, 'No test file matches test/runner/run.test.ts. There is test/runner/run.process.test.ts.\n')
  })

  it('--fast leaves out what needs a process of its own', () => {
    const { status, output } = npmTest(nobodyThere, '--fast', 'test/runner/run.process.test.ts')
    assert.equal(status, 1)
    assert.match(output, /not among the fast tests/)
  })
})
