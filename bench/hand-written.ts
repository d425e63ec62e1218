// `npm run bench:hand-written`: what we wrote ourselves beside what the library does, in nanoseconds per call, in
// alternating turns.
import { hash } from 'node:crypto'
import { requestLog } from '../server/src/platform/http/request-log.ts'
import { createLog } from '../server/src/platform/log.ts'
import { digest, mintSecret } from '../server/src/platform/secrets/secrets.ts'
import { median } from './environment.ts'

interface Pair {
  name: string
  ours(): unknown
  library(): unknown
}

const turns = 11
const turnMilliseconds = 150

function nanosecondsPerCall(run: () => unknown): number {
  let calls = 0
  let result: unknown
  const started = performance.now()
  while (performance.now() - started < turnMilliseconds) {
    for (let n = 0; n < 500; n += 1) result = run()
    calls += 500
  }
  const elapsed = performance.now() - started
  // Used, so that the engine cannot leave the calls out.
  if (result === nanosecondsPerCall) console.log(result)
  return (elapsed * 1e6) / calls
}

function logPair(): Pair {
  const log = createLog('info')
  const lazy = requestLog(log)
  const reqId = '0190c0de-0000-7000-8000-000000000000'
  return {
    name: 'log of a request that writes nothing',
    ours: () => lazy.child({ reqId }),
    library: () => log.child({ reqId }),
  }
}

function digestPair(): Pair {
  const secret = mintSecret('access_token')
  return {
    name: 'SHA-256 of a secret as a Buffer',
    ours: () => digest(secret),
    library: () => hash('sha256', secret, 'buffer'),
  }
}

for (const { name, ours, library } of [logPair(), digestPair()]) {
  const figures = { ours: [] as number[], library: [] as number[] }
  for (let turn = 0; turn < turns; turn += 1) {
    figures.ours.push(nanosecondsPerCall(ours))
    figures.library.push(nanosecondsPerCall(library))
  }
  const [own, theirs] = [median(figures.ours), median(figures.library)]
  console.log(`${name}: ours ${own.toFixed(0)} ns, library ${theirs.toFixed(0)} ns, 1 : ${(theirs / own).toFixed(1)}`)
}
