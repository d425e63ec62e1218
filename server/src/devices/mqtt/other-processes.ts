import { connectedTopic, revokedTopics } from '../live/topics.ts'
import { findStaleConnections } from '../telemetry-store/telemetry-store.ts'
import { type Connection, type Endpoint, endConnection } from './mqtt-connection.ts'
import type { Reason } from './reason-codes.ts'

/** Ends the connections of this process that were taken over, or whose credentials were revoked, on any process. */
export async function subscribeToOtherProcesses(endpoint: Endpoint): Promise<() => void> {
  const { notifications } = endpoint.context
  const { connections } = endpoint
  const endAll = (deviceId: string, reason: Reason) => {
    // Those whose CONNECT is still being checked too: the check may have come before the revocation.
    for (const connection of connections.get(deviceId) ?? []) end(connection, reason)
  }
  const unsubscribes = [
    await notifications.subscribe(connectedTopic, (item) => {
      const [deviceId = '', number] = item.split(':')
      for (const connection of connections.get(deviceId) ?? []) takeOver(connection, Number(number))
    }),
    await notifications.subscribe(revokedTopics.removed, (deviceId) => endAll(deviceId, reasonOf.removed)),
    await notifications.subscribe(revokedTopics.rekeyed, (deviceId) => endAll(deviceId, reasonOf.rekeyed)),
    notifications.afterGap(() => void endStaleConnections(endpoint)),
  ]
  return () => {
    for (const unsubscribe of unsubscribes) unsubscribe()
  }
}

const reasonOf = { removed: 'administrative_action', rekeyed: 'not_authorized' } as const

function takeOver(connection: Connection, number: number): void {
  if (connection.device === null) connection.takenOverBy = Math.max(connection.takenOverBy, number)
  else if (connection.device.number < number) end(connection, 'session_taken_over')
}

function end(connection: Connection, reason: Reason): void {
  connection.closeExpected = true
  endConnection(connection, reason)
}

const batchSize = 1_000

/** Notifications may have been lost: checks every connection of this process against the database. */
async function endStaleConnections({ context, connections }: Endpoint): Promise<void> {
  const open = [...connections.values()].flatMap((ofDevice) => [...ofDevice]).filter(({ device }) => device !== null)
  try {
    for (let from = 0; from < open.length; from += batchSize) {
      const batch = open.slice(from, from + batchSize).map(({ device }) => {
        const { id, number, key_digest } = device!
        return { device_id: id, number, key_digest: Buffer.from(key_digest, 'hex') }
      })
      for (const { device_id, number, removed, rekeyed } of await findStaleConnections(context.sql, batch)) {
        for (const connection of connections.get(device_id) ?? []) {
          if (connection.device?.number !== number) continue
          end(connection, removed ? reasonOf.removed : rekeyed ? reasonOf.rekeyed : 'session_taken_over')
        }
      }
    }
  } catch (error) {
    context.log.error({ err: error }, 'mqtt: connections not checked after lost notifications')
  }
}
