import type { BaseContext } from '../../platform/context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { insertConnections, perLane, setLostOffline } from '../telemetry-store/telemetry-store.ts'
import type { StatusCarrier } from './status-carrier.ts'
import { cellChannel, connectedTopic, revokedTopics } from './topics.ts'

export interface NumberedConnection {
  device_id: string
  number: number
}

export interface LostConnection extends NumberedConnection {
  lost_at: Date
}

/** Makes a new connection the device's current one and notifies the processes that may have the one before, in one commit. */
export function createConnectionRegistry(context: BaseContext) {
  const register = async (deviceIds: string[]) => {
    const numbers: number[] = []
    // A device that connects twice at once gets two numbers, one after the other.
    for (const round of roundsOfDistinct(deviceIds)) {
      const inserted = await transaction(context.sql, async (sql) => {
        const rows = await insertConnections(sql, [...round.keys()], context.config.cell, context.now())
        // A first connection has none to take over.
        const later = rows.filter(({ number }) => number > 1)
        for (const [cell, ofCell] of Map.groupBy(later, ({ cell_before }) => cell_before)) {
          await context.notifications.publish(sql, connectedTopic, ofCell.map(toItem), cellChannel(cell))
        }
        return rows
      })
      for (const { device_id, number } of inserted) numbers[round.get(device_id)!] = number
    }
    return numbers
  }
  return perLane(
    context.sql,
    (id: string) => id,
    () => coalesce<string, number>(register),
  )
}

/** A lost connection sets its device offline if it is the current one; returns whether it was. */
export function createLostConnectionMarker({ sql }: BaseContext, statuses: StatusCarrier) {
  const mark = async (lost: LostConnection[]) => {
    const rows = await setLostOffline(sql, lost)
    await statuses.carry(rows.flatMap(({ change }) => change ?? []))
    const current = new Set(rows.map(toItem))
    return lost.map((connection) => current.has(toItem(connection)))
  }
  return perLane(
    sql,
    ({ device_id }: LostConnection) => device_id,
    () => coalesce<LostConnection, boolean>(mark),
  )
}

/** Ends devices' MQTT connections on whichever process they are, with the commit of what revokes their credentials. */
export async function disconnectDevices(
  context: BaseContext,
  sql: Sql,
  why: keyof typeof revokedTopics,
  deviceIds: string[],
): Promise<void> {
  await context.notifications.publish(sql, revokedTopics[why], deviceIds)
}

function toItem({ device_id, number }: NumberedConnection): string {
  return `${device_id}:${number}`
}

/** Rounds without a repeated device, each with its index among all. */
function roundsOfDistinct(deviceIds: readonly string[]): Map<string, number>[] {
  const rounds: Map<string, number>[] = []
  for (const [index, id] of deviceIds.entries()) {
    const round = rounds.find((ids) => !ids.has(id))
    if (round) round.set(id, index)
    else rounds.push(new Map([[id, index]]))
  }
  return rounds
}
