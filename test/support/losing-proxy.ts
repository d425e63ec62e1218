// Between a process and Postgres: loses responses after Postgres has committed.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after } from 'node:test'
import { connectToPostgres, withoutTls } from './beside-tls.ts'

export interface LosingProxy {
  /** The address of the database through this proxy. */
  url: string
  /** Cuts the connection on which this text is sent, in place of the response to its statement or its transaction. */
  lose(text: string): void
  /** Accepts no connection, and cuts all, until `open` is called. */
  close(): Promise<void>
  open(): Promise<void>
}

/** ReadyForQuery outside of a transaction: whatever came before it is committed. */
const idle = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

export async function startLosingProxy(databaseUrl: string): Promise<LosingProxy> {
  const sockets = new Set<Socket>()
  let lost: string | null = null

  const server = createServer(async (socket) => {
    sockets.add(socket.on('error', () => {}))
    const onward = await connectToPostgres(databaseUrl)
    let losing = false
    socket.on('data', (chunk) => {
      if (lost !== null && chunk.includes(lost)) {
        lost = null
        losing = true
      }
      onward.write(chunk)
    })
    onward.on('data', (chunk) => {
      if (losing && chunk.includes(idle)) socket.destroy()
      else socket.write(chunk)
    })
    for (const end of [socket, onward]) {
      sockets.add(end)
      end.on('error', () => {}).on('close', () => [socket, onward].map((each) => sockets.delete(each.destroy())))
    }
  })
  const open = async (on: number) => {
    server.listen(on, '127.0.0.1')
    await once(server, 'listening')
  }
  await open(0)
  const own = (server.address() as AddressInfo).port
  after(() => server.close())
  return {
    url: withoutTls(databaseUrl, own),
    lose(text) {
      lost = text
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
    open: () => open(own),
  }
}
