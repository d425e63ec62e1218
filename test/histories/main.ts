// `npm run check:histories -- --histories 10000 --seed 1 --processes 3`: CONTRIBUTING.md says what it checks.
import { mkdir } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { cleanUpWhenInterrupted } from '../../bench/clean-up.ts'
import { faultNamed } from './record/faults.ts'
import { recordHistories, type Scenario, summaryLine } from './run.ts'

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    processes: { type: 'string', default: '2' },
    cells: { type: 'string', default: '0' },
    first: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '10' },
    faults: { type: 'string', default: '0.5' },
    fault: { type: 'string' },
    scenario: { type: 'string' },
    postgres: { type: 'string', default: 'packaged' },
    folder: { type: 'string' },
    hour: { type: 'boolean', default: false },
  },
})
cleanUpWhenInterrupted()
const seed = Number(values.seed)
console.log(`seed ${seed}`)
if (values.folder) await mkdir(values.folder, { recursive: true })
const began = performance.now()
const summary = await recordHistories({
  seed,
  histories: Number(values.histories),
  processes: Number(values.processes),
  cells: Number(values.cells),
  first: Number(values.first),
  atOnce: Number(values['at-once']),
  faults: Number(values.faults),
  hour: values.hour,
  postgres: values.postgres as 'packaged' | 'standby' | 'own',
  ...(values.scenario ? { scenarios: values.scenario.split(',') as Scenario[] } : {}),
  ...(values.fault ? { fault: faultNamed(values.fault) } : {}),
  ...(values.folder ? { folder: values.folder } : {}),
  onHistory(_history, soFar) {
    if (soFar.histories % (Number(values.histories) > 500 ? 100 : 10) > 0) return
    console.log(`after ${Math.round((performance.now() - began) / 1000)} s: ${summaryLine(soFar)}`)
  },
})
for (const violation of summary.violations.slice(0, 20)) console.log(violation)
console.log(summaryLine(summary))
process.exit(summary.violations.length > 0 ? 1 : 0)
