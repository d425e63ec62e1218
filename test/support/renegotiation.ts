import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { connect } from 'node:tls'

/** What a client of TLS 1.2, the last version that has it, gets when it asks for another handshake. */
export async function renegotiate(server: Server): Promise<'granted' | 'refused'> {
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', maxVersion: 'TLSv1.2', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const outcome = await new Promise<'granted' | 'refused'>((resolve) => {
    socket.once('close', () => resolve('refused'))
    socket.on('error', () => resolve('refused'))
    socket.renegotiate({}, (error) => resolve(error ? 'refused' : 'granted'))
  })
  socket.destroy()
  return outcome
}
