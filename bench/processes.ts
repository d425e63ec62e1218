// What more processes give and cost: `npm run bench:processes [-- --quick]`. The same load on 1, 2 and 4 processes
// (LANDBRIDGE_PROCESSES), each with a database of its own, in turns; and memory at rest. No bar: it depends on the cores
// that Postgres and the load leave over. Memory is read from /proc, so Linux only.
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFleet, singleRequest } from './devices/fleet.ts'
import { isDisturbed, median, openLoad, startBenchPostgres, startFlags, startService } from './environment.ts'
import { createTenant } from './organization/crowd.ts'
import { type Row, runAlone } from './table.ts'

const counts = [1, 2, 4]
const fleetSize = 2_000
/** One process of load would be the limit on a machine with many cores. */
const loads = 2
const connectionsPerLoad = 128
const restSeconds = 3

export async function measure(quick: boolean): Promise<Row[]> {
  const rounds = quick ? 2 : 15
  const seconds = quick ? 0.3 : 1
  const secondsToWarmUp = quick ? 1 : 5
  const postgres = await startBenchPostgres()
  try {
    const urls: string[] = []
    for (const _ of counts) urls.push(await postgres.createDatabase())
    const sides = await Promise.all(counts.map((processes, index) => startSide(urls[index]!, processes)))
    await sleep(restSeconds * 1000)
    const memory = sides.map(({ service }) => proportionalMemory(service.child.pid!))
    const rows: Row[] = []
    for (const kind of ['telemetry', 'bearer'] as const) {
      const rates = sides.map((): number[] => [])
      // Only now: the service closes connections that send nothing for a minute.
      const opened = sides.map((side) => side.open(kind))
      for (const { run } of opened) await run(secondsToWarmUp)
      for (let round = 0; round < rounds; round += 1) {
        for (const [index, { run }] of opened.entries()) rates[index]!.push(await run(seconds))
      }
      for (const { close } of opened) await close()
      for (const [index, processes] of counts.entries()) {
        if (index > 0) rows.push(compare(kind, processes, rates[index]!, rates[0]!))
      }
    }
    for (const [index, processes] of counts.entries()) {
      if (index === 0) continue
      const what = `memory at rest, ${processes} processes`
      const [ours, one] = [memory[index]!, memory[0]!]
      const peer = `1 process: ${megabytes(one)}`
      rows.push({ what, ours: megabytes(ours), peer, ratio: ours / one, bar: null, spread: '–', better: 'lower' })
    }
    for (const { service } of sides) await service.stop()
    return rows
  } finally {
    await postgres.stop()
  }
}

async function startSide(url: string, processes: number) {
  const fleet = await createFleet(url, fleetSize)
  const { access_tokens } = await createTenant(url, { users: 20, applications: 100 })
  const service = await startService(url, startFlags, { LANDBRIDGE_PROCESSES: String(processes) })
  const port = Number(new URL(service.url).port)
  const bearer = access_tokens.map(
    (token) => `GET /core/v1/organization/users HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\n\r\n`,
  )
  const requests = { telemetry: fleet.map(singleRequest), bearer }
  return {
    service,
    open(kind: keyof typeof requests) {
      const opened = Array.from({ length: loads }, (_, n) => {
        const share = requests[kind].filter((_request, index) => index % loads === n)
        return openLoad({ port, connections: connectionsPerLoad, requests: share })
      })
      return {
        async run(seconds: number): Promise<number> {
          const reports = await Promise.all(opened.map((load) => load.run({ warmUpSeconds: 0.2, seconds })))
          if (reports.some(({ others }) => others > 0)) throw new Error(`${kind}: responses were not 200`)
          return reports.reduce((sum, { rate }) => sum + rate, 0)
        },
        close: () => Promise.all(opened.map((load) => load.close())),
      }
    },
  }
}

function compare(kind: string, processes: number, ours: number[], one: number[]): Row {
  const ratios = ours.map((rate, round) => rate / one[round]!).toSorted((a, b) => a - b)
  return {
    what: `${kind}, ${processes} processes on ${availableParallelism()} cores`,
    ours: perSecond(ours),
    peer: `1 process: ${perSecond(one)}`,
    ratio: median(ratios),
    bar: null,
    disturbed: isDisturbed(one),
    spread: `${ratios[0]!.toFixed(2)}–${ratios.at(-1)!.toFixed(2)}`,
  }
}

/** Of a process and all below it; a page that several share counts once. */
function proportionalMemory(pid: number): number {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(stat.split(') ')[1]!.split(' ')[1]))
    } catch {
      // It has ended.
    }
  }
  const family = [...parents.keys()].filter((one) => one === pid || parents.get(one) === pid)
  const bytes = family.map((one) => {
    const text = readFileSync(`/proc/${one}/smaps_rollup`, 'utf8')
    return Number(/^Pss: +(\d+) kB/m.exec(text)![1]) * 1024
  })
  return bytes.reduce((sum, value) => sum + value, 0)
}

function perSecond(rates: number[]): string {
  return `${Math.round(median(rates)).toLocaleString('en')}/s`
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MiB`
}

if (import.meta.main) await runAlone(measure)
