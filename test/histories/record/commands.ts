// Calls about commands, as a customer's application, a device or its partner's cloud makes them.
import { setTimeout as sleep } from 'node:timers/promises'
import { askHub, type Credentials, connectDevice, portOf } from './devices.ts'
import { ask } from './http.ts'
import type { Random } from './random.ts'
import { now, type Recorder, type Told, toTold } from './recorder.ts'
import { type Customer, timeouts, type World } from './world.ts'

export type Handed = { id: string; attempt: number; expires_at: string }

export interface Scene {
  world: World
  recorder: Recorder
  device: Credentials
}

export async function order(
  { world, recorder, device }: Scene,
  random: Random,
  actor: string,
  customer: Customer,
  command: { name: keyof typeof timeouts; expires_after: number } = {
    name: random.pick(['blink', 'update']),
    expires_after: random.pick([10, 12, 20]),
  },
) {
  const { name } = command
  const by = random.chance(0.25) ? ('bulk' as const) : ('one' as const)
  const input = { name, by, customer: customer.id, timeout: timeouts[name], at: Date.now() }
  return await recorder.call(actor, 'order', device.id, input, async (): Promise<Told<Ordered>> => {
    const headers = { authorization: customer.api_key }
    const path = `/core/v1/organization/devices/${by === 'one' ? `${device.id}/commands` : 'commands'}`
    const json = by === 'one' ? command : { ...command, device_ids: [device.id] }
    const reply = await ask(portOf(world, random), { method: 'POST', path, headers, json })
    if (by === 'one' || reply?.status !== 202) return toTold(reply, 202, ({ body }) => orderedOf(body))
    const [result] = reply.body.results
    if (result.status !== 202) return { refused: String(result.code) }
    // At the latest: when exactly it expires, a read of it says.
    const expires_at = new Date(Date.now() + command.expires_after * 1_000).toISOString()
    return { ok: { id: result.id, expires_at } }
  })
}

type Ordered = { id: string; expires_at: string }
const orderedOf = ({ id, expires_at }: Ordered): Ordered => ({ id, expires_at })

export async function cancel(
  { world, recorder, device }: Scene,
  random: Random,
  actor: string,
  customer: Customer,
  id: string,
) {
  return await recorder.call(actor, 'cancel', device.id, { id, at: Date.now() }, async () => {
    const headers = { authorization: customer.api_key }
    const path = `/core/v1/organization/devices/${device.id}/commands/${id}`
    return toTold(await ask(portOf(world, random), { method: 'DELETE', path, headers }), 200, () => ({}))
  })
}

export async function check(
  { world, recorder, device }: Scene,
  random: Random,
  actor: string,
  customer: Customer,
  id: string,
) {
  return await recorder.call(actor, 'check', device.id, { id, customer: customer.id, at: Date.now() }, async () => {
    const headers = { authorization: customer.api_key }
    const wait = random.chance(0.3) ? `?wait=${random.integer(1, 2)}` : ''
    const path = `/core/v1/organization/devices/${device.id}/commands/${id}${wait}`
    return toTold(await ask(portOf(world, random), { path, headers }), 200, ({ body }) => {
      const { state, attempts, sent_at, delivered_at, expires_at, message } = body
      return { state, attempts, sent_at, delivered_at, expires_at, message }
    })
  })
}

export async function listOrders(
  { world, recorder, device }: Scene,
  random: Random,
  actor: string,
  customer: Customer,
) {
  return await recorder.call(actor, 'orders', device.id, { customer: customer.id }, async () => {
    const headers = { authorization: customer.api_key }
    const path = `/core/v1/organization/devices/${device.id}/commands`
    const reply = await ask(portOf(world, random), { path, headers })
    return toTold(reply, 200, ({ body }) => ({ ids: body.items.map(({ id }: { id: string }) => id) }))
  })
}

/** By the device's own poll. */
export async function take({ world, recorder, device }: Scene, random: Random, actor: string, wait = 0) {
  return await recorder.call(actor, 'take', device.id, { way: 'http', at: Date.now() }, async () => {
    const headers = { authorization: device.access_key }
    const path = `/v1/devices/${device.id}/command?wait=${wait}`
    const reply = await askHub(world, random, { path, headers })
    if (reply?.status === 204) return { ok: { command: null } }
    return toTold(reply, 200, ({ body }) => ({ command: handedOf(body) }))
  })
}

