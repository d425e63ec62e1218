// `npm run fuzz -- --requests 1000000 --seed 7`: CONTRIBUTING.md says what it sends. The service has its own Postgres, as
// `npm start` starts it, and its usual limits.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseArgs } from 'node:util'
import { fuzzSeed } from '../support/fuzz-seed.ts'
import { privateDatabaseUrl, temporaryDataDir } from '../support/service.ts'
import { type Kind, kinds, shareOut } from './kinds.ts'
import { assertSound } from './report.ts'
import { fuzz } from './run.ts'
import { startFuzzed } from './service.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    each: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string', default: String(fuzzSeed) },
    kinds: { type: 'string', default: Object.keys(kinds).join() },
  },
})
const wanted = values.kinds.split(',') as Kind[]
const unknown = wanted.filter((kind) => !(kind in kinds))
if (unknown.length > 0) throw new Error(`--kinds takes ${Object.keys(kinds).join()}, not ${unknown.join()}`)
const count = values.each ? { each: Number(values.each) } : { requests: Number(values.requests) }
const requests = shareOut(wanted, count)

it('nothing that is sent makes the service fail, end or grow', { timeout: 6 * 3_600_000 }, async () => {
  const folder = await temporaryDataDir()
  const service = await startFuzzed({ LANDBRIDGE_DATA_DIR: folder })
  const report = await fuzz({
    seed: Number(values.seed),
    requests,
    ...(values.minutes ? { minutes: Number(values.minutes) } : {}),
    service,
    databaseUrl: await privateDatabaseUrl(folder),
    onProgress: (line) => console.log(line),
  })
  console.log(report.tally.table())
  console.log(`never let in: ${report.missed.join(', ') || 'none'}`)
  if (service.output() !== '') console.log(service.output().slice(0, 20_000))
  console.log(report.summary)
  assert.equal(await service.stop(), 0)
  assertSound(report)
})
