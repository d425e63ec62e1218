import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { createWebhook } from '../server/src/events/webhooks/endpoints.ts'
import { newModel, online, register, registration } from './support/devices.ts'
import { startHarness } from './support/harness.ts'
import { operatorKey } from './support/keys.ts'
import { WireDevice } from './support/mqtt.ts'
import { onDatabase, type Service, startService } from './support/service.ts'
import { until } from './support/until.ts'
import { actor, startReceiver } from './support/webhooks.ts'

const allow = { LANDBRIDGE_WEBHOOK_ALLOW: '127.0.0.1' }
const scene = await startHarness(allow)
const model = await newModel(scene)
const receiver = await startReceiver()
const events = ['device.registered', 'device.updated', 'device.status_changed']
const webhook = await createWebhook(scene.context, actor, model.partner_id, { url: receiver.url, events })

/** Writes a line for every package of OpenTelemetry that the process loads, however it is loaded. */
const reportLoads = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) {
  const name = /node_modules\\/(@opentelemetry\\/[^/]+)/.exec(url)
  if (name) console.error('loaded ' + name[1])
  return next(url, context)
} })`

async function start(env: Record<string, string>): Promise<Service> {
  const hook = `--import=data:text/javascript,${encodeURIComponent(reportLoads)}`
  const service = await startService({
    env: { ...onDatabase(scene.databaseUrl), ...allow, NODE_OPTIONS: hook, ...env },
  })
  return service
}

interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  kind: number
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

/** A collector that keeps what it was sent. */
async function startCollector() {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.url === '/v1/traces') bodies.push(Buffer.concat(chunks).toString())
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close().closeAllConnections())
  const spans = (): Span[] =>
    bodies
      .flatMap((body) => JSON.parse(body).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap(({ spans }) => spans)
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, bodies, spans }
}

function newTrace(flags = '01') {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` }
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const all = { 'content-type': 'application/json', ...headers }
  return await fetch(url, { method: 'POST', headers: all, body: JSON.stringify(body) })
}

type Device = Awaited<ReturnType<typeof register>>

async function send({ ready }: Service, device: Device, body: object, traceparent: string): Promise<number> {
  const url = `${ready.hub_url}/v1/devices/${device.id}/telemetry`
  return (await post(url, body, { authorization: device.access_key, traceparent })).status
}

/** The webhook that this device's event caused. */
function receivedOf(device: { id: string }, type = 'device.status_changed') {
  return receiver.got.find(({ body }) => body.includes(device.id) && body.includes(type))
}

const names = (spans: Span[]) => spans.map(({ name }) => name)

