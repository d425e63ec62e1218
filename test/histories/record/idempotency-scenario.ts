// One call that creates a model, sent by several at once with the same Idempotency-Key: two models may have one name.
import { setTimeout as sleep } from 'node:timers/promises'
import { portOf, untilOk } from './devices.ts'
import { ask } from './http.ts'
import type { Random } from './random.ts'
import { type Recorder, toTold } from './recorder.ts'
import type { World } from './world.ts'

export async function idempotencyScenario(world: World, recorder: Recorder, random: Random): Promise<void> {
  const { api_key } = world.partner
  const name = `Model ${random.hex(6)}`
  const headers = { authorization: api_key, 'idempotency-key': name }
  const json = { name, authentication_method: 'MAC & Serial Number' }
  const create = async (actor: string, own: Random) => {
    await recorder.call(actor, 'create', name, { name }, async () => {
      const call = { method: 'POST', path: '/core/v1/partner/models', headers, json } as const
      return toTold(await ask(portOf(world, own), call), 201, ({ body }) => ({ id: String(body.id) }))
    })
  }
  const actors = Array.from({ length: random.integer(2, 4) }, async (_, n) => {
    const own = random.fork()
    for (let turn = own.integer(1, 4); turn > 0; turn -= 1) {
      await create(`actor ${n}`, own)
      if (own.chance(0.5)) await sleep(own.integer(0, 60))
    }
  })
  await Promise.all(actors)
  const list = () =>
    recorder.call('last', 'list', name, { name }, async () => {
      const path = `/core/v1/partner/models?${new URLSearchParams({ search: name })}`
      const reply = await ask(portOf(world, random), { path, headers: { authorization: api_key } })
      return toTold(reply, 200, ({ body }) => ({ ids: body.items.map(({ id }: { id: string }) => id) }))
    })
  await untilOk(list)
}
