import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'

const url = process.env.LANDBRIDGE_TEST_CITUS
const skip = url ? false : 'left out: LANDBRIDGE_TEST_CITUS names no Citus (test/support/citus.ts)'

it('the device tests pass on a Citus, too', { skip, timeout: 1_800_000 }, async (t) => {
  const env = { ...process.env, LANDBRIDGE_TEST_POSTGRES: url, LANDBRIDGE_DISTRIBUTED: 'citus' }
  // The inner run is no part of this one: the runner would expect its own kind of report from it.
  Reflect.deleteProperty(env, 'NODE_TEST_CONTEXT')
  const args = ['--disable-warning=ExperimentalWarning', 'test/run.ts', 'server/src/devices/*/*.test.ts']
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(text))
  const [code] = await once(child, 'close')
  assert.equal(code, 0, lines.join(''))
  for (const [line] of lines.join('').matchAll(/(?<=^ℹ )(tests|pass|fail|skipped) .*/gm)) t.diagnostic(line)
})
