// Calls about devices, as a device, a partner's cloud or a customer's application makes them.
import { setTimeout as sleep } from 'node:timers/promises'
import { WireDevice } from '../../support/mqtt.ts'
import type { Message, StoredMessage } from '../checker/history.ts'
import { type Ask, ask, type Reply } from './http.ts'
import { ofCell, upOf } from './processes.ts'
import type { Random } from './random.ts'
import { type Recorder, type Told, toTold } from './recorder.ts'
import type { Customer, World } from './world.ts'

export interface Identity {
  mac: string
  sn: string
}

export interface Credentials {
  id: string
  access_key: string
}

export function newIdentity(random: Random): Identity {
  const mac = random.hex(6).match(/../g)!.join(':')
  return { mac, sn: `SN-${mac}` }
}

/** On any process that serves. */
export const portOf = ({ processes }: World, random: Random) => random.pick(upOf(processes)).http.port

/** More often than a device can be moved while it follows. */
const maxMoves = 5

/** As a device does: it follows to the hub cell that serves it. */
export async function askHub(world: World, random: Random, call: Ask): Promise<Reply | null> {
  let reply = await ask(portOf(world, random), call)
  for (let moves = 0; moves < maxMoves && movedTo(reply) !== null; moves += 1) {
    world.onRedirect()
    reply = await ask(random.pick(ofCell(world.processes, movedTo(reply)!)).http.port, call)
  }
  return reply
}

/** The address of another hub, if all messages of a call belong there. */
function movedTo(reply: Reply | null): string | null {
  const results: { status: number; hub_url: string }[] = reply?.body?.results ?? []
  if (results.length > 0 && results.every(({ status }) => status === 421)) return results[0]!.hub_url
  return reply?.status === 421 ? String(reply.body.hub_url) : null
}

/** Null: it could not connect. */
export async function connectDevice(world: World, random: Random, device: Credentials): Promise<WireDevice | null> {
  const version = random.pick([4, 5] as const)
  let processes = upOf(world.processes)
  for (let moves = 0; moves < maxMoves; moves += 1) {
    const wire = new WireDevice(random.pick(processes).mqtt.port, version)
    const connack = await wire.connect(device)
    const isReply = connack !== 'closed' && connack.cmd === 'connack'
    if (isReply && (connack.returnCode ?? connack.reasonCode ?? 0) === 0) return wire
    wire.socket.destroy()
    const reference = isReply ? connack.properties?.serverReference : undefined
    if (!reference) return null
    world.onRedirect()
    processes = ofCell(world.processes, reference)
  }
  return null
}

export async function register(world: World, recorder: Recorder, random: Random, actor: string, identity: Identity) {
  const { id: device_model, hardware_key } = world.model
  const json = { device_model, hardware_key, ...identity, firmware_version: '1.4.2' }
  return await recorder.call(actor, 'register', identity.mac, {}, async () => {
    const reply = await ask(portOf(world, random), { method: 'POST', path: '/v1/devices', json })
    return toTold(reply, 201, ({ body }) => ({ id: String(body.id), access_key: recorder.label(body.access_key, 'k') }))
  })
}

/** What a history begins with: a device, and its owner where it has one. Every attempt is recorded. */
export async function registeredDevice(
  world: World,
  recorder: Recorder,
  random: Random,
  customer: Customer | null,
  identity = newIdentity(random),
): Promise<Credentials> {
  world.receivers.set(identity.mac, (delivery) => recorder.deliver(delivery))
  const registered = await untilOk(() => register(world, recorder, random, 'device', identity))
  if (customer) {
    const seen = () => look(world, recorder, random, 'customer', identity, registered.id, customer)
    for (let owned = false; !owned; ) {
      const told = await claim(world, recorder, random, 'customer', identity, customer)
      owned = (told !== null && 'ok' in told) || 'ok' in ((await seen()) ?? {})
      if (!owned) await sleep(200)
    }
  }
  return { id: registered.id, access_key: recorder.secretOf(registered.access_key) }
}

/** Until a success is known; what the attempts before it did is recorded too. */
export async function untilOk<Output>(work: () => Promise<Told<Output>>): Promise<Output> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const told = await work()
    if (told && 'ok' in told) return told.ok
    await sleep(100 + 20 * attempt)
  }
  throw new Error('no success in 200 attempts')
}

export async function claim(
  world: World,
  recorder: Recorder,
  random: Random,
  actor: string,
  identity: Identity,
  customer: Customer,
) {
  return await recorder.call(actor, 'claim', identity.mac, { customer: customer.id }, async () => {
    const json = { ...identity, model_id: world.model.id }
    const headers = { authorization: customer.api_key }
    const path = '/core/v1/organization/devices/claim'
    const reply = await ask(portOf(world, random), { method: 'POST', path, headers, json })
    return toTold(reply, 201, ({ body }) => ({ id: String(body.id) }))
  })
}