describe('decision 4.12: traces', () => {
  it('one trace covers a request, its commit, the queued event and the webhook, and has no secret and no value', async () => {
    const collector = await startCollector()
    const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' })
    assert.match(service.output(), /loaded @opentelemetry\/sdk-trace/)
    // Many at once share a statement; half of them have an id, which is another statement.
    const devices = await Promise.all(Array.from({ length: 16 }, () => register(scene, model)))
    const traces = devices.map(() => newTrace())
    const statuses = await Promise.all(
      devices.map((device, n) => {
        const more = n % 2 ? { message_id: `m${n}`, timestamp: new Date().toISOString() } : {}
        return send(service, device, online({ temperature_of_secret: 4242.125 }, more), traces[n]!.traceparent)
      }),
    )
    assert.deepEqual(new Set(statuses), new Set([200]))
    const spansOf = (traceId: string) => collector.spans().filter((span) => span.traceId === traceId)
    await until(() => traces.every(({ traceId }) => spansOf(traceId).length === 4), 'four spans per trace')
    for (const [n, { traceId, spanId }] of traces.entries()) {
      const spans = spansOf(traceId)
      const child = (parent: string) => spans.find(({ parentSpanId }) => parentSpanId === parent)!
      const request = child(spanId)
      const commit = child(request.spanId)
      const queued = child(commit.spanId)
      const delivery = child(queued.spanId)
      assert.deepEqual(names([request, commit, queued, delivery]), [
        'POST /v1/devices/:id/telemetry',
        'commit',
        'queue device.status_changed',
        'webhook device.status_changed',
      ])
      const { headers, body } = receivedOf(devices[n]!)!
      assert.equal(headers.traceparent, `00-${traceId}-${delivery.spanId}-01`)
      new Webhook(webhook.secret).verify(body, headers as Record<string, string>)
    }
    await otherWaysIn(service, spansOf)
    assert.equal(await service.stop(), 0)
    const everything = collector.bodies.join()
    const hidden = [...devices.flatMap(({ id, access_key }) => [id, access_key]), model.hardware_key, operatorKey]
    for (const text of [...hidden, webhook.secret, receiver.url, '4242.125', 'temperature_of_secret', 'SN-']) {
      assert.ok(!everything.includes(text), `${text} is in a span`)
    }
  })

  /** A registration, MQTT, a new firmware version, and callers whose header is not sampled or not valid. */
  async function otherWaysIn(service: Service, spansOf: (traceId: string) => Span[]): Promise<void> {
    const registering = newTrace()
    const { traceparent } = registering
    const response = await post(`${service.ready.entry_url}/v1/devices`, registration(model), { traceparent })
    const device = (await response.json()) as Device
    await until(() => receivedOf(device, 'device.registered'))
    assert.equal(receivedOf(device, 'device.registered')!.headers.traceparent!.slice(3, 35), registering.traceId)

    const publishing = newTrace()
    const wire = new WireDevice(Number(new URL(service.ready.mqtt_url).port), 5)
    await wire.connect(device)
    const userProperties = { traceparent: publishing.traceparent }
    wire.publish(device, online({ n: 1 }), { properties: { userProperties } })
    assert.equal(((await wire.next()) as { cmd: string }).cmd, 'puback')
    await until(() => spansOf(publishing.traceId).length === 4)
    assert.ok(names(spansOf(publishing.traceId)).includes('PUBLISH v1/devices/:id/telemetry'))
    wire.socket.destroy()

    const updating = newTrace()
    assert.equal(await send(service, device, online({}, { firmware_version: '2.0.0' }), updating.traceparent), 200)
    await until(() => receivedOf(device, 'device.updated'))
    assert.equal(receivedOf(device, 'device.updated')!.headers.traceparent!.slice(3, 35), updating.traceId)

    const [unsampled, invalid] = [newTrace('00'), newTrace()]
    const last = newTrace()
    assert.equal(await send(service, device, online({}), unsampled.traceparent), 200)
    assert.equal(await send(service, device, online({}), `${invalid.traceparent}-x`), 200)
    assert.equal(await send(service, device, online({}), last.traceparent), 200)
    await until(() => spansOf(last.traceId).length === 2)
    assert.deepEqual([...spansOf(unsampled.traceId), ...spansOf(invalid.traceId)], [])
  }

  it('without its variables nothing of the SDK is loaded, no header is sent and no row has a trace', async () => {
    const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })
    const device = await register(scene, model)
    assert.equal(await send(service, device, online({ n: 1 }), newTrace().traceparent), 200)
    await until(() => receivedOf(device))
    assert.equal(receivedOf(device)!.headers.traceparent, undefined)
    const [row] = await scene.sql`
      select count(traceparent)::int as count from webhook_deliveries where payload like ${`%${device.id}%`}`
    assert.equal(row!.count, 0)
    assert.equal(await service.stop(), 0)
    // The metrics library loads the API, a few small files without an SDK.
    assert.deepEqual(new Set(service.output().match(/(?<=loaded )@opentelemetry\/(?!api\b).+/g)), new Set())
  })

  it('a collector that cannot be reached slows and breaks nothing, and is one warning per minute', async () => {
    const env = { OTEL_EXPORTER_OTLP_TIMEOUT: '100', OTEL_BSP_SCHEDULE_DELAY: '20' }
    const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', ...env })
    const device = await register(scene, model)
    const began = performance.now()
    for (let n = 0; n < 40; n += 1) {
      assert.equal(await send(service, device, online({ n }), newTrace().traceparent), 200)
    }
    await until(() => receivedOf(device))
    await until(() => service.output().includes('traces not exported'))
    assert.ok(performance.now() - began < 10_000)
    const stopping = performance.now()
    assert.equal(await service.stop(), 0)
    assert.ok(performance.now() - stopping < 5_000)
    assert.equal(service.output().match(/"msg":"traces not exported"/g)?.length, 1, service.output())
  })
})
