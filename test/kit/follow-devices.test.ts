// The kit's live stream of devices, on the real service.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DeviceEventReader } from '../../client/src/device-events.ts'
import {
  Application,
  type DeviceEvent,
  DeviceModel,
  memoryTokenStore,
  ReconnectRequired,
} from '../../client/src/index.ts'
import { newMac, newModel } from '../support/devices.ts'
import { startKitService, submitConsent } from '../support/kit-service.ts'
import { until } from '../support/until.ts'

const running = await startKitService()
const { service, url, application } = running
/** The addresses of the streams that were opened, with where they resume. */
const streams: (string | null)[] = []
/** Ends the stream that was opened last, as a proxy does that restarts. */
let cut = () => {}
const watching: typeof fetch = async (input, init) => {
  if (!String(input).includes('/devices/stream')) return await fetch(input, init)
  streams.push(new Headers(init!.headers).get('last-event-id'))
  const ended = new AbortController()
  cut = () => ended.abort()
  init!.signal!.addEventListener('abort', () => ended.abort())
  return await fetch(input, { ...init, signal: ended.signal })
}
const kit = new Application({
  ...{ url, clientId: application.client_id, clientSecret: application.client_secret },
  ...{ redirectUri: application.redirect_uri, store: memoryTokenStore(), fetch: watching },
  backoff: { attempts: 3, firstDelayMs: 10, longestDelayMs: 50 },
})

describe('followDevices', () => {
  it('tells what devices send, resumes after an interruption, and ends with a revocation', async (context) => {
    const { url: address, pending } = await kit.begin()
    const { organization } = await kit.finish(await submitConsent(running, address), pending)
    const { id: modelId, hardware_key: hardwareKey } = await newModel(service)
    const model = new DeviceModel({ entryUrl: url, modelId, hardwareKey })
    const identity = { mac: newMac(), sn: 'SN-1', firmware_version: '1.0.0' }
    const device = await model.register(identity)
    await organization.devices.claim({ mac: identity.mac, sn: identity.sn, model_id: modelId })

    const events: DeviceEvent[] = []
    const errors: unknown[] = []
    const end = new AbortController()
    context.after(() => end.abort())
    const options = { signal: end.signal, onError: (error: unknown) => errors.push(error) }
    const following = organization.followDevices((event) => events.push(event), options)
    let temperature = 20
    const nextState = () =>
      until(async () => {
        const before = events.length
        temperature += 1
        await model.send(device, { status: 'online', telemetries: { temperature } })
        return events.slice(before).some((event) => event.type === 'state' && event.device_id === device.id)
      })
    await nextState()
    cut()
    await nextState()
    assert.ok(errors.length > 0, 'the interruption is told')
    assert.equal(streams[0], null)
    assert.match(streams[1]!, /^\d+$/)

    const stop = new AbortController()
    const stopped = organization.followDevices(() => {}, { signal: stop.signal })
    stop.abort()
    await stopped
    const unknown = { deviceId: '00000000-0000-7000-8000-000000000000' }
    await assert.rejects(
      organization.followDevices(() => {}, unknown),
      { code: 'not_found' },
    )
    await organization.disconnect()
    await assert.rejects(following, ReconnectRequired)
  })

  it('reads events from text that is cut anywhere, and leaves out what it does not know', () => {
    const text =
      'retry: 1000\nid: 1\nevent: ready\ndata: {}\n\n: beat\n\nid: 2\nevent: removed\ndata: {"device_id":"ä"}\n\n' +
      'id: 3\nevent: later\ndata: {"device_id":"b"}\n\nid: 4\nevent: rem'
    for (const size of [1, 7, 1_000]) {
      const events: DeviceEvent[] = []
      const reader = new DeviceEventReader((event) => events.push(event))
      for (let at = 0; at < text.length; at += size) reader.read(text.slice(at, at + size))
      assert.deepEqual(events, [{ type: 'removed', device_id: 'ä' }])
      assert.equal(reader.lastEventId, '3')
    }
  })
})
