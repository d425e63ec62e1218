// Between a client and a server: cuts, delays or splits what passes, and loses a response whose request has got through.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface FaultyProxy {
  port: number
  /** Where connections lead to from now on; null: nowhere, they are refused. */
  target: number | null
  cut(): void
  /** Both ways, each piece so much later. */
  delay(milliseconds: number): void
  /** In pieces of so many bytes; 0: as they come. */
  split(bytes: number): void
  /** The next response is lost, and its connection with it. */
  loseResponse(): void
}

/** ReadyForQuery outside of a transaction: whatever Postgres said before it is committed. */
const committed = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

/** Of one chunk: where it is split matters, and each piece is a write and a read. */
const maxPieces = 60

export async function startFaultyProxy(target: number | null, protocol: 'http' | 'postgres'): Promise<FaultyProxy> {
  const sockets = new Set<Socket>()
  let losing = false
  let milliseconds = 0
  let bytes = 0

  const isLost = (chunk: Buffer) => losing && (protocol === 'http' || chunk.includes(committed))

  function pass(from: Socket, to: Socket, isResponse: boolean): void {
    let before = Promise.resolve()
    const forward = async (chunk: Buffer) => {
      if (milliseconds > 0) await sleep(milliseconds)
      if (isResponse && isLost(chunk)) {
        losing = false
        from.destroy()
        to.destroy()
        return
      }
      const size = bytes === 0 ? chunk.length : Math.max(bytes, Math.ceil(chunk.length / maxPieces))
      for (let at = 0; at < chunk.length && !to.destroyed; at += size) {
        to.write(chunk.subarray(at, at + size))
        if (bytes > 0) await new Promise(setImmediate)
      }
    }
    from.on('data', (chunk: Buffer) => {
      before = before.then(() => forward(chunk))
    })
    from.on('end', () => void before.then(() => to.end()))
  }

  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {})
    if (proxy.target === null) return void socket.destroy()
    const onward = connect({ port: proxy.target, host: '127.0.0.1', noDelay: true })
    pass(socket, onward, false)
    pass(onward, socket, true)
    for (const end of [socket, onward]) {
      sockets.add(end)
      end.on('error', () => {}).on('close', () => [socket, onward].map((each) => sockets.delete(each.destroy())))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()

  const proxy: FaultyProxy = {
    port: (server.address() as AddressInfo).port,
    target,
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    delay(value) {
      milliseconds = value
    },
    split(value) {
      bytes = value
    },
    loseResponse() {
      losing = true
    },
  }
  return proxy
}
