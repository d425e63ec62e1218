// A device that subscribes for its next command, and stays until it is certain that none comes.
import { setTimeout as sleep } from 'node:timers/promises'
import type { WireDevice } from '../../support/mqtt.ts'
import { type Handed, handedOf, type Scene } from './commands.ts'
import { connectDevice } from './devices.ts'
import type { Random } from './random.ts'
import { now, type Told } from './recorder.ts'
import type { World } from './world.ts'

/** Longer than the service takes to try again what failed, three times over. */
const quietMilliseconds = 6_000
/** Where faults follow each other, nobody knows. */
const maxMilliseconds = 15_000

type Taken = Told<{ command: Handed | null }>

/** Null where nobody knows: it could not connect, the line was lost, or faults did not leave it in peace for long enough. */
export async function takeBySubscription(
  { world, recorder, device }: Scene,
  random: Random,
  actor: string,
): Promise<Taken> {
  const { moves } = world.trouble
  const wire = await connectDevice(world, random, device)
  if (!wire) return null
  const topic = `v1/devices/${device.id}/command`
  const taken = await recorder.call(actor, 'take', device.id, { way: 'mqtt', at: Date.now() }, async () => {
    wire.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] })
    const suback = await wire.next()
    if (suback === 'closed' || suback.cmd !== 'suback' || Number(suback.granted[0]) >= 0x80) return null
    return await firstOf(wire, world.trouble, moves)
  })
  wire.socket.destroy()
  return taken
}

/** What comes, or nothing once a PINGRESP has come after the quiet: then the line has lost nothing before it. */
async function firstOf(wire: WireDevice, trouble: World['trouble'], moves: number): Promise<Taken> {
  const subscribed = now()
  while (now() < subscribed + maxMilliseconds) {
    const isQuiet = trouble.underWay === 0 && now() >= Math.max(subscribed, trouble.ended) + quietMilliseconds
    wire.send({ cmd: 'pingreq' })
    const packet = await wire.next()
    if (packet === 'closed') return null
    if (packet.cmd === 'publish') {
      wire.send({ cmd: 'puback', messageId: packet.messageId! })
      return { ok: { command: handedOf(JSON.parse(String(packet.payload))) } }
    }
    // One that was moved stays connected where no redirect is asked for, and its commands are elsewhere.
    if (packet.cmd !== 'pingresp' || trouble.moves !== moves) return null
    if (isQuiet) return { ok: { command: null } }
    await sleep(200)
  }
  return null
}
