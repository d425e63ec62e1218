import type { HubCell } from '../store/hub-cells-sql.ts'
import { type Connection, close, type Endpoint, reasonString, send } from './mqtt-connection.ts'
import { reasons } from './reason-codes.ts'

const everyMilliseconds = 1_000
/** Devices that are sent away connect again at once: not all of them at the same moment. */
const perRound = 100

const sentence = 'The device has moved to another hub. Connect to the Server Reference from now on.'

/** [MQTT5 4.11] `host:port`; MQTT 5 has no scheme there. */
function movedProperties({ mqtt_hub_url }: HubCell) {
  const { host } = new URL(mqtt_hub_url)
  return { serverReference: host, ...reasonString(sentence) }
}

export function refuseMoved(connection: Connection, cell: HubCell): void {
  const properties = movedProperties(cell)
  send(connection, { cmd: 'connack', sessionPresent: false, reasonCode: reasons.server_moved.v5, properties })
  close(connection)
}

/** Decision 3.19: connections whose device another cell serves end, a few per second; the returned function stops it. */
export function sendMovedAway(endpoint: Endpoint): () => void {
  const { cells, config } = endpoint.context
  if (config.cell === null) return () => {}
  // Only after the map was read, so that it is a fresh one, and while some are left.
  let due = true
  const unsubscribe = cells.onRead(() => {
    due = true
  })
  const timer = setInterval(() => {
    if (due) due = endMoved(endpoint) >= perRound
  }, everyMilliseconds).unref()
  return () => {
    clearInterval(timer)
    unsubscribe()
  }
}

/** Returns how many connections end. */
function endMoved({ context, connections }: Endpoint): number {
  let ending = 0
  for (const [deviceId, ofDevice] of connections) {
    const cell = context.cells.probablyElsewhere(deviceId)
    if (cell === null) continue
    for (const connection of ofDevice) {
      if (connection.state !== 'open' || connection.version !== 5 || connection.refused) continue
      endWhenIdle(connection, cell)
      ending += 1
    }
    if (ending >= perRound) break
  }
  return ending
}

/** What it has sent is committed and acknowledged first; nothing more is read. */
function endWhenIdle(connection: Connection, cell: HubCell): void {
  const end = () => {
    if (connection.state !== 'open') return
    connection.closeExpected = true
    const properties = movedProperties(cell)
    send(connection, { cmd: 'disconnect', reasonCode: reasons.server_moved.v5, properties })
    close(connection)
  }
  if (connection.pending.length === 0) end()
  else {
    connection.refused = true
    connection.onIdle = end
  }
}
