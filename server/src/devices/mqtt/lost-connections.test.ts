import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startCuttingProxy } from '../../../../test/support/cutting-proxy.ts'
import { newModel, online, register, send } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { type Credentials, startListener, WireDevice } from '../../../../test/support/mqtt.ts'
import { until } from '../../../../test/support/until.ts'
import { telemetryTopic } from './device-topics.ts'

const service = await startHarness()
const proxy = await startCuttingProxy(service.databaseUrl)
/** Another process, whose Postgres goes away. */
const away = await startHarness({}, { beside: { ...service, databaseUrl: proxy.url } })
const here = await startListener(service.context)
const there = await startListener(away.context)
const model = await newModel(service)
const devices: WireDevice[] = []
/** How each attempt of the other process to set a device offline ended: whether it was set, or undefined for a failure. */
const attempts: { device_id: string; marked: boolean | undefined }[] = []
const mark = away.context.markConnectionLost
away.context.markConnectionLost = async (loss) => {
  let marked: boolean | undefined
  try {
    marked = await mark(loss)
    return marked
  } finally {
    attempts.push({ device_id: loss.device_id, marked })
  }
}
const attemptsFor = ({ id }: Credentials) => attempts.filter(({ device_id }) => device_id === id)
const untilFailed = (credentials: Credentials, times = 1) =>
  until(() => attemptsFor(credentials).length >= times, `${times} attempts without Postgres`)
after(() => {
  for (const { socket } of devices) socket.destroy()
})

async function connectedOnline(credentials: Credentials, { port }: { port: number }) {
  const device = new WireDevice(port, 5)
  devices.push(device)
  const payload = Buffer.from(JSON.stringify({ status: 'error', telemetries: { battery: 2 } }))
  await device.connect(credentials, { will: { topic: telemetryTopic(credentials.id), payload, qos: 1, retain: false } })
  device.publish(credentials, online({ level: 1 }))
  assert.equal(((await device.next()) as { cmd: string }).cmd, 'puback')
  return device
}

async function statusOf({ id }: Credentials): Promise<string> {
  const [row] = await service.sql`select status from device_states where device_id = ${id}`
  return row!.status
}

async function willsOf({ id }: Credentials): Promise<unknown[]> {
  const rows = await service.sql`
    select history.status, telemetries, timestamp from history join devices on number = device_number
    where id = ${id} and telemetries::jsonb ? 'battery'`
  return rows.map((row) => ({ ...row }))
}

describe('decision 7.73: a connection that is lost while Postgres is away', () => {
  it('sets the device offline, and its will is stored once, when Postgres returns', async () => {
    const credentials = await register(service, model)
    const device = await connectedOnline(credentials, there)
    const lostAt = service.clock.now()
    proxy.cut()
    device.socket.destroy()
    await untilFailed(credentials, 2)
    assert.equal(await statusOf(credentials), 'online')
    service.clock.forward(30)
    proxy.restore()
    await until(async () => (await willsOf(credentials)).length > 0, 'the will')
    assert.deepEqual(await willsOf(credentials), [
      { status: 'offline', telemetries: { battery: 2 }, timestamp: lostAt },
    ])
    assert.equal(await statusOf(credentials), 'offline')
  })

  it('changes nothing when the device has connected to another process meanwhile', async () => {
    const credentials = await register(service, model)
    const device = await connectedOnline(credentials, there)
    proxy.cut()
    device.socket.destroy()
    await untilFailed(credentials)
    await connectedOnline(credentials, here)
    proxy.restore()
    await until(() => attemptsFor(credentials).at(-1)?.marked === false, 'the attempt that succeeds')
    assert.deepEqual([await statusOf(credentials), await willsOf(credentials)], ['online', []])
  })

  it('does not set a device offline that has sent telemetry by HTTP since', async () => {
    const credentials = await register(service, model)
    const device = await connectedOnline(credentials, there)
    proxy.cut()
    device.socket.destroy()
    await untilFailed(credentials)
    service.clock.forward(1)
    assert.equal((await send(service, credentials, online({ level: 2 }))).status, 200)
    proxy.restore()
    await until(async () => (await willsOf(credentials)).length > 0, 'the will, older than the message')
    assert.equal(await statusOf(credentials), 'online')
  })

  it('a device that the service disconnects because it cannot commit does not become offline', async () => {
    const credentials = await register(service, model)
    const device = await connectedOnline(credentials, there)
    proxy.cut()
    device.publish(credentials, online({ level: 2 }), { messageId: 8 })
    assert.equal(((await device.next()) as { cmd: string }).cmd, 'disconnect')
    await device.closed()
    proxy.restore()
    // What is lost later is recorded later.
    await until(() => away.sql`select 1`.catch(() => null), 'Postgres is back')
    const later = await register(service, model)
    const lost = await connectedOnline(later, there)
    lost.socket.destroy()
    await until(async () => (await statusOf(later)) === 'offline', 'the later loss')
    assert.deepEqual(attemptsFor(credentials), [])
    assert.deepEqual([await statusOf(credentials), await willsOf(credentials)], ['online', []])
  })
})
