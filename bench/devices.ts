// The device benchmark: `npm run bench:devices [-- --quick]`. All sides in one run on one machine, each in a process of
// its own, in turns, so that other load on the machine affects all of them alike. Exits 1 when a bar is missed.
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
  inShortTurns,
  inTurns,
  judge,
  openLoad,
  order,
  startBenchPostgres,
  startServer,
  startService,
} from './environment.ts'

const quick = process.argv.includes('--quick')
const rounds = quick ? 3 : 5
const shortRounds = quick ? 20 : 40
const seconds = 3
const fleetSize = 5_000
const historyRows = 20_000_000
const connections = 512
/** Devices per mass call, and concurrent calls. */
const massSize = 100
const massCalls = 40

const postgres = await startBenchPostgres()
const results: boolean[] = []
try {
  const emptyUrl = await postgres.createDatabase()
  const emptyFleet = await createFleet(emptyUrl, fleetSize)
  const service = await startService(emptyUrl)
  const bare = await startServer('./devices/bare-server.ts')
  const straightforward = await startServer('./devices/straightforward-server.ts', emptyUrl)
  const single = emptyFleet.map(singleRequest)

  await setOnline(portOf(service.url), emptyFleet)
  const ratio = await inShortTurns(shortRounds, {
    'bare Fastify route': { port: bare.port, connections, requests: single },
    'single telemetry': { port: portOf(service.url), connections, requests: single },
    'an INSERT and an UPSERT per request': { port: straightforward.port, connections, requests: single },
  })
  const massRatio = await inTurns(rounds, {
    'mass telemetry': () => massLoad(portOf(service.url), emptyFleet),
    'driver alone': () => driverAlone(emptyUrl, emptyFleet),
  })
  const overStraightforward = ratio('single telemetry', 'an INSERT and an UPSERT per request')
  results.push(
    judge('single telemetry : bare Fastify route', ratio('single telemetry', 'bare Fastify route'), { atLeast: 0.5 }),
    judge('single telemetry : an INSERT and an UPSERT', overStraightforward, { atLeast: 3 }),
    judge('mass telemetry : the driver alone', massRatio('mass telemetry', 'driver alone'), { atLeast: 0.7 }),
  )
  const catchUp = await catchUpInTurns(portOf(service.url), emptyFleet, rounds, seconds)
  const ofOne = catchUp('1,000 messages of one device', '1,000 devices')
  const ofFifty = catchUp('20 messages of each of 50 devices', '1,000 devices')
  results.push(
    judge('mass calls with 1,000 messages of one device : of 1,000 devices', ofOne, { atLeast: 0.5 }),
    judge('mass calls with 20 messages of each of 50 devices : of 1,000 devices', ofFifty, { atLeast: 0.5 }),
  )
  await bare.stop()
  await straightforward.stop()

  if (!quick) {
    const fullUrl = await postgres.createDatabase()
    const fullFleet = await createFleet(fullUrl, fleetSize)
    const fullService = await startService(fullUrl)
    console.log(`writing ${historyRows.toLocaleString('en')} rows of history …`)
    await writeHistory(fullUrl, fullFleet, historyRows)
    await setOnline(portOf(fullService.url), fullFleet)
    const withHistory = await inShortTurns(shortRounds, {
      'without history': { port: portOf(service.url), connections, requests: single },
      'with history': { port: portOf(fullService.url), connections, requests: fullFleet.map(singleRequest) },
    })
    const withOverWithout = withHistory('with history', 'without history')
    results.push(judge('with 20,000,000 rows of history : with none', withOverWithout, { atLeast: 0.85 }))
    await fullService.stop()
  }
  await service.stop()
} finally {
  await postgres.stop()
}
process.exit(results.every(Boolean) ? 0 : 1)

async function massLoad(port: number, fleet: FleetDevice[]): Promise<number> {
  const requests: string[] = []
  for (let start = 0; start < fleet.length; start += massSize) {
    requests.push(massRequest(fleet.slice(start, start + massSize)))
  }
  const load = openLoad({ port, connections: massCalls, requests })
  const { rate, others, p50, p99 } = await load.run({ warmUpSeconds: 1, seconds })
  await load.close()
  if (others > 0) throw new Error(`${others} mass calls were refused`)
  const perSecond = Math.round(rate * massSize).toLocaleString('en')
  console.log(`  mass telemetry, messages: ${perSecond}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
  return rate * massSize
}

/** A device's first message sets it online, which costs more than the messages that are measured. */
async function setOnline(port: number, fleet: FleetDevice[]): Promise<void> {
  await massLoad(port, fleet)
  await new Promise((resolve) => setTimeout(resolve, 3_000))
}

async function driverAlone(url: string, fleet: FleetDevice[]): Promise<number> {
  const work: DriverOrder = {
    url,
    numbers: fleet.map(({ number }) => number),
    deviceIds: fleet.map(({ id }) => id),
    telemetries: fleet.map(() => JSON.stringify(telemetries())),
    batch: massSize,
    seconds,
  }
  const { rate } = await order<{ rate: number }>('./devices/driver-alone.ts', work)
  console.log(`  the driver alone, messages: ${Math.round(rate).toLocaleString('en')}/s`)
  return rate
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}
