// What aedes alone can do over the same TLS: it acknowledges and stores nothing.
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import { Aedes } from 'aedes'
import { connectionsWaiting } from '../../server/src/platform/http/listen.ts'
import { createCertificate } from '../../server/src/platform/tls/self-signed-certificate.ts'

const { certificate, privateKey } = await createCertificate([], new Date())
const broker = await Aedes.createBroker()
const server = createServer({ cert: certificate, key: privateKey, minVersion: 'TLSv1.2' }, (socket) => {
  socket.setNoDelay(true)
  broker.handle(socket)
})
server.listen({ host: '127.0.0.1', port: 0, backlog: connectionsWaiting }, () => {
  process.send!({ port: (server.address() as AddressInfo).port })
})
