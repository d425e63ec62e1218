// What every history shares: processes, a partner with a model and a webhook, and customers. All of it is created over HTTP.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { operatorKey } from '../../../bench/environment.ts'
import type { Delivery } from '../checker/history.ts'
import { type Ask, ask, host, origin, type Reply } from './http.ts'
import { ownPostgres, type Postgres, packagedPostgres, replicatedPostgres } from './postgres.ts'
import { type Process, startProcess, upOf } from './processes.ts'
import type { Random } from './random.ts'
import { now } from './recorder.ts'

export interface Customer {
  id: string
  api_key: string
  /** Of its administrator and of a member, signed in to the portal. */
  sessions: Record<'administrator' | 'member', Record<string, string>>
}

/** A partner with an API key, a model that declares commands, and a webhook. */
export interface Fleet {
  partner: { id: string; api_key: string }
  model: { id: string; hardware_key: string }
}

export interface World extends Fleet {
  postgres: Postgres
  processes: Process[]
  customers: Customer[]
  /** Partners whose cloud no history polls at present: a poll gets the commands of all devices of its partner. */
  idleFleets: Fleet[]
  /** The address of the receiver of webhooks. */
  receiver: string
  /** Who records the events about a device's MAC or an application. */
  receivers: Map<string, (delivery: Delivery) => void>
  /** The receiver of webhooks fails now and then. */
  failDelivery: () => boolean
  /** A device followed to another hub cell. */
  onRedirect: () => void
  /** Faults of processes, Postgres and cells: how many are under way, when the last one ended, and how often devices were moved. */
  trouble: { underWay: number; ended: number; moves: number }
}

const password = 'correct horse battery'
/** Of a customer's API key. */
const permissions = { devices: 'command', spaces: 'manage', people: 'manage', audit: 'read' }
/** The commands of the model: seconds without progress after which nobody knows what became of one. */
export const timeouts = { blink: 5, update: 8, calibrate: 100 }

export interface WorldOptions {
  processes: number
  customers: number
  /** Hub cells, among which the processes are divided; without, there are none. */
  cells?: number | undefined
  /** Debian's Postgres with a standby, or the process's own, instead of the packaged one. */
  postgres?: 'packaged' | 'standby' | 'own' | undefined
}

const servers = { packaged: packagedPostgres, standby: replicatedPostgres, own: ownPostgres }

export async function createWorld(options: WorldOptions): Promise<World> {
  const postgres = await servers[options.postgres ?? 'packaged']()
  const cellOf = (n: number) => (options.cells ? `cell-${n % options.cells}` : null)
  const first = await startProcess(postgres, cellOf(0))
  const others = Array.from({ length: options.processes - 1 }, (_, n) => startProcess(postgres, cellOf(n + 1)))
  const processes = [first, ...(await Promise.all(others))]
  const { port } = first.http
  const operator = operatorAt(port)
  if (options.cells) await rebalance(port)
  const receiver = await startReceiver(() => world)
  const world: World = {
    ...(await newPartner(port, 'Histories', host, receiver)),
    ...{ postgres, processes, customers: [], idleFleets: [], receiver, receivers: new Map() },
    ...{ failDelivery: () => false, onRedirect: () => {}, trouble: { underWay: 0, ended: 0, moves: 0 } },
  }
  const { partner } = world
  for (let n = 1; n <= options.customers; n += 1) {
    const { id } = await operator('/customers', { partner_id: partner.id, name: `Customer ${n}` })
    const people = { administrator: person(`Ada ${n}`), member: person(`Max ${n}`) }
    for (const role of ['administrator', 'member'] as const) {
      await operator(`/customers/${id}/users`, { ...people[role], role })
    }
    const sessions = {
      administrator: await signIn(port, people.administrator.email),
      member: await signIn(port, people.member.email),
    }
    const headers = { ...sessions.administrator, 'landbridge-customer': id }
    const api_key = await created(port, {
      ...{ method: 'POST', path: '/core/v1/organization/api-keys', headers, json: { name: 'Recorder', permissions } },
    })
    world.customers.push({ id, api_key: api_key.key, sessions })
  }
  return world
}

const operatorAt = (port: number) => (path: string, json: object) =>
  created(port, { method: 'POST', path: `/core/v1/operator${path}`, headers: { authorization: operatorKey }, json })

