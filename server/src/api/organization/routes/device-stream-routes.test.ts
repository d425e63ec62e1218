import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newMac, newModel, register, send } from '../../../../../test/support/devices.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { testMasterKey } from '../../../../../test/support/keys.ts'
import { createOrganization, credentialKinds } from '../../../../../test/support/organization.ts'
import { requireWithin, until } from '../../../../../test/support/until.ts'
import { buildApp } from '../../../build-app.ts'
import { createContext } from '../../../context.ts'
import { settleAllDeadlines } from '../../../devices/live/offline-deadlines.ts'
import { statusEventsJob } from '../../../devices/live/status-events.ts'
import { removeDevice } from '../../../devices/registry/devices.ts'
import { runJob } from '../../../platform/jobs.ts'

const service = await startHarness()
const base = await service.app.listen({ port: 0, host: '127.0.0.1' })
const { host } = new URL(base)
const model = await newModel(service)

/** Another process: its own context, app and notification connection, on the same database. */
const elsewhere = createContext({
  ...service.context,
  keys: { master: testMasterKey, operator: service.context.operatorKey },
})
const otherApp = await buildApp(elsewhere)
await otherApp.ready()
after(async () => {
  await otherApp.close()
  await elsewhere.telemetry.close()
  await elsewhere.notifications.close()
})
const otherProcess = { ...service, app: otherApp, context: elsewhere }

interface ServerSentEvent {
  id: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  data: any
}

/** What EventSource would see. */
class Stream {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly response: Response
  #text = ''

  static async open(headers: Record<string, string>, query = '', lastEventId?: string): Promise<Stream> {
    const more = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    return new Stream(
      await fetch(`${base}/core/v1/organization/devices/stream${query}`, { headers: { ...headers, ...more } }),
    )
  }

  constructor(response: Response) {
    this.response = response
    this.#reader = response.body!.getReader()
  }

  /** The next event, or null at the end. */
  async next(seconds = 30): Promise<ServerSentEvent | null> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end >= 0) {
        const fields = Object.fromEntries(
          this.#text
            .slice(0, end)
            .split('\n')
            .map((line) => line.split(/: (.*)/s)),
        )
        this.#text = this.#text.slice(end + 2)
        if (fields.event) return { id: fields.id, event: fields.event, data: JSON.parse(fields.data) }
        continue
      }
      const late = sleep(seconds * 1000, 'late' as const, { ref: false })
      const read = await Promise.race([this.#reader.read(), late])
      if (read === 'late') throw new Error('nothing came')
      if (read.done) return null
      this.#text += new TextDecoder().decode(read.value)
    }
  }

  async close(): Promise<void> {
    await this.#reader.cancel()
  }
}

async function claimedDevice(organization: Awaited<ReturnType<typeof createOrganization>>) {
  const mac = newMac()
  const credentials = await register(service, model, { mac, sn: mac })
  await organization.call('session', 'POST', '/devices/claim', { mac, sn: mac, model_id: model.id })
  return credentials
}

async function nextRemoved(stream: Stream): Promise<{ device_id: string }> {
  for (let event = await stream.next(); ; event = await stream.next())
    if (event!.event === 'removed') return event!.data
}

const message = (level: number) => ({ status: 'online', telemetries: { level } })

