import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { newModel, register } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { startListener, WireDevice } from '../../../../test/support/mqtt.ts'
import { until } from '../../../../test/support/until.ts'
import { mqttLimits } from '../../platform/own-limits.ts'

const service = await startHarness()
const { port, count } = await startListener(service.context)
const model = await newModel(service)
const sockets: Socket[] = []
after(() => {
  for (const socket of sockets) socket.destroy()
})

const { stalledPerAddress } = mqttLimits

async function open(how: 'tcp' | 'tls', localAddress = '127.0.0.1'): Promise<Socket> {
  const tcp = connect({ port, host: '127.0.0.1', localAddress })
  const socket = how === 'tcp' ? tcp : connectTls({ socket: tcp, rejectUnauthorized: false })
  socket.on('error', () => {})
  sockets.push(socket)
  await once(socket, how === 'tcp' ? 'connect' : 'secureConnect')
  return socket
}

const openOnes = (some: Socket[]) => some.filter(({ destroyed }) => !destroyed).length

// Each waits for seconds, on addresses of its own.
describe('decision 10.5: connections that never send a CONNECT', { concurrency: true }, () => {
  it(`at most ${stalledPerAddress} per address stay silent longer than five seconds; devices and other addresses are not affected`, async () => {
    const device = await register(service, model)
    const active = new WireDevice(port, 5)
    sockets.push(active.socket)
    assert.partialDeepStrictEqual(await active.connect(device), { cmd: 'connack', reasonCode: 0 })
    const silent = await Promise.all([
      ...Array.from({ length: 75 }, () => open('tls')),
      ...Array.from({ length: 75 }, () => open('tcp')),
    ])
    const elsewhere = await open('tls', '127.0.0.2')
    // A paused socket does not notice its end.
    for (const socket of silent) socket.resume()
    await until(() => openOnes(silent) <= stalledPerAddress, 'most of them are closed')
    assert.ok(openOnes(silent) > 0)
    assert.equal(elsewhere.destroyed, false)
    active.publish(device, { status: 'online', telemetries: { a: 1 } })
    assert.partialDeepStrictEqual(await active.next(), { cmd: 'puback' })
    const late = new WireDevice(port, 5)
    sockets.push(late.socket)
    const another = await register(service, model)
    assert.partialDeepStrictEqual(await late.connect(another), { cmd: 'connack', reasonCode: 0 })
    assert.ok(count() >= 2)
  })

  it('a connection that is silent after its handshake is closed after ten seconds', async () => {
    const startedAt = performance.now()
    const socket = await open('tls', '127.0.0.3')
    socket.resume()
    await once(socket, 'close')
    const seconds = (performance.now() - startedAt) / 1000
    assert.ok(seconds > 9 && seconds < 15, `${seconds} s`)
  })
})
