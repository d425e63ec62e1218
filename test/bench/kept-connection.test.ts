import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { KeptConnection, takeReopened } from '../../bench/kept-connection.ts'

const response = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** Each test says what becomes of a request. */
let onRequest: (socket: Socket, n: number) => void = (socket) => socket.write(response)
let requests = 0
const sockets = new Set<Socket>()
const server = createServer((socket) => {
  sockets.add(socket)
  socket.on('error', () => {})
  socket.on('data', () => {
    requests += 1
    onRequest(socket, requests)
  })
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
after(() => server.close())

function send(connection: KeptConnection): Promise<string> {
  return new Promise((resolve) => connection.send('GET / HTTP/1.1\r\n\r\n', (bytes) => resolve(bytes.toString())))
}

describe('a connection of the load generator', () => {
  it('that the server closed while it was idle is opened again, and that is counted', async () => {
    const connection = new KeptConnection(port)
    after(() => connection.close())
    assert.equal(await send(connection), response)
    for (const how of ['end', 'destroy'] as const) {
      for (const socket of sockets) socket[how]()
      await sleep(50)
      assert.equal(await send(connection), response)
      assert.equal(takeReopened(), 1)
    }
  })

  it('that the server never used is opened again as well', async () => {
    const accepted = once(server, 'connection')
    const connection = new KeptConnection(port)
    after(() => connection.close())
    await accepted
    for (const socket of sockets) socket.destroy()
    assert.equal(await send(connection), response)
    assert.equal(takeReopened(), 1)
  })

  it('that the server closes in the moment of a request: the request is sent once more', async () => {
    const connection = new KeptConnection(port)
    after(() => connection.close())
    requests = 0
    onRequest = (socket, n) => (n === 2 ? socket.destroy() : socket.write(response))
    assert.equal(await send(connection), response)
    assert.equal(await send(connection), response)
    assert.deepEqual([requests, takeReopened()], [3, 1])
  })
})
