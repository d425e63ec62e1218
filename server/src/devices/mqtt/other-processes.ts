import { connectedTopic } from '../live/connections.ts'
import { type Ending, endingTopic } from '../live/disconnect.ts'
import { findStaleConnections } from '../store/connections.ts'
import { type Connection, endConnection } from './connection.ts'
import type { Endpoint } from './endpoint.ts'
import type { Reason } from './reason-codes.ts'

/** Hears, from every process, which connections must end here: those taken over, and those whose credentials died. */
export async function followOtherProcesses(endpoint: Endpoint): Promise<() => void> {
  const { notifications } = endpoint.context
  const stops = [
    await notifications.subscribe(connectedTopic, (message) => {
      for (const word of message.split(' ')) {
        const [id = '', number] = word.split(':')
        for (const connection of endpoint.connections.get(id) ?? []) overtake(connection, Number(number))
      }
    }),
    await notifications.subscribe(endingTopic('removed'), (message) => endAll(endpoint, message, 'removed')),
    await notifications.subscribe(endingTopic('rekeyed'), (message) => endAll(endpoint, message, 'rekeyed')),
    notifications.afterGap(() => void readAgain(endpoint)),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

export function overtake(connection: Connection, number: number): void {
  if (connection.device === null) connection.overtakenBy = Math.max(connection.overtakenBy, number)
  else if (connection.device.number < number) endQuietly(connection, 'session_taken_over')
}

const endings: Record<Ending, Reason> = { removed: 'administrative_action', rekeyed: 'not_authorized' }

/** Those still waiting for their verdict too: it may have been reached before the credentials died. */
function endAll({ connections }: Endpoint, message: string, ending: Ending): void {
  for (const id of message.split(' ')) {
    for (const connection of connections.get(id) ?? []) endQuietly(connection, endings[ending])
  }
}

/** Not lost: the device is removed, has another key, or has another connection. */
function endQuietly(connection: Connection, reason: Reason): void {
  connection.leaves = true
  endConnection(connection, reason)
}

const maxAtOnce = 1_000

/** Word may have been missed: asks the database about every connection of this process. */
async function readAgain(endpoint: Endpoint): Promise<void> {
  const { context, connections } = endpoint
  const open = [...connections.values()].flatMap((ofDevice) => [...ofDevice]).filter(({ device }) => device !== null)
  try {
    for (let from = 0; from < open.length; from += maxAtOnce) {
      const asked = open.slice(from, from + maxAtOnce).map(({ device }) => {
        const { id, number, key_digest } = device!
        return { device_id: id, number, key_digest: Buffer.from(key_digest, 'hex') }
      })
      for (const { device_id, number, removed, rekeyed } of await findStaleConnections(context.sql, asked)) {
        for (const connection of connections.get(device_id) ?? []) {
          if (connection.device?.number !== number) continue
          endQuietly(connection, removed ? endings.removed : rekeyed ? endings.rekeyed : 'session_taken_over')
        }
      }
    }
  } catch (error) {
    context.log.error({ err: error }, 'mqtt: connections could not be checked after a gap')
  }
}