export const handedOf = ({ id, attempt, expires_at }: Handed): Handed => ({ id, attempt, expires_at })

export interface Report {
  id: string
  status: 'in_progress' | 'done' | 'failed' | 'rejected'
  message: string
}

export async function report({ world, recorder, device }: Scene, random: Random, actor: string, json: Report) {
  return await recorder.call(actor, 'report', device.id, { ...json, way: 'http', at: Date.now() }, async () => {
    const headers = { authorization: device.access_key }
    const path = `/v1/devices/${device.id}/command`
    return toTold(await askHub(world, random, { method: 'POST', path, headers, json }), 200, () => ({}))
  })
}

/** Mqtt.md: the reasons with which a report is refused. */
const refusals: Record<number, string> = { 131: 'command_finished', 135: 'not_found' }

/** Subscribes for a while; `onCommand` says what to report, over the same connection. */
export async function subscribe(
  { world, recorder, device }: Scene,
  random: Random,
  actor: string,
  milliseconds: number,
  onCommand: (command: Handed) => Report[],
): Promise<void> {
  const wire = await connectDevice(world, random, device)
  if (!wire) return
  const topic = `v1/devices/${device.id}/command`
  const [invoked, at] = [now(), Date.now()]
  wire.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] })
  const timer = setTimeout(() => wire.socket.destroy(), milliseconds)
  const replies = new Map<number, (reason: number | null) => void>()
  let messageId = 1
  for (let packet = await wire.next(); packet !== 'closed'; packet = await wire.next()) {
    if (packet.cmd === 'puback') replies.get(packet.messageId!)?.(packet.reasonCode ?? 0)
    if (packet.cmd !== 'publish') continue
    const command = handedOf(JSON.parse(String(packet.payload)))
    void recorder.call(actor, 'take', device.id, { way: 'mqtt', at }, async () => ({ ok: { command } }), invoked)
    if (random.chance(0.8)) wire.send({ cmd: 'puback', messageId: packet.messageId! })
    for (const { id, ...body } of onCommand(command)) {
      messageId += 1
      const replied = Promise.withResolvers<number | null>()
      replies.set(messageId, replied.resolve)
      const input = { id, ...body, way: 'mqtt' as const, at: Date.now() }
      void recorder.call(actor, 'report', device.id, input, async (): Promise<Told<object>> => {
        const reason = await replied.promise
        // Mqtt.md: 3.1.1 has no reason, and acknowledges what can never be accepted too.
        if (reason === null || wire.version === 4) return null
        return reason < 0x80 ? { ok: {} } : { refused: refusals[reason] ?? `puback ${reason}` }
      })
      const payload = JSON.stringify({ id, ...body })
      wire.send({ cmd: 'publish', topic, payload, qos: 1, messageId, dup: false, retain: false })
    }
  }
  clearTimeout(timer)
  for (const reply of replies.values()) reply(null)
  wire.socket.destroy()
  await sleep(0)
}

/** A device that forgets, that is slow, that says it twice, and that changes its mind; `handed` is what it got so far. */
export function reportsOn(random: Random, { id, attempt }: Handed, handed: Handed[]): Report[] {
  const final = (status: Report['status'], say = 'it'): Report => ({ id, status, message: `${say} ${attempt}` })
  const status = random.weighted({ done: 6, failed: 2, rejected: 1 })
  const progress: Report = { id, status: 'in_progress', message: 'half' }
  const kind = random.weighted({ ends: 5, forgets: 2, begins: 2, repeats: 2, changes: 2, others: 1 })
  if (kind === 'forgets') return []
  if (kind === 'begins') return random.chance(0.5) ? [progress] : [progress, final(status)]
  if (kind === 'repeats') return [final(status), final(status)]
  if (kind === 'changes') return [final(status), final('failed', 'no'), progress]
  const other = handed.length > 0 ? random.pick(handed).id : id
  return kind === 'others' ? [final(status), { id: other, status: 'done', message: 'late' }] : [final(status)]
}
