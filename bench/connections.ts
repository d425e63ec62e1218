// `npm run bench:connections [-- --quick]`: what an MQTT connection that stays open costs in memory, beside aedes.
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFleet, type FleetDevice } from './devices/fleet.ts'
import { openWorker, portOf, startBenchPostgres, startServer, startService } from './environment.ts'
import { residentMemory, toMegabytes } from './memory.ts'
import type { MqttLoadOrder } from './mqtt/mqtt-load.ts'
import { type Row, runAlone } from './table.ts'

const [wanted, wantedQuickly] = [10_000, 2_000]
/** Two processes open them at once. */
const generators = 2
/** Files and connections that a process has open anyway. */
const otherFiles = 500

interface Side {
  port: number
  pid: number
}

interface Used {
  before: number
  after: number
  perConnection: number
}

export async function measure(quick: boolean): Promise<Row[]> {
  const postgres = await startBenchPostgres()
  const url = await postgres.createDatabase()
  const most = quick ? wantedQuickly : wanted
  const count = Math.min(most, openFilesLimit() - otherFiles)
  if (count < most) console.log(`  Only ${count} connections: more files may not be open at once (ulimit -Hn).`)
  const [fleet, service, aedes] = await Promise.all([
    createFleet(url, count),
    startService(url),
    startServer('./mqtt/aedes-server.ts'),
  ])
  // At the same time: the memory of one does not depend on what the other does.
  const [ours, theirs] = await Promise.all([
    memoryOf({ port: portOf(service.mqttUrl), pid: service.child.pid! }, fleet),
    memoryOf({ port: aedes.port, pid: aedes.pid! }, fleet),
  ])
  await service.stop()
  await aedes.stop()
  await postgres.stop()
  const kilobytes = ({ perConnection }: Used) => `${(perConnection / 1024).toFixed(1)} KB`
  return [
    {
      what: `memory with ${count.toLocaleString('en')} MQTT connections, per connection`,
      ours: `${kilobytes(ours)} (${toMegabytes(ours.before)} → ${toMegabytes(ours.after)})`,
      peer: `aedes: ${kilobytes(theirs)}`,
      ratio: ours.perConnection / theirs.perConnection,
      bar: null,
      better: 'lower',
      spread: '–',
    },
  ]
}

/** Node.js raises its own limit to the hard one. */
function openFilesLimit(): number {
  const limit = execFileSync('/bin/sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim()
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit)
}

async function memoryOf({ port, pid }: Side, fleet: FleetDevice[]): Promise<Used> {
  await sleep(1_500)
  const before = residentMemory(pid)
  const share = Math.ceil(fleet.length / generators)
  const loads = Array.from({ length: generators }, (_, n) => {
    const order: MqttLoadOrder = { port, devices: fleet.slice(n * share, (n + 1) * share), payloads: [], inFlight: 0 }
    return openWorker<{ opened: true }, { opened: number }>('./mqtt/mqtt-load.ts', order)
  })
  const opened = await Promise.all(loads.map((load) => load.run({ opened: true })))
  // What the handshakes have left is collected meanwhile.
  await sleep(2_500)
  const after = residentMemory(pid)
  for (const load of loads) await load.close()
  const connections = opened.reduce((sum, { opened }) => sum + opened, 0)
  return { before, after, perConnection: (after - before) / connections }
}

if (import.meta.main) await runAlone(measure)
