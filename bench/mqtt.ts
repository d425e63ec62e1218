// The MQTT benchmark: `npm run bench:mqtt [-- --quick]`. QoS 1, committed before it is acknowledged, beside aedes
// acknowledging without storing; both over TLS, in turns, load in a process of its own. Exits 1 when the bar is missed.
import { makeFleet, telemetries } from './devices/fleet.ts'
import { inTurns, judge, layGround, order, startServer, startService } from './ground.ts'
import type { MqttLoadOrder, MqttLoadReport } from './mqtt/load.ts'

const quick = process.argv.includes('--quick')
const rounds = quick ? 3 : 7
const seconds = 3
const connections = 500
const inFlight = 4

const ground = await layGround()
let holds = false
try {
  const url = await ground.createDatabase()
  const fleet = await makeFleet(url, connections)
  const service = await startService(url)
  const aedes = await startServer('./mqtt/aedes-server.ts')
  const payloads = Array.from({ length: 50 }, () => JSON.stringify({ status: 'online', telemetries: telemetries() }))
  const devices = fleet.map(({ id, access_key }) => ({ id, access_key }))

  const load = async (name: string, port: number): Promise<number> => {
    const work: MqttLoadOrder = { port, devices, payloads, inFlight, warmUpSeconds: 2, seconds }
    const { rate } = await order<MqttLoadReport>('./mqtt/load.ts', work)
    console.log(`  ${name}: ${Math.round(rate).toLocaleString('en')}/s`)
    return rate
  }
  const ratio = await inTurns(rounds, {
    aedes: () => load('aedes, acknowledged without storing', aedes.port),
    ours: () => load('MQTT QoS 1, committed', Number(new URL(service.mqttUrl).port)),
  })
  holds = judge('MQTT QoS 1 committed : aedes without storing', ratio('ours', 'aedes'), 0.4)
  await aedes.stop()
  await service.stop()
} finally {
  await ground.stop()
}
process.exit(holds ? 0 : 1)
