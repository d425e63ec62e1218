// The MQTT benchmark: `npm run bench:mqtt [-- --quick]`. QoS 1, committed before it is acknowledged, beside aedes and
// Mosquitto, which acknowledge without storing; all over TLS, in turns, with as many connections each.
import { createFleet, telemetries } from './devices/fleet.ts'
import {
  type Figure,
  inTurns,
  type OpenLoad,
  openWorker,
  portOf,
  startBenchPostgres,
  startServer,
  startService,
} from './environment.ts'
import { findMosquitto, startMosquitto } from './mqtt/mosquitto.ts'
import type { MqttLoadOrder } from './mqtt/mqtt-load.ts'
import { type Row, runAlone } from './table.ts'
import type { WindowLength, WindowReport } from './window.ts'

type MqttLoad = OpenLoad<WindowLength, WindowReport>

/** Like devices: each sends its next message when the last was acknowledged. */
const oneByOne = { connections: 2_000, inFlight: 1 }
/** In bursts aedes acknowledges four in one write. */
const inBursts = { connections: 500, inFlight: 4 }

export async function measure(quick: boolean): Promise<Row[]> {
  const rounds = quick ? 2 : 9
  const seconds = quick ? 0.4 : 2
  const postgres = await startBenchPostgres()
  const url = await postgres.createDatabase()
  const [fleet, service, aedes] = await Promise.all([
    createFleet(url, oneByOne.connections),
    startService(url),
    startServer('./mqtt/aedes-server.ts'),
  ])
  const program = findMosquitto()
  if (program === null) console.log('  Mosquitto is not installed: its rows are left out.')
  const mosquitto = program === null ? null : await startMosquitto(program)
  const own = { aedes: aedes.port, ours: portOf(service.mqttUrl) }
  const all: Record<string, number> = mosquitto ? { ...own, Mosquitto: mosquitto.port } : own
  const payloads = Array.from({ length: 50 }, () => JSON.stringify({ status: 'online', telemetries: telemetries() }))
  const devices = fleet.map(({ id, access_key }) => ({ id, access_key }))

  const compare = async (ports: Record<string, number>, { connections, inFlight }: typeof oneByOne) => {
    const loads: MqttLoad[] = []
    const sides: Record<string, () => Promise<Figure>> = {}
    for (const [side, port] of Object.entries(ports)) {
      const order: MqttLoadOrder = { port, devices: devices.slice(0, connections), payloads, inFlight }
      const load = openWorker<WindowLength, WindowReport>('./mqtt/mqtt-load.ts', order)
      loads.push(load)
      sides[side] = () => load.run({ warmUpSeconds: 0.3, seconds })
    }
    const turns = await inTurns(rounds, sides)
    for (const load of loads) await load.close()
    return turns
  }
  const single = await compare(all, oneByOne)
  const bursts = await compare(own, inBursts)
  const [what, whatInBursts] = [oneByOne, inBursts].map(
    ({ connections, inFlight }) => `MQTT QoS 1, ${connections.toLocaleString('en')} connections, ${inFlight} in flight`,
  ) as [string, string]
  const rows = [
    single.row(what, 'ours', 'aedes', 0.4),
    bursts.row(whatInBursts, 'ours', 'aedes', 0.6),
    ...(mosquitto ? [single.row(what, 'ours', 'Mosquitto', null)] : []),
  ]
  await mosquitto?.stop()
  await aedes.stop()
  await service.stop()
  await postgres.stop()
  return rows
}

if (import.meta.main) await runAlone(measure)
