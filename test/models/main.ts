// `npm run check:models -- --runs 500 --seed 7 --model spaces`: CONTRIBUTING.md says what it checks.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    model: { type: 'string', default: '*' },
    path: { type: 'string' },
    replay: { type: 'string' },
  },
})
const environment = {
  LANDBRIDGE_MODEL_RUNS: values.runs,
  FUZZ_SEED: values.seed,
  LANDBRIDGE_TEST_MINUTES: '1440',
  ...(values.path ? { LANDBRIDGE_MODEL_PATH: values.path } : {}),
  ...(values.replay ? { LANDBRIDGE_MODEL_REPLAY: values.replay } : {}),
}
const run = fileURLToPath(new URL('../run.ts', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const running = spawn(process.execPath, [...process.execArgv, run, `test/models/${values.model}.test.ts`], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...environment },
})
const [code] = await once(running, 'exit')
process.exit(code ?? 1)
