// Commands to the devices of a partner's cloud, several workers of which poll at once, confirm or forget to, and report;
// now and then a device asks itself, or is removed. Then all are followed to their end.
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
import { type Identity, newIdentity, registeredDevice, remove, untilOk } from './devices.ts'
import { type Cloud, pollFleet, reportForDevice, type Taken } from './fleet.ts'
import type { Random } from './random.ts'
import type { Recorder, Told } from './recorder.ts'
import { type Customer, takeFleet, type World } from './world.ts'

interface Device {
  identity: Identity
  customer: Customer
  scene: Scene
  /** Its commands. */
  ids: string[]
  handed: Handed[]
}

type Wait = (milliseconds: number) => Promise<void>

export interface FleetOptions {
  wait: Wait
  /** It also waits for the minute after which what was not confirmed comes again. */
  isLong: boolean
}

export async function fleetScenario(shared: World, recorder: Recorder, random: Random, options: FleetOptions) {
  const fleet = await takeFleet(shared, random)
  try {
    await recordFleet({ ...shared, ...fleet }, recorder, random, options)
  } finally {
    shared.idleFleets.push(fleet)
  }
}

async function recordFleet(world: World, recorder: Recorder, random: Random, { wait, isLong }: FleetOptions) {
  const devices: Device[] = []
  for (let count = isLong ? 2 : random.integer(1, 3); count > 0; count -= 1) devices.push(await newDevice())
  const cloud: Cloud = { world, recorder, devices: devices.map(({ scene }) => scene.device.id) }
  const deviceOf = (id: string) => devices.find(({ scene }) => scene.device.id === id)!

  if (isLong) await confirmOne()
  await Promise.all(devices.map((device) => ordering(device, random.fork(), 1)))
  const actors = devices.map((device) => ordering(device, random.fork(), random.integer(1, 3)))
  for (let worker = random.integer(1, 3); worker > 0; worker -= 1)
    actors.push(working(`cloud ${worker}`, random.fork()))
  const [first] = devices as [Device]
  if (random.chance(0.25)) actors.push(polling(first, random.fork()))
  if (random.chance(0.25)) actors.push(subscribing(first, random.fork()))
  const removed = random.chance(0.25) ? random.pick(devices) : null
  if (removed) actors.push(removing(removed, random.fork()))
  await Promise.all(actors)
  const left = devices.filter((device) => device !== removed)
  await follow(left)
  for (const { scene, customer } of left) await untilOk(() => listOrders(scene, random, 'last', customer))

  async function newDevice(): Promise<Device> {
    const identity = newIdentity(random)
    const customer = random.pick(world.customers)
    const device = await registeredDevice(world, recorder, random, customer, identity)
    return { identity, customer, scene: { world, recorder, device }, ids: [], handed: [] }
  }

  async function ordering({ scene, customer, ids }: Device, own: Random, turns: number): Promise<void> {
    const actor = 'customer'
    for (let turn = turns; turn > 0; turn -= 1) {
      const told = await order(scene, own, actor, customer)
      if (told && 'ok' in told) ids.push(told.ok.id)
      if (ids.length > 0 && own.chance(0.4)) await check(scene, own, actor, customer, own.pick(ids))
      if (ids.length > 0 && own.chance(0.2)) await cancel(scene, own, actor, customer, own.pick(ids))
      await sleep(own.integer(0, 200))
    }
  }

  /** One of several at once: what it got it confirms with its next poll, mostly. */
  async function working(actor: string, own: Random): Promise<void> {
    let before: Taken | null = null
    for (let turn = own.integer(3, 7); turn > 0; turn -= 1) {
      const [delay, limit] = [own.pick([0, 0, 1, 2]), own.pick([1, 2, 100])]
      const told: Told<Taken> = await pollFleet(cloud, own, actor, { wait: delay, limit, before })
      before = told && 'ok' in told && own.chance(0.8) ? told.ok : null
      const commands = told && 'ok' in told ? told.ok.commands : []
      for (const command of commands) {
        const { handed } = deviceOf(command.device_id)
        handed.push(command)
        for (const each of reportsOn(own, command, handed)) {
          await reportForDevice(cloud, own, actor, command.device_id, each)
        }
      }
      await sleep(own.integer(0, 150))
    }
  }

  async function polling({ scene, handed }: Device, own: Random): Promise<void> {
    for (let turn = own.integer(1, 3); turn > 0; turn -= 1) {
      const told = await take(scene, own, 'device http', own.pick([0, 1]))
      const command = told && 'ok' in told ? told.ok.command : null
      if (command) for (const each of reportsOn(own, command, handed)) await report(scene, own, 'device http', each)
      await sleep(own.integer(0, 400))
    }
  }

  async function subscribing({ scene, handed }: Device, own: Random): Promise<void> {
    await subscribe(scene, own, 'device mqtt', own.integer(300, 2_000), (command) => reportsOn(own, command, handed))
  }

  async function removing({ identity, customer, scene }: Device, own: Random): Promise<void> {
    await sleep(own.integer(0, 600))
    await remove(world, recorder, own, 'remover', identity, scene.device.id, own.chance(0.3) ? null : customer)
  }

  /** Of two commands the first is confirmed, with the poll that takes the second; a minute later the second comes again. */
  async function confirmOne(): Promise<void> {
    for (const { scene, customer, ids } of devices) {
      const told = await order(scene, random, 'customer', customer, { name: 'calibrate', expires_after: 150 })
      if (told && 'ok' in told) ids.push(told.ok.id)
    }
    const confirmed = await untilOk(() => pollFleet(cloud, random, 'cloud', { limit: 1 }))
    await untilOk(() => pollFleet(cloud, random, 'cloud', { limit: 1, before: confirmed }))
    await wait(61_000)
    await untilOk(() => pollFleet(cloud, random, 'cloud'))
    for (const { scene, customer, ids } of devices) {
      for (const id of ids) {
        await untilOk(() => check(scene, random, 'customer', customer, id))
        await reportForDevice(cloud, random, 'cloud', scene.device.id, { id, status: 'done', message: 'last' })
      }
    }
  }

  /** To the end: what waits is handed out and done, and every command is read until it has ended. */
  async function follow(followed: Device[]): Promise<void> {
    const open = followed.flatMap(({ ids, ...device }) => ids.map((id) => ({ id, ...device })))
    // Longer than any command of these waits, and than faults last.
    const end = Date.now() + (isLong ? 200_000 : 90_000)
    for (let before: Taken | null = null; open.length > 0 && Date.now() < end; ) {
      before = await untilOk(() => pollFleet(cloud, random, 'last', { before }))
      for (const { id, device_id } of before.commands) {
        await reportForDevice(cloud, random, 'last', device_id, { id, status: 'done', message: 'last' })
      }
      for (const each of [...open]) {
        const { state } = await untilOk(() => check(each.scene, random, 'last', each.customer, each.id))
        if (!['queued', 'sent', 'in_progress'].includes(state)) open.splice(open.indexOf(each), 1)
      }
      if (open.length > 0) await wait(1_500)
    }
  }
}
