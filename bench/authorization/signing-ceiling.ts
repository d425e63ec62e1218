// What all cores of this machine can sign while nothing else runs: a thread per core, each with the key, each in a loop.
// Gets its order in one message from its parent.
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

export interface CeilingOrder {
  alg: 'RS256' | 'ES256'
  seconds: number
}

export interface CeilingReport {
  signaturesPerSecond: number
  threads: number
}

/** About as long as an id_token without its signature. */
const input = 'x'.repeat(700)

async function run({ alg, seconds }: CeilingOrder): Promise<CeilingReport> {
  const pair =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = pair.privateKey.export({ format: 'pem', type: 'pkcs8' })
  // All of them sign from here on, and only the time in which all do counts.
  const threads = Array.from(
    { length: availableParallelism() },
    () => new Worker(new URL(import.meta.url), { workerData: { pem } }),
  )
  await Promise.all(threads.map((thread) => new Promise((resolve) => thread.once('message', resolve))))
  const counts = threads.map(
    (thread) =>
      new Promise<number>((resolve, reject) => {
        thread.once('message', resolve)
        thread.once('error', reject)
      }),
  )
  const startsAt = Date.now() + 300
  for (const thread of threads) thread.postMessage({ startsAt, endsAt: startsAt + seconds * 1000 })
  const signed = (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
  return { signaturesPerSecond: signed / seconds, threads: threads.length }
}

if (isMainThread) {
  process.once('message', async (order: CeilingOrder) => {
    const report = await run(order)
    process.send!(report, () => process.exit(0))
  })
} else {
  const key = createPrivateKey((workerData as { pem: string }).pem)
  parentPort!.on('message', ({ startsAt, endsAt }: { startsAt: number; endsAt: number }) => {
    let signed = 0
    for (let now = Date.now(); now < endsAt; now = Date.now()) {
      sign('sha256', Buffer.from(input), key)
      if (now >= startsAt) signed += 1
    }
    parentPort!.postMessage(signed)
  })
  parentPort!.postMessage('ready')
}
