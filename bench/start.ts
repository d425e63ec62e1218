// `npm run bench:start [-- --quick]`: the time from `npm start` to its ready line on an empty data folder and on the one
// it has left, and the memory of the process at rest.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onCleanUp, temporaryFolder } from './clean-up.ts'
import { median, spreadOf, startFlags, startServer } from './environment.ts'
import { residentMemory, toMegabytes } from './memory.ts'
import { type Row, runAlone } from './table.ts'

/** Seconds; the tests require them too. */
const limits = { first: 15, second: 5 }
/** Until then a process still compiles and collects what its start has left. */
const restSeconds = { quick: 3, whole: 5 }

interface Started {
  seconds: number
  pid: number
  stop(): Promise<void>
}

export async function measure(quick: boolean): Promise<Row[]> {
  const times = { first: [] as number[], second: [] as number[] }
  const memory = { ours: [] as number[], bare: [] as number[] }
  for (let round = 0; round < (quick ? 1 : 5); round += 1) {
    const { folder, remove } = await temporaryFolder()
    const data = join(folder, 'data')
    await mkdir(data)
    const first = await start(data)
    times.first.push(first.seconds)
    await first.stop()
    const second = await start(data)
    times.second.push(second.seconds)
    const bare = await startServer('./devices/bare-server.ts')
    await sleep(restSeconds[quick ? 'quick' : 'whole'] * 1000)
    memory.ours.push(residentMemory(second.pid))
    memory.bare.push(residentMemory(bare.pid!))
    await bare.stop()
    await second.stop()
    await remove()
  }
  return [
    startRow('first start, with a private Postgres', times.first, limits.first),
    startRow('second start', times.second, limits.second),
    {
      what: 'memory at rest, without Postgres',
      ours: toMegabytes(median(memory.ours)),
      peer: `bare Fastify route: ${toMegabytes(median(memory.bare))}`,
      ratio: median(memory.ours) / median(memory.bare),
      bar: null,
      better: 'lower',
      spread: spreadOf(memory.ours.map((bytes, round) => bytes / memory.bare[round]!)),
    },
  ]
}

function startRow(what: string, seconds: number[], limit: number): Row {
  return {
    what,
    ours: `${median(seconds).toFixed(1)} s`,
    peer: `limit: ${limit} s`,
    ratio: median(seconds) / limit,
    bar: 1,
    better: 'lower',
    spread: spreadOf(seconds.map((time) => time / limit)),
  }
}

/** What `npm start` runs. The Lab card and the certificate are part of a first start. */
async function start(data: string): Promise<Started> {
  const program = fileURLToPath(new URL('../server/landbridge.js', import.meta.url))
  const began = performance.now()
  const child = spawn(process.execPath, [...startFlags, program, 'serve'], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LANDBRIDGE_DATA_DIR: data,
      LANDBRIDGE_HOST: '127.0.0.1',
      PORT: '0',
      LANDBRIDGE_MQTTS_PORT: '0',
      LANDBRIDGE_STATIC_CERT_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = onCleanUp(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill()
    await once(child, 'exit')
  })
  for await (const line of createInterface(child.stdout!)) {
    const ready = line.startsWith('{') ? JSON.parse(line) : {}
    if (ready.msg !== 'ready') continue
    child.stdout!.resume()
    return { seconds: (performance.now() - began) / 1000, pid: ready.pid ?? child.pid!, stop }
  }
  throw new Error('The service did not become ready.')
}

if (import.meta.main) await runAlone(measure)
