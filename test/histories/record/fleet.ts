// The cloud of a partner, which takes the commands of all its devices with one poll, and reports for them.
import { type Handed, handedOf, type Report } from './commands.ts'
import { portOf } from './devices.ts'
import { ask, type Reply } from './http.ts'
import type { Random } from './random.ts'
import { type Recorder, type Told, toTold } from './recorder.ts'
import type { World } from './world.ts'

export interface Cloud {
  /** With the partner of this cloud. */
  world: World
  recorder: Recorder
  /** The ids of the devices of this history: the partner may have others, of earlier ones. */
  devices: string[]
}

export interface Taken {
  commands: FleetCommand[]
  after: string | null
}

type FleetCommand = Handed & { device_id: string }

export interface PollOptions {
  wait?: number
  limit?: number
  /** What this poll confirms. */
  before?: Taken | null
}

/** Recorded for each device: an empty response says of every one that it has no command. */
export async function pollFleet(
  { world, recorder, devices }: Cloud,
  random: Random,
  actor: string,
  { wait = 0, limit = 100, before = null }: PollOptions = {},
): Promise<Told<Taken>> {
  const after = before?.after ? { after: before.after } : {}
  const query = new URLSearchParams({ wait: String(wait), limit: String(limit), ...after })
  const replied = Promise.withResolvers<Reply | null>()
  const at = Date.now()
  const recorded = devices.map((id) => {
    const confirmed = before?.commands.find(({ device_id }) => device_id === id)
    const input = { way: 'fleet' as const, at, ...(confirmed ? { confirms: confirmed.id } : {}) }
    return recorder.call(actor, 'take', id, input, async () => toldAbout(id, await replied.promise))
  })
  const headers = { authorization: world.partner.api_key }
  const reply = await ask(portOf(world, random), { path: `/core/v1/partner/commands?${query}`, headers })
  replied.resolve(reply)
  await Promise.all(recorded)
  return toTold(reply, 200, ({ body }) => ({
    commands: (body.commands as FleetCommand[]).filter(({ device_id }) => devices.includes(device_id)),
    after: body.after,
  }))
}

function toldAbout(id: string, reply: Reply | null): Told<{ command: Handed | null }> {
  const commands: FleetCommand[] = reply?.status === 200 ? reply.body.commands : []
  const command = commands.find(({ device_id }) => device_id === id)
  // A response with commands says nothing about the other devices: it may be full, or another worker took theirs.
  if (!command && commands.length > 0) return { refused: 'others' }
  return toTold(reply, 200, () => ({ command: command ? handedOf(command) : null }))
}

export async function reportForDevice(
  { world, recorder }: Cloud,
  random: Random,
  actor: string,
  deviceId: string,
  { id, ...json }: Report,
): Promise<Told<object>> {
  return await recorder.call(actor, 'report', deviceId, { id, ...json, way: 'fleet', at: Date.now() }, async () => {
    const headers = { authorization: world.partner.api_key }
    const path = `/core/v1/partner/commands/${id}`
    return toTold(await ask(portOf(world, random), { method: 'POST', path, headers, json }), 200, () => ({}))
  })
}
