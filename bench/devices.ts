// The device benchmark: `npm run bench:devices [-- --quick]`. All sides in one run on one machine, each in a process of
// its own, in turns, so that other load on the machine affects all of them alike.
import { catchUpInTurns } from './devices/catch-up.ts'
import type { DriverOrder } from './devices/driver-alone.ts'
import {
  createFleet,
  type FleetDevice,
  massRequest,
  singleRequest,
  telemetries,
  writeHistory,
} from './devices/fleet.ts'
import {
  type Figure,
  inShortTurns,
  inTurns,
  type OpenLoad,
  openLoad,
  order,
  portOf,
  startBenchPostgres,
  startServer,
  startService,
  successful,
} from './environment.ts'
import { type Row, runAlone } from './table.ts'

const fleetSize = 5_000
const historyRows = 20_000_000
const connections = 512
/** Devices per mass call, and concurrent calls. */
const massSize = 100
const massCalls = 40

export async function measure(quick: boolean): Promise<Row[]> {
  const rounds = quick ? 2 : 5
  const seconds = quick ? 0.6 : 3
  const shortRounds = quick ? 4 : 40
  const secondsToWarmUp = quick ? 2 : 5
  const postgres = await startBenchPostgres()
  const url = await postgres.createDatabase()
  const [fleet, service, bare, straightforward] = await Promise.all([
    createFleet(url, fleetSize),
    startService(url),
    startServer('./devices/bare-server.ts'),
    startServer('./devices/straightforward-server.ts', url),
  ])
  const requests = fleet.map(singleRequest)
  const mass = openMassLoad(portOf(service.url), fleet)

  await setOnline(mass)
  const single = await inShortTurns(
    shortRounds,
    {
      'bare Fastify route': { port: bare.port, connections, requests },
      'single telemetry': { port: portOf(service.url), connections, requests },
      'an INSERT and an UPSERT per request': { port: straightforward.port, connections, requests },
    },
    secondsToWarmUp,
  )
  const many = await inTurns(rounds, {
    'mass telemetry': () => massTurn(mass, seconds),
    'driver alone': () => driverAlone(url, fleet, seconds),
  })
  const catchUp = await catchUpInTurns(portOf(service.url), fleet, rounds, seconds)
  const rows = [
    single.row('telemetry, single', 'single telemetry', 'bare Fastify route', 0.5),
    single.row('telemetry, single', 'single telemetry', 'an INSERT and an UPSERT per request', 3),
    many.row(`telemetry, mass calls of ${massSize}`, 'mass telemetry', 'driver alone', 0.7),
    catchUp.row('catch-up, mass calls of 1,000', '1,000 messages of one device', '1,000 devices', 0.5),
    catchUp.row('catch-up, mass calls of 1,000', '20 messages of each of 50 devices', '1,000 devices', 0.5),
  ]
  await mass.close()
  await bare.stop()
  await straightforward.stop()

  if (!quick) {
    const fullUrl = await postgres.createDatabase()
    const fullFleet = await createFleet(fullUrl, fleetSize)
    const fullService = await startService(fullUrl)
    console.log(`writing ${historyRows.toLocaleString('en')} rows of history …`)
    await writeHistory(fullUrl, fullFleet, historyRows)
    const fullMass = openMassLoad(portOf(fullService.url), fullFleet)
    await setOnline(fullMass)
    await fullMass.close()
    const history = await inShortTurns(shortRounds, {
      'without history': { port: portOf(service.url), connections, requests },
      'with history': { port: portOf(fullService.url), connections, requests: fullFleet.map(singleRequest) },
    })
    const what = `telemetry, single, with ${historyRows.toLocaleString('en')} rows of history`
    rows.push(history.row(what, 'with history', 'without history', 0.85))
    await fullService.stop()
  }
  await service.stop()
  await postgres.stop()
  return rows
}

function openMassLoad(port: number, fleet: FleetDevice[]): OpenLoad {
  const requests: string[] = []
  for (let start = 0; start < fleet.length; start += massSize) {
    requests.push(massRequest(fleet.slice(start, start + massSize)))
  }
  return openLoad({ port, connections: massCalls, requests })
}

/** The rate is of messages; the p99, of calls. */
async function massTurn(load: OpenLoad, seconds: number): Promise<Figure> {
  const { rate, p99 } = successful('mass telemetry', await load.run({ warmUpSeconds: 0.2, seconds }))
  return { rate: rate * massSize, p99 }
}

/** A device's first message sets it online, which costs more than the messages that are measured. */
async function setOnline(load: OpenLoad): Promise<void> {
  await massTurn(load, 1)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
}

async function driverAlone(url: string, fleet: FleetDevice[], seconds: number): Promise<Figure> {
  const work: DriverOrder = {
    url,
    numbers: fleet.map(({ number }) => number),
    deviceIds: fleet.map(({ id }) => id),
    telemetries: fleet.map(() => JSON.stringify(telemetries())),
    batch: massSize,
    seconds,
  }
  return await order<Figure>('./devices/driver-alone.ts', work)
}

if (import.meta.main) await runAlone(measure)
