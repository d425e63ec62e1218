// One MAC and serial number: registered, claimed, removed, registered again and claimed by another, by several at once.
import { setTimeout as sleep } from 'node:timers/promises'
import { askHub, claim, type Identity, look, newIdentity, register, remove } from './devices.ts'
import { watch } from './live.ts'
import type { Random } from './random.ts'
import { type Recorder, toTold } from './recorder.ts'
import type { World } from './world.ts'

const acts = { register: 3, contact: 2, claim: 4, remove: 2, look: 4 }

export async function deviceScenario(world: World, recorder: Recorder, random: Random): Promise<void> {
  const identity = newIdentity(random)
  world.receivers.set(identity.mac, (delivery) => recorder.deliver(delivery))
  const customers = [random.pick(world.customers), random.pick(world.customers)]
  const keys: { id: string; access_key: string }[] = []
  const isOurs = (id: string) => keys.some((key) => key.id === id)
  await Promise.all([...new Set(customers)].map((each) => watch(world, recorder, random.fork(), each, isOurs)))

  await act('first', 'register', random.fork())
  const actors = Array.from({ length: random.integer(2, 4) }, async (_, n) => {
    const own = random.fork()
    for (let turn = own.integer(3, 6); turn > 0; turn -= 1) {
      await act(`actor ${n}`, own.weighted(acts), own)
      if (own.chance(0.3)) await sleep(own.integer(0, 40))
    }
  })
  await Promise.all(actors)
  const last = keys.at(-1)
  if (!last) return
  for (const customer of customers) await look(world, recorder, random, 'last', identity, last.id, customer)
  if (random.chance(0.5)) return
  await claim(world, recorder, random, 'last', identity, customers[0]!)
  await remove(world, recorder, random, 'last', identity, last.id, null)

  async function act(actor: string, what: keyof typeof acts, own: Random): Promise<void> {
    const customer = own.pick(customers)
    const known = keys.length > 0 ? (own.chance(0.7) ? keys.at(-1)! : own.pick(keys)) : null
    if (what === 'register') {
      const told = await register(world, recorder, own, actor, identity)
      if (told && 'ok' in told) keys.push(told.ok)
    } else if (what === 'claim') await claim(world, recorder, own, actor, identity, customer)
    else if (!known) return
    else if (what === 'look') await look(world, recorder, own, actor, identity, known.id, customer)
    else if (what === 'contact') await contact(world, recorder, own, actor, identity, known)
    else await remove(world, recorder, own, actor, identity, known.id, own.chance(0.3) ? null : customer)
  }
}

async function contact(
  world: World,
  recorder: Recorder,
  random: Random,
  actor: string,
  { mac }: Identity,
  { id, access_key }: { id: string; access_key: string },
): Promise<void> {
  await recorder.call(actor, 'contact', mac, { id, access_key }, async () => {
    const headers = { authorization: recorder.secretOf(access_key) }
    const json = { status: 'online', telemetries: { at: random.integer(0, 99) } }
    const path = `/v1/devices/${id}/telemetry`
    return toTold(await askHub(world, random, { method: 'POST', path, headers, json }), 200, () => ({}))
  })
}
