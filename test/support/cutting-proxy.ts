// Between a process and Postgres: cuts every connection, and takes none until it is restored.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after } from 'node:test'
import { connectToPostgres, withoutTls } from './beside-tls.ts'

export async function startCuttingProxy(databaseUrl: string) {
  let isCut = false
  const open = new Set<Socket>()
  const server = createServer(async (socket) => {
    socket.on('error', () => {})
    if (isCut) return void socket.destroy()
    const onward = await connectToPostgres(databaseUrl)
    socket.pipe(onward).pipe(socket)
    for (const end of [socket, onward]) {
      open.add(end)
      end
        .on('error', () => {})
        .on('close', () => {
          open.delete(end)
          for (const each of [socket, onward]) each.destroy()
        })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return {
    url: withoutTls(databaseUrl, (server.address() as AddressInfo).port),
    cut() {
      isCut = true
      for (const socket of open) socket.destroy()
    },
    restore() {
      isCut = false
    },
  }
}
