// `npm run bench:signing`: our signing threads beside `crypto.sign` with a callback, which uses libuv's pool, in short
// turns: signatures per second, processor time of the main thread per signature, and how long other work of libuv's pool
// waits meanwhile. Then our conversion of ECDSA signatures beside Node's.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { joinedSignature } from '../server/src/authorization/keys/ecdsa-signature.ts'
import { signature256 } from '../server/src/authorization/keys/signing-threads.ts'
import { median } from './environment.ts'

const callers = 512
const rounds = Number(process.env.BENCH_ROUNDS ?? 7)
const milliseconds = 1_000 * Number(process.env.BENCH_SECONDS ?? 1.5)
/** About as long as an id_token without its signature. */
const input = 'x'.repeat(700)

type Sign = (key: KeyObject, input: string) => Promise<string>

const withCallback: Sign = (key, text) =>
  new Promise((resolve, reject) => {
    sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, (error, signature) =>
      error ? reject(error) : resolve(signature.toString('base64url')),
    )
  })

/** At most `max` in the pool at once, so that its other work waits for one signature only. */
function bounded(run: Sign, max: number): Sign {
  const waiting: (() => void)[] = []
  let running = 0
  return async (key, text) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await run(key, text)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

interface Turn {
  perSecond: number
  /** Processor time of the main thread, in microseconds per signature. */
  mainMicroseconds: number
  /** Median wait of other pool work, in milliseconds. */
  poolWait: number
}

async function turn(run: Sign, key: KeyObject): Promise<Turn> {
  const waits: number[] = []
  let signed = 0
  let going = true
  const all = Array.from({ length: callers }, async () => {
    while (going) {
      await run(key, input)
      signed += 1
    }
  })
  await new Promise((resolve) => setTimeout(resolve, 200))
  const [from, cpuFrom, countFrom] = [performance.now(), process.threadCpuUsage(), signed]
  while (performance.now() - from < milliseconds) {
    const asked = performance.now()
    await stat('.')
    waits.push(performance.now() - asked)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const count = signed - countFrom
  const { user, system } = process.threadCpuUsage(cpuFrom)
  const seconds = (performance.now() - from) / 1000
  going = false
  await Promise.all(all)
  return { perSecond: count / seconds, mainMicroseconds: (user + system) / count, poolWait: median(waits) }
}

const sides: Record<string, Sign> = {
  threads: signature256,
  callback: withCallback,
  'callback, bounded': bounded(withCallback, availableParallelism()),
}

for (const [alg, { privateKey }] of [
  ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
] as const) {
  const turns = Object.fromEntries(Object.keys(sides).map((name) => [name, [] as Turn[]]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(sides)) turns[name]!.push(await turn(run, privateKey))
  }
  console.log(`\n${alg}, ${callers} callers, ${availableParallelism()} cores`)
  for (const [name, all] of Object.entries(turns)) {
    const middle = (field: keyof Turn) => median(all.map((one) => one[field]))
    const ratio = median(all.map((one, round) => one.perSecond / turns.threads![round]!.perSecond))
    console.log(
      `${name.padEnd(18)} ${middle('perSecond').toFixed(0).padStart(6)}/s  ${ratio.toFixed(2)}x threads  ` +
        `main thread ${middle('mainMicroseconds').toFixed(0)} us  pool wait ${middle('poolWait').toFixed(1)} ms`,
    )
  }
}

const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const conversions = {
  ours: () => joinedSignature(sign('sha256', Buffer.from(input), elliptic)),
  'ieee-p1363': () => sign('sha256', Buffer.from(input), { key: elliptic, dsaEncoding: 'ieee-p1363' }),
}
const costs = { ours: [] as number[], 'ieee-p1363': [] as number[] }
for (let round = 0; round < 3 * rounds; round += 1) {
  for (const [name, run] of Object.entries(conversions) as [keyof typeof conversions, () => Buffer][]) {
    const from = process.threadCpuUsage()
    for (let n = 0; n < 2_000; n += 1) run()
    const { user, system } = process.threadCpuUsage(from)
    costs[name].push((user + system) / 2_000)
  }
}
console.log('\nES256, one thread, processor time per signature')
for (const [name, all] of Object.entries(costs)) console.log(`${name.padEnd(18)} ${median(all).toFixed(0)} us`)
process.exit(0)
