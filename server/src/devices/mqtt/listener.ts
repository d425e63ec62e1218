import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { connectionsWaiting } from '../../platform/http/listen.ts'
import { mqttLimits } from '../../platform/own-limits.ts'
import { listenerTls } from '../../platform/tls/listener-tls.ts'
import type { TlsMaterial } from '../../platform/tls/self-signed-certificate.ts'
import type { Context } from '../context.ts'
import { LostConnections } from './lost-connections.ts'
import { sendMovedAway } from './moved-connections.ts'
import { type Connection, close, type Endpoint, endConnection } from './mqtt-connection.ts'
import { subscribeToOtherProcesses } from './other-processes.ts'
import { PacketBudget } from './packet-budget.ts'
import { PacketReader } from './packets/packet-reader.ts'
import { createPushes } from './pushes.ts'
import { readPackets } from './receive.ts'
import { SilentConnections } from './silent-connections.ts'

export interface MqttListener {
  server: Server
  /** Connections open on this process. */
  count(): number
  /** Those of devices that another hub cell is to serve. */
  countOfOtherCells(): number
  listen(where: { host: string; port: number }): Promise<number>
  /** Accepts nothing more, commits and acknowledges what was received, then disconnects every client. */
  close(): Promise<void>
}

/** MQTT 3.1.1 and 5 over TLS. Not a broker: devices publish their telemetry, and are sent their commands and settings. */
export async function createMqttListener(context: Context, tls: TlsMaterial): Promise<MqttListener> {
  const connections: Endpoint['connections'] = new Map()
  const { pushes, start: startPushes } = createPushes(context, connections)
  const endpoint: Endpoint = { context, connections, pushes, closing: false }
  const all = new Set<Connection>()
  const lost = new LostConnections(context)
  const losses = new Set<Promise<void>>()
  const server = createServer({ ...listenerTls(tls), handshakeTimeout: mqttLimits.handshakeMilliseconds })
  let open = 0
  const silent = new SilentConnections(context.config.trustProxy)
  // The TCP connection, before TLS.
  server.on('connection', (socket) => {
    // Not by `server.maxConnections`: a supervisor would offer the connection to each process again and again.
    if (open >= mqttLimits.connectionsPerProcess) {
      socket.destroy()
      return
    }
    open += 1
    socket.once('close', () => {
      open -= 1
    })
    silent.onAccept(socket)
  })
  server.on('secureConnection', (socket) => {
    silent.onSecure(socket)
    const connection = accept(endpoint, socket, () => silent.onConnect(socket))
    all.add(connection)
    socket.once('close', () => {
      all.delete(connection)
      clearTimeout(connection.keepAliveTimer)
      connection.keepAliveTimer = undefined
      // What arrived before the loss is still read and stored: it may even end with a DISCONNECT.
      if (connection.state === 'connecting') connection.state = 'ended'
      connection.read()
      const idle = new Promise<void>((resolve) => {
        connection.onIdle = resolve
        if (connection.pending.length === 0) resolve()
      })
      const loss = idle.then(async () => {
        connection.state = 'ended'
        if (connection.device !== null && !connection.closeExpected) await lost.add(connection)
      })
      losses.add(loss)
      void loss.finally(() => losses.delete(loss))
    })
  })
  const unsubscribe = await subscribeToOtherProcesses(endpoint)
  const stopPushes = await startPushes()
  const stopSendingAway = sendMovedAway(endpoint)

  return {
    server,
    count: () => all.size,
    countOfOtherCells: () => [...endpoint.connections.keys()].filter(context.cells.isOfAnotherCell).length,
    async listen({ host, port }) {
      server.listen({ port, host, backlog: connectionsWaiting })
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    },
    async close() {
      unsubscribe()
      stopPushes()
      stopSendingAway()
      server.close()
      endpoint.closing = true
      for (const { socket } of all) socket.pause()
      for (let waited = 0; waited < 5_000 && [...all].some(({ pending }) => pending.length > 0); waited += 50)
        await sleep(50)
      for (const connection of all) {
        connection.closeExpected = true
        endConnection(connection, 'server_shutting_down')
      }
      for (let waited = 0; waited < 2_000 && all.size > 0; waited += 20) await sleep(20)
      for (const { socket } of all) socket.destroy()
      await Promise.all(losses)
      lost.close()
    },
  }
}

function accept(endpoint: Endpoint, socket: TLSSocket, onConnect: () => void): Connection {
  const connection: Connection = {
    id: randomUUID(),
    socket,
    version: 4,
    state: 'new',
    reader: new PacketReader(),
    budget: new PacketBudget(),
    budgetTimer: undefined,
    device: null,
    willPayload: null,
    keepAliveTimer: setTimeout(() => close(connection), mqttLimits.connectMilliseconds).unref(),
    pending: [],
    refused: false,
    acknowledged: [],
    finishing: false,
    read: () => readPackets(endpoint, connection),
    onIdle: undefined,
    maxBytes: Number.POSITIVE_INFINITY,
    receiveMaximum: mqttLimits.inFlight,
    downlink: null,
    problemInformation: true,
    withoutSession: true,
    takenOverBy: 0,
    closeExpected: false,
  }
  // Without Nagle an acknowledgement does not wait for the next one.
  socket.setNoDelay(true)
  // MQTT's keep-alive may be off, and a device that loses power closes nothing.
  socket.setKeepAlive(true, 60_000)
  socket.on('data', (bytes) => {
    if (connection.state === 'open') connection.keepAliveTimer?.refresh()
    const wasNew = connection.state === 'new'
    if (connection.state !== 'ended') connection.reader.append(bytes)
    connection.read()
    if (wasNew && connection.state !== 'new') onConnect()
  })
  socket.on('drain', () => {
    connection.read()
    if (connection.downlink) endpoint.pushes.onRoom(connection)
  })
  // An error is followed by close.
  socket.on('error', () => {})
  return connection
}
