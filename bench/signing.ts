// `npm run bench:signing [-- --quick]`: our signing threads beside `crypto.sign` with a callback, which uses libuv's pool, in short
// turns: signatures per second, processor time of the main thread per signature, and how long other work of libuv's pool
// waits meanwhile. Then our conversion of ECDSA signatures beside Node's.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { joinedSignature } from '../server/src/authorization/keys/ecdsa-signature.ts'
import { SigningThreads } from '../server/src/authorization/keys/signing-threads.ts'
import { median, spreadOf, toMilliseconds } from './environment.ts'
import { type Row, runAlone } from './table.ts'

const callers = 512
/** About as long as an id_token without its signature. */
const input = 'x'.repeat(700)

const ours = new SigningThreads(availableParallelism())

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

interface Length {
  rounds: number
  milliseconds: number
}

interface Turn {
  perSecond: number
  p99: number
  /** Processor time of the main thread, in microseconds per signature. */
  mainMicroseconds: number
  /** Median wait of other pool work, in milliseconds. */
  poolWait: number
}

async function turn(run: Sign, key: KeyObject, milliseconds: number): Promise<Turn> {
  const waits: number[] = []
  const times: number[] = []
  let going = true
  const all = Array.from({ length: callers }, async () => {
    while (going) {
      const asked = performance.now()
      await run(key, input)
      times.push(performance.now() - asked)
    }
  })
  await new Promise((resolve) => setTimeout(resolve, 200))
  const [from, cpuFrom, countFrom] = [performance.now(), process.threadCpuUsage(), times.length]
  while (performance.now() - from < milliseconds) {
    const asked = performance.now()
    await stat('.')
    waits.push(performance.now() - asked)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const counted = times.slice(countFrom).sort((a, b) => a - b)
  const count = counted.length
  const { user, system } = process.threadCpuUsage(cpuFrom)
  const seconds = (performance.now() - from) / 1000
  going = false
  await Promise.all(all)
  const p99 = counted[Math.floor(count * 0.99)] ?? Number.NaN
  return { p99, perSecond: count / seconds, mainMicroseconds: (user + system) / count, poolWait: median(waits) }
}

const sides: Record<string, Sign> = {
  threads: (key, text) => ours.sign(key, text),
  callback: withCallback,
  'callback, bounded': bounded(withCallback, availableParallelism()),
}

export async function measure(quick: boolean): Promise<Row[]> {
  const length = quick ? { rounds: 3, milliseconds: 500 } : { rounds: 7, milliseconds: 1_500 }
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  return [
    ...(await threadsAgainstCallback('ES256', elliptic, length)),
    ...(await threadsAgainstCallback('RS256', rsa, length)),
    conversion(elliptic, 3 * length.rounds),
  ]
}

async function threadsAgainstCallback(alg: string, key: KeyObject, { rounds, milliseconds }: Length): Promise<Row[]> {
  const turns = Object.fromEntries(Object.keys(sides).map((name) => [name, [] as Turn[]]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(sides)) turns[name]!.push(await turn(run, key, milliseconds))
  }
  const tell = (name: string) => {
    const middle = (field: keyof Turn) => median(turns[name]!.map((one) => one[field]))
    const rate = Math.round(middle('perSecond')).toLocaleString('en')
    return `${rate}/s, main thread ${middle('mainMicroseconds').toFixed(0)} µs, pool waits ${toMilliseconds(middle('poolWait'))}`
  }
  const p99 = (name: string) => toMilliseconds(median(turns[name]!.map((one) => one.p99)))
  return ['callback', 'callback, bounded'].map((peer) => {
    const ratios = turns.threads!.map((one, round) => one.perSecond / turns[peer]![round]!.perSecond)
    return {
      what: `${alg} signatures, ${callers} callers, ${availableParallelism()} cores`,
      ours: tell('threads'),
      peer: `${peer}: ${tell(peer)}`,
      ratio: median(ratios),
      bar: null,
      spread: spreadOf(ratios),
      p99: `${p99('threads')}, ${p99(peer)}`,
    }
  })
}

/** Processor time of one thread per signature. */
function conversion(key: KeyObject, rounds: number): Row {
  const conversions = {
    ours: () => joinedSignature(sign('sha256', Buffer.from(input), key)),
    node: () => sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }),
  }
  const costs = { ours: [] as number[], node: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(conversions) as [keyof typeof conversions, () => Buffer][]) {
      const from = process.threadCpuUsage()
      for (let n = 0; n < 2_000; n += 1) run()
      const { user, system } = process.threadCpuUsage(from)
      costs[name].push((user + system) / 2_000)
    }
  }
  const ratios = costs.ours.map((cost, round) => cost / costs.node[round]!)
  return {
    what: 'ES256 signature as r and s, processor time',
    ours: `${median(costs.ours).toFixed(0)} µs`,
    peer: `ieee-p1363: ${median(costs.node).toFixed(0)} µs`,
    ratio: median(ratios),
    bar: null,
    spread: spreadOf(ratios),
    better: 'lower',
  }
}

if (import.meta.main) await runAlone(measure)
