// A live stream, opened again with its last event id whenever it ends.
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { portOf } from './devices.ts'
import { host } from './http.ts'
import type { Random } from './random.ts'
import { now, type Recorder, type Told, toTold } from './recorder.ts'
import type { Customer, World } from './world.ts'

/**
 * Of one device, or of all of a customer's, of which only those that the history knows are recorded. Resolves when it was
 * opened once, or when that takes long.
 */
export async function watch(
  world: World,
  recorder: Recorder,
  random: Random,
  customer: Customer,
  devices: string | ((id: string) => boolean),
): Promise<void> {
  const deviceId = typeof devices === 'string' ? devices : null
  const isOurs = typeof devices === 'string' ? (id: string) => id === devices : devices
  const stream = new Stream(world, random, customer.api_key, deviceId)
  const opened = Promise.withResolvers<void>()
  stream.onEvent = (event, data) => {
    if (event === 'ready') opened.resolve()
    const device_id = data.device_id ?? deviceId ?? ''
    if (event !== 'ready' && !isOurs(device_id)) return
    recorder.live({ at: now(), stream: customer.id, event, data: { ...data, device_id } })
  }
  recorder.onSettled(() => stream.close())
  void (async () => {
    while (!stream.isOver) {
      const { ended } = stream.open()
      await ended
      await sleep(200)
    }
  })()
  await Promise.race([opened.promise, sleep(2_000)])
}

/** With an access token: whether it opens is a use of the token, and it is recorded when it ends. */
export function watchWithToken(
  world: World,
  recorder: Recorder,
  random: Random,
  token: string,
  recordUse: (use: () => Promise<Told<object>>) => Promise<Told<object>>,
  pauseMilliseconds = 200,
): void {
  const stream = new Stream(world, random, `Bearer ${recorder.secretOf(token)}`, null)
  recorder.onSettled(() => stream.close())
  void (async () => {
    while (!stream.isOver) {
      const { told, ended } = stream.open()
      const outcome = await recordUse(() => told)
      if (outcome && 'refused' in outcome && outcome.refused !== 'too_many') return
      const isOpen = outcome !== null && 'ok' in outcome
      const ending = isOpen ? recorder.openStream(token) : () => {}
      await ended
      // One that is open until nobody watches any more has not ended.
      if (!stream.isOver) ending()
      await sleep(pauseMilliseconds)
    }
  })()
}

type EventData = { device_id?: string; status?: string; state?: Record<string, { value: unknown; at: string }> }

class Stream {
  isOver = false
  onEvent: (event: string, data: EventData) => void = () => {}
  #lastId: string | null = null
  #abort = () => {}
  readonly #world: World
  readonly #random: Random
  readonly #authorization: string
  readonly #deviceId: string | null

  constructor(world: World, random: Random, authorization: string, deviceId: string | null) {
    this.#world = world
    this.#random = random
    this.#authorization = authorization
    this.#deviceId = deviceId
  }

  /** What its caller was told, and when nothing more comes. */
  open(): { told: Promise<Told<object>>; ended: Promise<void> } {
    const told = Promise.withResolvers<Told<object>>()
    const ended = Promise.withResolvers<void>()
    const over = () => {
      told.resolve(null)
      ended.resolve()
    }
    const resumed = this.#lastId ? { 'last-event-id': this.#lastId } : {}
    const headers = { host, authorization: this.#authorization, ...resumed }
    const path = `/core/v1/organization/devices/stream${this.#deviceId ? `?device_id=${this.#deviceId}` : ''}`
    const port = portOf(this.#world, this.#random)
    const call = request({ host: '127.0.0.1', port, path, headers }, (response) => {
      const { statusCode: status = 0, headers } = response
      told.resolve(toTold({ status, headers, body: null }, 200, () => ({})))
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const blocks = (text + chunk).split('\n\n')
        text = blocks.pop()!
        for (const block of status === 200 ? blocks : []) this.#take(block)
      })
      response.on('close', over).on('error', () => {})
    })
    // Longer than the beats are apart: a process that is stopped sends none.
    call.setTimeout(15_000, () => call.destroy())
    call.on('error', over).on('close', over)
    call.end()
    this.#abort = () => call.destroy()
    return { told: told.promise, ended: ended.promise }
  }

  close(): void {
    this.isOver = true
    this.#abort()
  }

  #take(block: string): void {
    const fields = Object.fromEntries(
      block.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
    )
    if (fields.id) this.#lastId = fields.id
    if (fields.event) this.onEvent(fields.event, JSON.parse(fields.data ?? '{}'))
  }
}
