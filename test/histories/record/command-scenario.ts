// Commands to one device: ordered, canceled, taken by polls and over MQTT, reported once, again and differently, by several
// at once; then all are followed to their end, or the device is removed and becomes somebody else's.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  cancel,
  check,
  type Handed,
  listOrders,
  order,
  report,
  reportsOn,
  type Scene,
  subscribe,
  take,
} from './commands.ts'
import { claim, look, newIdentity, register, remove, untilOk } from './devices.ts'
import { takeBySubscription } from './quiet-subscription.ts'
import type { Random } from './random.ts'
import type { Recorder, Told } from './recorder.ts'
import type { Customer, World } from './world.ts'

/** Longer than any command of these waits, and than faults last. */
const endMilliseconds = 90_000

export async function commandScenario(
  world: World,
  recorder: Recorder,
  random: Random,
  wait: (milliseconds: number) => Promise<void>,
): Promise<void> {
  const identity = newIdentity(random)
  world.receivers.set(identity.mac, (delivery) => recorder.deliver(delivery))
  const customer = random.pick(world.customers)
  const scene = await ownDevice(customer)
  const ids: string[] = []
  const handed: Handed[] = []

  await ordering('customer 0', random.fork(), 1)
  const actors = [
    ordering('customer 0', random.fork(), random.integer(1, 3)),
    ...(random.chance(0.4) ? [ordering('customer 1', random.fork(), random.integer(1, 3))] : []),
    ...(random.chance(0.75) ? [polling('device http', random.fork())] : []),
    ...(random.chance(0.5) ? [subscribing('device mqtt', random.fork())] : []),
  ]
  const removed = random.chance(0.25)
  if (removed) actors.push(removing())
  await Promise.all(actors)
  if (removed) await handOn()
  else await follow()

  async function ownDevice(owner: Customer): Promise<Scene> {
    const registered = await untilOk(() => register(world, recorder, random, 'device', identity))
    const device = { id: registered.id, access_key: recorder.secretOf(registered.access_key) }
    await untilOk(async () => {
      const told = await claim(world, recorder, random, 'customer', identity, owner)
      if (told && 'ok' in told) return told
      // Whether an earlier attempt has claimed it nobody knows, but its owner.
      return await look(world, recorder, random, 'customer', identity, device.id, owner)
    })
    return { world, recorder, device }
  }

  async function ordering(actor: string, own: Random, turns: number): Promise<void> {
    for (let turn = turns; turn > 0; turn -= 1) {
      const told = await order(scene, own, actor, customer)
      if (told && 'ok' in told) ids.push(told.ok.id)
      if (ids.length > 0 && own.chance(0.3)) await check(scene, own, actor, customer, own.pick(ids))
      if (ids.length > 0 && own.chance(0.2)) await cancel(scene, own, actor, customer, own.pick(ids))
      await sleep(own.integer(0, 200))
    }
  }

  async function polling(actor: string, own: Random): Promise<void> {
    for (let turn = own.integer(3, 7); turn > 0; turn -= 1) {
      const told = await take(scene, own, actor, own.pick([0, 0, 1, 2]))
      const command = told && 'ok' in told ? told.ok.command : null
      if (command) {
        handed.push(command)
        for (const each of reportsOn(own, command, handed)) await report(scene, own, actor, each)
      }
      await sleep(own.integer(0, 150))
    }
  }

  async function subscribing(actor: string, own: Random): Promise<void> {
    for (let turn = own.integer(1, 2); turn > 0; turn -= 1) {
      await subscribe(scene, own, actor, own.integer(300, 3_000), (command) => {
        handed.push(command)
        return reportsOn(own, command, handed)
      })
    }
  }

  /** To the end: what waits is handed out and done, and every command is read until it has ended. */
  async function follow(): Promise<void> {
    if (random.chance(0.7)) await followBySubscription()
    for (let turn = 0; turn < 40; turn += 1) {
      const { command } = await untilOk(() => take(scene, random, 'last'))
      if (!command) break
      await report(scene, random, 'last', { id: command.id, status: 'done', message: 'last' })
    }
    const end = Date.now() + endMilliseconds
    for (const id of ids) {
      for (;;) {
        const { state } = await untilOk(() => check(scene, random, 'last', customer, id))
        if (!['queued', 'sent', 'in_progress'].includes(state) || Date.now() > end) break
        await wait(1_500)
      }
    }
    await untilOk(() => listOrders(scene, random, 'last', customer))
  }

  /** One after the other, and a further one: each comes with its SUBSCRIBE, until none waits. */
  async function followBySubscription(): Promise<void> {
    const told = await order(scene, random, 'last', customer, { name: 'blink', expires_after: 20 })
    if (told && 'ok' in told) ids.push(told.ok.id)
    for (let turn = 0; turn < 10; turn += 1) {
      const taken = await takeBySubscription(scene, random, 'last mqtt')
      const command = taken && 'ok' in taken ? taken.ok.command : null
      if (!command) break
      await report(scene, random, 'last', { id: command.id, status: 'done', message: 'last' })
    }
  }

  async function removing(): Promise<void> {
    const own = random.fork()
    await sleep(own.integer(0, 600))
    await remove(world, recorder, own, 'remover', identity, scene.device.id, own.chance(0.3) ? null : customer)
  }

  /** Whatever became of the removal: once it is certain, the next owner of the hardware sees and gets nothing. */
  async function handOn(): Promise<void> {
    for (let told: Told<object> = null; !told || ('refused' in told && told.refused !== 'not_found'); ) {
      told = await remove(world, recorder, random, 'last', identity, scene.device.id, null)
    }
    await take(scene, random, 'last')
    for (const id of ids.slice(0, 2)) await check(scene, random, 'last', customer, id)
    const next = random.pick(world.customers)
    const second = await ownDevice(next)
    await take(second, random, 'next')
    await listOrders(second, random, 'next', next)
  }
}
