// The MQTT benchmark: `npm run bench:mqtt [-- --quick]`. QoS 1, committed before it is acknowledged, beside aedes
// acknowledging without storing; both over TLS, in turns, load in its own process. Exits 1 when the bar is missed.
import { createFleet, telemetries } from './devices/fleet.ts'
import { inTurns, judge, order, startBenchPostgres, startServer, startService } from './environment.ts'
import type { MqttLoadOrder, MqttLoadReport } from './mqtt/load.ts'

const quick = process.argv.includes('--quick')
const rounds = quick ? 3 : 5
const seconds = 3
/** Like devices: each sends its next message when the last was acknowledged. */
const oneByOne = { connections: 2_000, inFlight: 1 }
/** In bursts aedes acknowledges four in one write; here each waits for its own commit, to stay in order. */
const inBursts = { connections: 500, inFlight: 4 }

const postgres = await startBenchPostgres()
let reached = false
try {
  const url = await postgres.createDatabase()
  const fleet = await createFleet(url, oneByOne.connections)
  const service = await startService(url)
  const aedes = await startServer('./mqtt/aedes-server.ts')
  const payloads = Array.from({ length: 50 }, () => JSON.stringify({ status: 'online', telemetries: telemetries() }))
  const devices = fleet.map(({ id, access_key }) => ({ id, access_key }))

  const compare = async ({ connections, inFlight }: typeof oneByOne): Promise<number> => {
    const load = async (name: string, port: number): Promise<number> => {
      const some = devices.slice(0, connections)
      const work: MqttLoadOrder = { port, devices: some, payloads, inFlight, warmUpSeconds: 2, seconds }
      const { rate } = await order<MqttLoadReport>('./mqtt/load.ts', work)
      console.log(`  ${name}, ${connections} × ${inFlight} in flight: ${Math.round(rate).toLocaleString('en')}/s`)
      return rate
    }
    const ratio = await inTurns(rounds, {
      aedes: () => load('aedes, acknowledged without storing', aedes.port),
      ours: () => load('MQTT QoS 1, committed', Number(new URL(service.mqttUrl).port)),
    })
    return ratio('ours', 'aedes')
  }
  reached = judge('MQTT QoS 1 committed : aedes without storing', await compare(oneByOne), { atLeast: 0.4 })
  console.log(`  the same in bursts: ${(await compare(inBursts)).toFixed(2)}×`)
  await aedes.stop()
  await service.stop()
} finally {
  await postgres.stop()
}
process.exit(reached ? 0 : 1)