export async function look(
  world: World,
  recorder: Recorder,
  random: Random,
  actor: string,
  { mac }: Identity,
  id: string,
  customer: Customer,
) {
  return await recorder.call(actor, 'look', mac, { id, customer: customer.id }, async () => {
    const headers = { authorization: customer.api_key }
    const reply = await ask(portOf(world, random), { path: `/core/v1/organization/devices/${id}`, headers })
    return toTold(reply, 200, () => ({}))
  })
}

/** By the partner, where there is no customer. */
export async function remove(
  world: World,
  recorder: Recorder,
  random: Random,
  actor: string,
  { mac }: Identity,
  id: string,
  customer: Customer | null,
): Promise<Told<object>> {
  const by = customer?.id ?? 'partner'
  return await recorder.call(actor, 'remove', mac, { id, by }, async () => {
    const headers = { authorization: customer?.api_key ?? world.partner.api_key }
    const path = `/core/v1/${customer ? 'organization' : 'partner'}/devices/${id}`
    return toTold(await ask(portOf(world, random), { method: 'DELETE', path, headers }), 204, () => ({}))
  })
}

export type Way = 'http' | 'mass' | 'mqtt'

/** Each message of a call as a call of its own. */
export async function send(
  world: World,
  recorder: Recorder,
  random: Random,
  actor: string,
  device: Credentials,
  messages: Message[],
  by: 'http' | 'mass',
): Promise<Told<object>[]> {
  const post = async () => {
    if (by === 'mass') {
      const devices = messages.map((message) => ({ ...device, ...bodyOf(message) }))
      return await askHub(world, random, { method: 'POST', path: '/v1/devices/telemetry', json: { devices } })
    }
    const headers = { authorization: device.access_key }
    const json = bodyOf(messages[0]!)
    return await askHub(world, random, { method: 'POST', path: `/v1/devices/${device.id}/telemetry`, headers, json })
  }
  const replied = Promise.withResolvers<Awaited<ReturnType<typeof ask>>>()
  const told = messages.map((message, index) =>
    recorder.call(actor, 'send', device.id, { message, by, sent_at: Date.now() }, async () => {
      const reply = await replied.promise
      if (by === 'http' || reply?.status !== 200) return toTold(reply, 200, () => ({}))
      const result = reply.body.results[index]
      return toTold({ ...reply, status: result.status, body: result }, 200, () => ({}))
    }),
  )
  replied.resolve(await post())
  return await Promise.all(told)
}

function bodyOf({ mark: _, ...message }: Message): object {
  return message
}

/** Over one connection, each after the acknowledgement of the one before; the rest is not sent when it is lost. */
export async function publish(
  world: World,
  recorder: Recorder,
  random: Random,
  actor: string,
  device: Credentials,
  messages: Message[],
): Promise<void> {
  const wire = await connectDevice(world, random, device)
  if (!wire) return
  for (const message of messages) {
    if (wire.socket.destroyed) break
    const told = await recorder.call(
      actor,
      'send',
      device.id,
      { message, by: 'mqtt', sent_at: Date.now() },
      async () => {
        wire.publish(device, bodyOf(message))
        const packet = await wire.next(12)
        if (packet === 'closed' || packet.cmd !== 'puback') return null
        return (packet.reasonCode ?? 0) === 0 ? { ok: {} } : { refused: `puback ${packet.reasonCode}` }
      },
    )
    if (!told) break
  }
  if (random.chance(0.5)) wire.send({ cmd: 'disconnect' })
  wire.socket.destroy()
}

export type Reader = { api: 'partner' | 'organization'; key: string }

export async function readState(
  world: World,
  recorder: Recorder,
  random: Random,
  actor: string,
  id: string,
  { api, key }: Reader,
) {
  return await recorder.call(actor, 'state', id, { reader: api }, async () => {
    const path = `/core/v1/${api}/devices/${id}`
    const reply = await ask(portOf(world, random), { path, headers: { authorization: key } })
    return toTold(reply, 200, ({ body: { status, state } }) => ({ status, state }))
  })
}

/** Page by page, each from any process. Without one of them the walk says nothing. */
export async function readPages(
  world: World,
  recorder: Recorder,
  random: Random,
  actor: string,
  id: string,
  { api, key }: Reader,
  order: 'oldest_first' | 'newest_first',
  limit: number,
) {
  return await recorder.call(actor, 'pages', id, { order, limit }, async () => {
    const pages: StoredMessage[][] = []
    // Wider than any timestamp that is sent.
    const from = new Date(Date.now() - 86_400_000).toISOString()
    const to = new Date(Date.now() + 3_600_000).toISOString()
    for (let after: string | null = ''; after !== null; ) {
      const query: URLSearchParams = new URLSearchParams({
        order,
        limit: String(limit),
        from,
        to,
        ...(after ? { after } : {}),
      })
      const path = `/core/v1/${api}/devices/${id}/history?${query}`
      const reply = await ask(portOf(world, random), { path, headers: { authorization: key } })
      if (reply?.status !== 200) return toTold(reply, 200, () => ({ pages }))
      pages.push(reply.body.items)
      after = reply.body.next
    }
    return { ok: { pages } }
  })
}
