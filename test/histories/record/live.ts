// A customer's live stream of one device, opened again with its last event id whenever it ends.
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { portOf } from './devices.ts'
import { host } from './http.ts'
import type { Random } from './random.ts'
import { now, type Recorder } from './recorder.ts'
import type { Customer, World } from './world.ts'

/** Until the returned function is called. */
export function watch(
  world: World,
  recorder: Recorder,
  random: Random,
  stream: string,
  deviceId: string,
  customer: Customer,
): () => void {
  let lastId: string | null = null
  let close = () => {}
  let isOver = false

  const open = () =>
    new Promise<void>((resolve) => {
      const headers = { host, authorization: customer.api_key, ...(lastId ? { 'last-event-id': lastId } : {}) }
      const path = `/core/v1/organization/devices/stream?device_id=${deviceId}`
      const call = request({ host: '127.0.0.1', port: portOf(world, random), path, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          const blocks = (text + chunk).split('\n\n')
          text = blocks.pop()!
          for (const block of response.statusCode === 200 ? blocks : []) take(block)
        })
        response.on('close', resolve).on('error', () => {})
      })
      // Longer than the beats are apart: a process that is stopped sends none.
      call.setTimeout(15_000, () => call.destroy())
      call.on('error', () => resolve()).on('close', () => resolve())
      call.end()
      close = () => call.destroy()
    })

  function take(block: string): void {
    const fields = Object.fromEntries(
      block.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
    )
    if (fields.id) lastId = fields.id
    if (!fields.event) return
    const data = { device_id: deviceId, ...JSON.parse(fields.data ?? '{}') }
    recorder.live({ at: now(), stream, event: fields.event, data })
  }

  void (async () => {
    while (!isOver) {
      await open()
      await sleep(200)
    }
  })()
  return () => {
    isOver = true
    close()
  }
}
