// `npm run bench [-- --quick] [names …]`: every benchmark, one after the other, in one table. A whole run is written to
// docs/performance.md. Exits non-zero when a bar is missed or a benchmark fails.
import { cleanUp, cleanUpAll, cleanUpWhenInterrupted, unlessInterrupted } from './clean-up.ts'
import { writeReport } from './report.ts'
import { everyBarHolds, type Measure, type Row, toText } from './table.ts'

const benchmarks: Record<string, () => Promise<{ measure: Measure }>> = {
  devices: () => import('./devices.ts'),
  registration: () => import('./registration.ts'),
  mqtt: () => import('./mqtt.ts'),
  connections: () => import('./connections.ts'),
  commands: () => import('./commands.ts'),
  live: () => import('./live.ts'),
  openid: () => import('./openid.ts'),
  organization: () => import('./organization.ts'),
  'device-lists': () => import('./device-lists.ts'),
  'claim-list': () => import('./claim-list.ts'),
  authorization: () => import('./authorization.ts'),
  release: () => import('./release.ts'),
  processes: () => import('./processes.ts'),
  portal: () => import('./portal.ts'),
  start: () => import('./start.ts'),
}

const quick = process.argv.includes('--quick')
const named = process.argv.slice(2).filter((word) => word in benchmarks)
const unknown = process.argv.slice(2).filter((word) => word !== '--quick' && !(word in benchmarks))
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${Object.keys(benchmarks).join(', ')}.`)
  process.exit(2)
}

cleanUpWhenInterrupted()
const rows: Row[] = []
const failed: string[] = []
const began = performance.now()
const took: string[] = []
for (const [name, load] of Object.entries(benchmarks)) {
  if (named.length > 0 && !named.includes(name)) continue
  console.log(name)
  const from = performance.now()
  try {
    rows.push(...(await (await load()).measure(quick)))
  } catch (error) {
    await unlessInterrupted()
    console.error(error)
    failed.push(name)
  }
  // A benchmark that failed half-way must not slow the next ones down.
  await cleanUp()
  took.push(`${name} ${secondsSince(from)}`)
  console.log(`  took ${secondsSince(from)} s\n`)
}
await cleanUpAll()

console.log(toText(rows))
console.log(`\nIn all ${secondsSince(began)} s: ${took.join(', ')}.`)
if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}. Nothing was written to docs/performance.md.`)
else if (named.length === 0) await writeReport(rows, quick)
process.exit(failed.length === 0 && everyBarHolds(rows) ? 0 : 1)

function secondsSince(from: number): number {
  return Math.round((performance.now() - from) / 1000)
}