const person = (name: string) => ({
  name,
  email: `${name.toLowerCase().replaceAll(' ', '-')}@histories.example`,
  password,
})

async function newPartner(port: number, name: string, portal_domain: string | null, receiver: string): Promise<Fleet> {
  const admin = person(`Pat of ${name}`)
  const { id } = await operatorAt(port)('/partners', { name, portal_domain, admin })
  const headers = await signIn(port, admin.email)
  const post = (path: string, json: object) =>
    created(port, { method: 'POST', path: `/core/v1/partner${path}`, headers, json })
  const { key: api_key } = await post('/api-keys', { name: 'Recorder' })
  const model = await post('/models', { name: 'Sensor', authentication_method: 'MAC & Serial Number' })
  const commands = Object.entries(timeouts).map(([name, timeout]) => ({ name, timeout }))
  const path = `/core/v1/partner/models/${model.id}/commands`
  const declared = await ask(port, { method: 'PUT', path, headers, json: { commands } })
  if (declared?.status !== 200) throw new Error(`commands: ${declared?.status} ${JSON.stringify(declared?.body)}`)
  await post('/webhooks', { url: receiver, events: eventTypes })
  return { partner: { id, api_key }, model: { id: model.id, hardware_key: model.hardware_key } }
}

/** One that no other history polls, which the caller puts back. */
export async function takeFleet(world: World, random: Random): Promise<Fleet> {
  const idle = world.idleFleets.pop()
  if (idle) return idle
  return await untilThere(async () => {
    const { port } = random.pick(upOf(world.processes)).http
    return await newPartner(port, `Fleet ${random.hex(8)}`, null, world.receiver)
  })
}

/** Every cell then has as many devices, and sends away those of the others. */
async function rebalance(port: number): Promise<void> {
  const path = '/core/v1/operator/hub-cells/rebalance'
  const headers = { authorization: operatorKey }
  const reply = await ask(port, { method: 'POST', path, headers, json: { redirect_over_seconds: 0 } })
  if (reply?.status !== 200) throw new Error(`${path}: ${reply?.status} ${JSON.stringify(reply?.body)}`)
}

/** Before a history begins: repeated until it is there. */
async function untilThere<Thing>(create: () => Promise<Thing>): Promise<Thing> {
  for (let attempt = 1; ; attempt += 1) {
    const thing = await create().catch((error) => (attempt === 100 ? Promise.reject(error) : null))
    if (thing !== null) return thing
    await sleep(300)
  }
}

const eventTypes = [
  ...['device.registered', 'device.updated', 'device.claimed', 'device.removed', 'device.status_changed'],
  ...['grant.revoked', 'grant.connected', 'approval.given', 'approval.withdrawn', 'application.disabled'],
]

export async function newApplication({ partner, processes }: World, random: Random, redirectUri: string) {
  const call: Ask = {
    method: 'POST',
    path: `/core/v1/operator/partners/${partner.id}/applications`,
    headers: { authorization: operatorKey },
    json: { name: `Application ${random.hex(8)}`, redirect_uris: [redirectUri], id_token_alg: 'ES256' },
  }
  const { client_id, client_secret } = await untilThere(() => created(random.pick(upOf(processes)).http.port, call))
  return { client_id: String(client_id), client_secret: String(client_secret) }
}

async function created(port: number, call: Ask): Promise<Reply['body']> {
  const reply = await ask(port, call)
  if (reply?.status !== 201) throw new Error(`${call.path}: ${reply?.status} ${JSON.stringify(reply?.body)}`)
  return reply.body
}

async function signIn(port: number, email: string): Promise<Record<string, string>> {
  const form = { email, password, return_to: '/' }
  const reply = await ask(port, { method: 'POST', path: '/sign-in', headers: { origin }, form })
  const cookies = [reply?.headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';')[0])
  if (reply?.status !== 303 || cookies.length === 0) throw new Error(`${email} cannot sign in: ${reply?.status}`)
  return { cookie: cookies.join('; '), origin }
}

/** The partner's cloud. */
async function startReceiver(of: () => World): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { type, timestamp, data } = JSON.parse(Buffer.concat(chunks).toString())
      const delivery = { at: now(), id: String(request.headers['webhook-id']), type, timestamp, data }
      const world = of()
      world.receivers.get(data.mac ?? data.client_id)?.(delivery)
      response.writeHead(world.failDelivery() ? 500 : 200).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}
