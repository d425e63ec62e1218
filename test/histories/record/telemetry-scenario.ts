// Devices that send by every protocol, late, out of order, repeated, with and without ids, and remove data points, while
// others read.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Message } from '../checker/history.ts'
import {
  type Credentials,
  publish,
  type Reader,
  readPages,
  readState,
  registeredDevice,
  send,
  untilOk,
} from './devices.ts'
import { watch } from './live.ts'
import type { Random } from './random.ts'
import type { Recorder } from './recorder.ts'
import type { World } from './world.ts'

export async function telemetryScenario(world: World, recorder: Recorder, random: Random): Promise<void> {
  const customer = random.chance(0.5) ? random.pick(world.customers) : null
  const device = await registeredDevice(world, recorder, random.fork(), customer)
  const readers: Reader[] = [{ api: 'partner', key: world.partner.api_key }]
  if (customer) readers.push({ api: 'organization', key: customer.api_key })
  const messages = new Messages(random.fork())
  if (customer && random.chance(0.6)) void watch(world, recorder, random.fork(), customer, device.id)

  const actors = [
    ...Array.from({ length: random.integer(1, 3) }, (_, n) => sending(`http ${n}`, 'http')),
    ...(random.chance(0.6) ? [sending('mass', 'mass')] : []),
    ...(random.chance(0.4) ? [publishing('mqtt')] : []),
    ...readers.map(({ api }, n) => reading(`${api} ${n}`, readers[n]!)),
  ]
  await Promise.all(actors)
  await readAll(world, recorder, random, device, readers[0]!)

  async function sending(actor: string, by: 'http' | 'mass'): Promise<void> {
    const own = random.fork()
    for (let turn = own.integer(2, 6); turn > 0; turn -= 1) {
      const batch = by === 'http' ? [messages.next()] : Array.from({ length: own.integer(1, 5) }, () => messages.next())
      await send(world, recorder, own, actor, device, batch, by)
      if (own.chance(0.3)) await sleep(own.integer(0, 30))
    }
  }

  async function publishing(actor: string): Promise<void> {
    const own = random.fork()
    for (let turn = own.integer(1, 3); turn > 0; turn -= 1) {
      const batch = Array.from({ length: own.integer(1, 4) }, () => messages.next())
      await publish(world, recorder, own, actor, device, batch)
    }
  }

  async function reading(actor: string, reader: Reader): Promise<void> {
    const own = random.fork()
    for (let turn = own.integer(2, 5); turn > 0; turn -= 1) {
      if (own.chance(0.6)) await readState(world, recorder, own, actor, device.id, reader)
      else {
        const order = own.pick(['oldest_first', 'newest_first'] as const)
        await readPages(world, recorder, own, actor, device.id, reader, order, own.pick([1, 2, 3, 7, 100]))
      }
      await sleep(own.integer(0, 30))
    }
  }
}

/** What is there in the end: the messages in both directions, and the state between them. */
async function readAll(world: World, recorder: Recorder, random: Random, { id }: Credentials, reader: Reader) {
  const pages = (order: 'oldest_first' | 'newest_first', limit: number) =>
    untilOk(() => readPages(world, recorder, random, 'last', id, reader, order, limit))
  await pages('oldest_first', random.pick([2, 3, 5, 100]))
  await untilOk(() => readState(world, recorder, random, 'last', id, reader))
  await pages('newest_first', random.pick([2, 3, 5, 100]))
}

const minute = 60_000

/** Messages of one device; now and then one that was sent already. */
class Messages {
  readonly #random: Random
  readonly #sent: Message[] = []

  constructor(random: Random) {
    this.#random = random
  }

  next(): Message {
    const random = this.#random
    if (this.#sent.length > 0 && random.chance(0.25)) return random.pick(this.#sent)
    const mark = `m${this.#sent.length + 1}`
    const names = ['a', 'b', 'c', 'd'].filter(() => random.chance(0.4))
    const values = names.map((name) => [name, random.pick([this.#sent.length, `${mark}!`, random.chance(0.5), null])])
    const message: Message = {
      mark,
      status: random.weighted({ online: 8, error: 1, offline: 1 }),
      telemetries: { mark, ...Object.fromEntries(values) },
      ...(random.chance(0.12) ? { override: true } : {}),
      ...this.#time(mark),
    }
    this.#sent.push(message)
    return message
  }

  #time(mark: string): Pick<Message, 'timestamp' | 'message_id'> {
    const random = this.#random
    if (random.chance(0.3)) return {}
    const earlier = this.#sent.findLast(({ timestamp }) => timestamp !== undefined)?.timestamp
    const offset = random.weighted({ now: 4, late: 3, ahead: 1, same: 2 })
    const shifts = { now: 0, late: -random.integer(0, 50 * minute), ahead: random.integer(0, 5 * minute), same: 0 }
    const timestamp = offset === 'same' && earlier ? earlier : new Date(Date.now() + shifts[offset]).toISOString()
    return random.chance(0.6) ? { timestamp, message_id: mark } : { timestamp }
  }
}
