// `npm run bench:release [-- --quick]`: what a bearer read, a message and a publish cost since the release before. That
// release runs beside this tree, in turns, each on a database with its own tables.
import { join } from 'node:path'
import { newestRelease, root } from '../test/previous-release/release.ts'
import { checkOut } from '../test/previous-release/trees.ts'
import { temporaryFolder } from './clean-up.ts'
import { singleRequest, telemetries } from './devices/fleet.ts'
import {
  type BenchPostgres,
  inShortTurns,
  inTurns,
  openWorker,
  portOf,
  type RunningService,
  startBenchPostgres,
  startFlags,
  startService,
} from './environment.ts'
import type { MqttLoadOrder } from './mqtt/mqtt-load.ts'
import { requestsWith } from './organization.ts'
import { type Row, runAlone } from './table.ts'
import type { WindowLength, WindowReport } from './window.ts'

type Side = 'this tree' | 'the release'

interface Prepared {
  service: RunningService
  fleet: Fleet
  tokens: string[]
}

type Fleet = Awaited<ReturnType<typeof import('./devices/fleet.ts').createFleet>>

const bar = 0.95
const fleetSize = 2_000

export async function measure(quick: boolean): Promise<Row[]> {
  const release = newestRelease(root)
  if (!release) throw new Error('There is no release in the history of this clone.')
  const { folder, remove } = await temporaryFolder()
  const tree = await checkOut(release, join(folder, 'release'))
  const postgres = await startBenchPostgres()
  const sides: Record<Side, Prepared> = {
    'this tree': await prepare(postgres, root),
    'the release': await prepare(postgres, tree),
  }
  const ours = ['this tree', 'the release'] as const
  const title = (what: string) => `${what}, beside ${release.version}`
  const rows = [
    (await requests(sides, quick, ({ tokens }) => requestsWith(tokens))).row(
      title('users with a bearer token'),
      ...ours,
      bar,
    ),
    (await requests(sides, quick, ({ fleet }) => fleet.map(singleRequest))).row(
      title('telemetry, single'),
      ...ours,
      bar,
    ),
    (await publishes(sides, quick)).row(title('MQTT QoS 1'), ...ours, bar),
  ]
  for (const { service } of Object.values(sides)) await service.stop()
  await postgres.stop()
  await remove()
  return rows
}

/** By the code of the tree itself, which knows its tables. */
async function prepare(postgres: BenchPostgres, tree: string): Promise<Prepared> {
  const url = await postgres.createDatabase({ bare: true })
  const { createFleet }: typeof import('./devices/fleet.ts') = await import(join(tree, 'bench', './devices/fleet.ts'))
  const { createTenant }: typeof import('./organization/crowd.ts') = await import(
    join(tree, 'bench', './organization/crowd.ts')
  )
  const fleet = await createFleet(url, fleetSize)
  const { access_tokens } = await createTenant(url, { users: 20, applications: 300 })
  return { service: await startService(url, startFlags, {}, tree), fleet, tokens: access_tokens }
}

async function requests(sides: Record<Side, Prepared>, quick: boolean, of: (side: Prepared) => string[]) {
  const order = (side: Prepared) => ({ port: portOf(side.service.url), connections: 512, requests: of(side) })
  const orders = { 'this tree': order(sides['this tree']), 'the release': order(sides['the release']) }
  return await inShortTurns<Side>(quick ? 4 : 60, orders, quick ? 2 : 5)
}

async function publishes(sides: Record<Side, Prepared>, quick: boolean) {
  const payloads = Array.from({ length: 50 }, () => JSON.stringify({ status: 'online', telemetries: telemetries() }))
  const open = ({ service, fleet }: Prepared) => {
    const devices = fleet.map(({ id, access_key }) => ({ id, access_key }))
    const order: MqttLoadOrder = { port: portOf(service.mqttUrl), devices, payloads, inFlight: 1 }
    return openWorker<WindowLength, WindowReport>('./mqtt/mqtt-load.ts', order)
  }
  const [ours, theirs] = [open(sides['this tree']), open(sides['the release'])]
  const turn = { warmUpSeconds: 0.1, seconds: 0.5 }
  const turns = await inTurns<Side>(
    quick ? 4 : 40,
    { 'this tree': () => ours.run(turn), 'the release': () => theirs.run(turn) },
    quick ? 2 : 10,
  )
  await ours.close()
  await theirs.close()
  return turns
}

if (import.meta.main) await runAlone(measure)
