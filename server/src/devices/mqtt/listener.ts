import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { parser as createParser, type Parser } from 'mqtt-packet'
import type { Context } from '../../context.ts'
import type { TlsMaterial } from '../../platform/tls/self-signed-certificate.ts'
import { applyBackpressure } from './backpressure.ts'
import { type Connection, close, endConnection, refuseConnect } from './connection.ts'
import type { Endpoint } from './endpoint.ts'
import { connectMilliseconds, handshakeMilliseconds, maxConnections, maxPacketBytes } from './limits.ts'
import { handleLostConnection } from './lost-connection.ts'
import { followOtherProcesses } from './other-processes.ts'
import { receive } from './receive.ts'
import { refuse } from './refuse.ts'
import { SilentConnections } from './silent-connections.ts'

export interface MqttListener {
  server: Server
  /** Connections open on this process. */
  count(): number
  listen(where: { host: string; port: number }): Promise<number>
  /** Takes nothing more, lets what was taken be committed and acknowledged, and says goodbye. */
  close(): Promise<void>
}

/** MQTT 3.1.1 and 5 over TLS: a narrow endpoint that devices publish their telemetry to, and nothing else. */
export async function createMqttListener(context: Context, tls: TlsMaterial): Promise<MqttListener> {
  const endpoint: Endpoint = { context, connections: new Map() }
  const all = new Set<Connection>()
  const losses = new Set<Promise<void>>()
  const server = createServer({
    cert: tls.certificate,
    key: tls.privateKey,
    minVersion: 'TLSv1.2',
    handshakeTimeout: handshakeMilliseconds,
  })
  server.maxConnections = maxConnections
  const silent = new SilentConnections(context.config.trustProxy)
  // The TCP connection, before TLS.
  server.on('connection', (socket) => silent.watch(socket))
  server.on('secureConnection', (socket) => {
    silent.isSecure(socket)
    const connection = accept(endpoint, socket, () => silent.hasSpoken(socket))
    all.add(connection)
    socket.once('close', () => {
      all.delete(connection)
      clearTimeout(connection.keepAliveTimer)
      connection.state = 'ended'
      if (connection.device === null || connection.leaves) return
      const idle = new Promise<void>((resolve) => {
        connection.whenIdle = resolve
        if (connection.inFlight === 0) resolve()
      })
      const loss = idle.then(() => handleLostConnection(endpoint, connection))
      losses.add(loss)
      void loss.finally(() => losses.delete(loss))
    })
  })
  const unfollow = await followOtherProcesses(endpoint)

  return {
    server,
    count: () => all.size,
    async listen({ host, port }) {
      server.listen(port, host)
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    },
    async close() {
      unfollow()
      server.close()
      for (const { socket } of all) socket.pause()
      for (let waited = 0; waited < 5_000 && [...all].some(({ inFlight }) => inFlight > 0); waited += 50)
        await sleep(50)
      for (const connection of all) {
        connection.leaves = true
        endConnection(connection, 'server_shutting_down')
      }
      for (let waited = 0; waited < 2_000 && all.size > 0; waited += 20) await sleep(20)
      for (const { socket } of all) socket.destroy()
      await Promise.all(losses)
    },
  }
}

function accept(endpoint: Endpoint, socket: TLSSocket, onConnect: () => void): Connection {
  const connection: Connection = {
    id: randomUUID(),
    socket,
    version: 4,
    state: 'new',
    held: [],
    device: null,
    will: null,
    keepAliveTimer: setTimeout(() => close(connection), connectMilliseconds).unref(),
    inFlight: 0,
    whenIdle: undefined,
    maxBytes: Number.POSITIVE_INFINITY,
    overtakenBy: 0,
    leaves: false,
  }
  const parser = createParser()
  parser.on('packet', (packet) => receive(endpoint, connection, packet))
  parser.on('error', (error: Error) => refuseMalformed(endpoint, connection, error))
  // Without Nagle an acknowledgement does not wait for the next one.
  socket.setNoDelay(true)
  // Keep-alive may be off, and a peer that lost its power closes nothing.
  socket.setKeepAlive(true, 60_000)
  socket.on('data', (bytes) => {
    if (connection.state === 'open') connection.keepAliveTimer?.refresh()
    const wasNew = connection.state === 'new'
    read(endpoint, connection, parser, bytes)
    if (wasNew && connection.state !== 'new') onConnect()
  })
  socket.on('drain', () => applyBackpressure(connection))
  // What is wrong with a socket shows in its close.
  socket.on('error', () => {})
  return connection
}

function read(endpoint: Endpoint, connection: Connection, parser: Parser, bytes: Buffer): void {
  if (connection.state === 'ended') return
  try {
    parser.parse(bytes)
  } catch (error) {
    refuseMalformed(endpoint, connection, error as Error)
  }
  // The length stands at the front of a packet: one that is too large is refused before it is taken in.
  const { length } = (parser as Parser & { packet: { length: number } }).packet
  if (length > maxPacketBytes) {
    if (connection.state === 'new') close(connection)
    else {
      const sentence = `A packet holds at most ${maxPacketBytes} bytes.`
      refuse(endpoint, connection, { reason: 'packet_too_large', sentence, why: 'message_too_large' })
    }
  }
  applyBackpressure(connection)
}

/** [MQTT-4.8.0-1, MQTT5 4.13.1-1] the connection closes. A version nobody speaks here is the one fault that has an answer. */
function refuseMalformed(endpoint: Endpoint, connection: Connection, error: Error): void {
  if (connection.state === 'new' && error.message === 'Invalid protocol version') {
    refuseConnect(connection, 'unsupported_version', 'MQTT 3.1.1 and 5 are spoken here.')
  } else refuse(endpoint, connection, { reason: 'malformed_packet', sentence: error.message, why: 'mqtt_unsupported' })
}
