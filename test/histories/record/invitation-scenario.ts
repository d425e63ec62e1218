// One invitation: accepted by several at once, its link replaced, the invitation withdrawn.
import { setTimeout as sleep } from 'node:timers/promises'
import { portOf } from './devices.ts'
import { ask, origin } from './http.ts'
import type { Random } from './random.ts'
import { type Recorder, type Told, toTold } from './recorder.ts'
import type { World } from './world.ts'

export async function invitationScenario(world: World, recorder: Recorder, random: Random): Promise<void> {
  const customer = random.pick(world.customers)
  const headers = { ...customer.sessions.administrator, 'landbridge-customer': customer.id }
  const email = `${random.hex(6)}@histories.example`
  const links: string[] = []
  let id = ''

  const linkOf = (link: string) => {
    links.push(recorder.label(link, 'l'))
    return { link: links.at(-1)! }
  }
  const invite = () =>
    recorder.call('administrator', 'invite', email, {}, async () => {
      const json = { email, role: 'member' }
      const path = '/core/v1/organization/invitations'
      const reply = await ask(portOf(world, random), { method: 'POST', path, headers, json })
      return toTold(reply, 201, ({ body }) => {
        id = body.id
        return linkOf(body.link)
      })
    })
  const invited = await invite()
  // Without its id nothing can be done to it.
  if (!invited || !('ok' in invited)) return

  const acts = { accept: 6, relink: 2, uninvite: 1 }
  const actors = Array.from({ length: random.integer(2, 3) }, async (_, n) => {
    const own = random.fork()
    for (let turn = own.integer(1, 3); turn > 0; turn -= 1) {
      await act(`actor ${n}`, own.weighted(acts), own)
      if (own.chance(0.4)) await sleep(own.integer(0, 60))
    }
  })
  await Promise.all(actors)

  async function act(actor: string, what: keyof typeof acts, own: Random): Promise<void> {
    const path = `/core/v1/organization/invitations/${id}`
    if (what === 'relink') {
      await recorder.call(actor, 'relink', email, {}, async () => {
        const reply = await ask(portOf(world, own), { method: 'POST', path: `${path}/link`, headers })
        return toTold(reply, 201, ({ body }) => linkOf(body.link))
      })
    } else if (what === 'uninvite') {
      await recorder.call(actor, 'uninvite', email, {}, async () =>
        toTold(await ask(portOf(world, own), { method: 'DELETE', path, headers }), 204, () => ({})),
      )
    } else {
      const link = own.chance(0.8) ? links.at(-1)! : own.pick(links)
      await recorder.call(actor, 'accept', email, { link }, () => accept(recorder.secretOf(link), own))
    }
  }

  async function accept(link: string, own: Random): Promise<Told<object>> {
    const password = 'correct horse battery'
    const form = { name: 'Grace', new_password: password, repeated_password: password }
    const { pathname } = new URL(link)
    const reply = await ask(portOf(world, own), { method: 'POST', path: pathname, headers: { origin }, form })
    if (reply?.status === 303) return { ok: {} }
    return reply && reply.status < 500 ? { refused: `page ${reply.status}` } : null
  }
}
