// A hundred of each kind, since CI sends thousands; `npm run fuzz -- --requests 1000000` sends more.
import { it } from 'node:test'
import { createDatabase } from '../support/database.ts'
import { fuzzSeed } from '../support/fuzz-seed.ts'
import { type Kind, kinds, shareOut } from './kinds.ts'
import { assertSound } from './report.ts'
import { fuzz } from './run.ts'
import { startFuzzed } from './service.ts'

const each = Number(process.env.FUZZ_REQUESTS ?? 100)

it(`decision 10.2: ${each} of each kind make nothing fail, and nothing comes back as markup`, async (test) => {
  const databaseUrl = await createDatabase()
  const service = await startFuzzed({ DATABASE_URL: databaseUrl, LANDBRIDGE_DRAIN_SECONDS: '0' })
  const requests = shareOut(Object.keys(kinds) as Kind[], { each })
  const report = await fuzz({ seed: fuzzSeed, requests, service, databaseUrl })
  test.diagnostic(report.summary)
  assertSound(report)
})