describe('organization API: live stream', () => {
  // fetch keeps its connections for a while; nobody else will use them.
  after(() => service.app.server.closeAllConnections())

  it('decision 8.6 a value is on the stream within a second, whichever process received it, with every credential', async () => {
    const organization = await createOrganization(service, host)
    const device = await claimedDevice(organization)
    for (const [index, credential] of credentialKinds.entries()) {
      const stream = await Stream.open(organization.headers[credential], `?customer_id=${organization.customer_id}`)
      assert.equal(stream.response.headers.get('content-type'), 'text/event-stream')
      assert.equal((await stream.next())!.event, 'ready')
      for (const [at, process] of [service, otherProcess].entries()) {
        await requireWithin(1_000, async (n) => {
          const level = index * 100 + at * 10 + n
          const began = performance.now()
          await send(process, device, message(level))
          for (let event = await stream.next(); ; event = await stream.next()) {
            if (event!.event === 'state' && event!.data.state.level.value === level) break
          }
          return performance.now() - began
        })
      }
      await stream.close()
    }
  })

  it("a stream has no event of another customer's devices, nor of devices it did not ask for", async () => {
    const [organization, other] = [await createOrganization(service, host), await createOrganization(service, host)]
    const [mine, mineToo, theirs] = [
      await claimedDevice(organization),
      await claimedDevice(organization),
      await claimedDevice(other),
    ]
    const one = await Stream.open(organization.headers.bearer, `?device_id=${mine.id}`)
    const all = await Stream.open(organization.headers.bearer)
    // Watched too, since the events of a customer without a stream are not published at all.
    const others = await Stream.open(other.headers.bearer)
    for (const stream of [one, all, others]) assert.equal((await stream.next())!.event, 'ready')
    for (const device of [theirs, mineToo, mine]) await send(service, device, message(1))
    for (let seen = 0; seen < 2; seen += 1) assert.equal((await one.next())!.data.device_id, mine.id)
    // Events come in the order of the messages: until the last one, none may be of the other customer's device.
    for (let device_id = ''; device_id !== mine.id; ) {
      device_id = (await all.next())!.data.device_id
      assert.ok([mine.id, mineToo.id].includes(device_id), 'an event of another customer')
    }
    assert.equal((await others.next())!.data.device_id, theirs.id)
    for (const stream of [one, all, others]) await stream.close()
  })

  it('a device that goes offline is a status event', async () => {
    const organization = await createOrganization(service, host)
    const device = await claimedDevice(organization)
    await send(service, device, message(1))
    await runJob(service.sql, statusEventsJob(service.context))
    const stream = await Stream.open(organization.headers.api_key)
    await stream.next()
    service.clock.forward(121)
    await settleAllDeadlines(elsewhere)
    await runJob(service.sql, statusEventsJob(elsewhere))
    let event = await stream.next()
    while (event!.event !== 'status') event = await stream.next()
    assert.deepEqual([event!.data.device_id, event!.data.status], [device.id, 'offline'])
    await stream.close()
  })

  it('a device removed on any process is an event, and again on a stream that is resumed later', async () => {
    const organization = await createOrganization(service, host)
    const [device, other] = [await claimedDevice(organization), await claimedDevice(organization)]
    const stream = await Stream.open(organization.headers.session)
    const { id } = (await stream.next())!
    const alone = await Stream.open(organization.headers.session, `?device_id=${other.id}`)
    await alone.next()
    for (const { id: device_id } of [device, other]) {
      await removeDevice(elsewhere, { kind: 'operator' }, { customer_id: organization.customer_id }, device_id)
      assert.deepEqual(await nextRemoved(stream), { device_id })
    }
    assert.deepEqual(await nextRemoved(alone), { device_id: other.id })
    for (const open of [stream, alone]) await open.close()
    const later = await Stream.open(organization.headers.session, '', id)
    const removed = [await nextRemoved(later), await nextRemoved(later)]
    assert.deepEqual(new Set(removed.map(({ device_id }) => device_id)), new Set([device.id, other.id]))
    await later.close()
  })

  it('Last-Event-ID: what happened while the stream was down is sent on the next one', async () => {
    const organization = await createOrganization(service, host)
    const device = await claimedDevice(organization)
    const first = await Stream.open(organization.headers.bearer)
    await first.next()
    await send(service, device, message(1))
    const { id } = (await first.next())!
    await first.close()
    service.clock.forward(300)
    await send(otherProcess, device, message(2))
    const second = await Stream.open(organization.headers.bearer, '', id)
    let event = await second.next()
    while (event!.event !== 'state') event = await second.next()
    assert.equal(event!.data.state.level.value, 2)
    await second.close()
    const nonsense = await Stream.open(organization.headers.bearer, '', 'nonsense')
    assert.equal((await nonsense.next())!.event, 'ready')
    await nonsense.close()
  })

  it('what arrived just before the stream opened may be committed later: it is sent again', async () => {
    const organization = await createOrganization(service, host)
    const device = await claimedDevice(organization)
    service.clock.forward(60)
    await send(otherProcess, device, message(1))
    service.clock.forward(20)
    const stream = await Stream.open(organization.headers.bearer)
    let event = await stream.next()
    while (event!.event !== 'state') event = await stream.next(5)
    assert.equal(event!.data.state.level.value, 1)
    await stream.close()
  })

  it('a lost notification connection ends the stream, so that it is resumed and misses nothing', async () => {
    const organization = await createOrganization(service, host)
    const stream = await Stream.open(organization.headers.bearer)
    await stream.next()
    await service.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'landbridge live'`
    assert.equal(await stream.next(), null)
  })

  it('7.7 without a credential there is no stream', async () => {
    const { response } = await Stream.open({})
    assert.equal(response.status, 401)
    assert.equal(response.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
  })

  it('a client that disconnects is no longer watching', async () => {
    const organization = await createOrganization(service, host)
    const watched = () =>
      service.sql`select 1 from live_interests where customer_id = ${organization.customer_id}`.then(
        (rows) => rows.length,
      )
    const stream = await Stream.open(organization.headers.bearer)
    await stream.next()
    assert.equal(await watched(), 1)
    await stream.close()
    await until(async () => (await watched()) === 0)
  })
})
