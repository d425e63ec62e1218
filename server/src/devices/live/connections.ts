import type { Context } from '../../context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { transaction } from '../../platform/database/database.ts'
import { perContext } from '../../platform/database/per-context.ts'
import { insertConnections } from '../store/connections.ts'
import { turnLostOffline } from '../store/status.ts'
import { packMessages } from './disconnect.ts'

/** `<device id>:<number>` for each device that has a new current connection. */
export const connectedTopic = 'device.connected'

export interface NumberedConnection {
  device_id: string
  number: number
}

/** Makes a new connection the device's current one, and tells every process, in one commit. */
export const registerConnection = perContext((context: Context) =>
  coalesce<string, number>(async (deviceIds) => {
    const numbers: number[] = []
    // A device that connects twice in one breath gets two numbers, one after the other.
    for (const round of withoutRepeats(deviceIds)) {
      const taken = await transaction(context.sql, async (sql) => {
        const rows = await insertConnections(sql, [...round.keys()], context.now())
        const words = rows.map(({ device_id, number }) => `${device_id}:${number}`)
        for (const message of packMessages(words)) await context.notifications.publish(sql, connectedTopic, message)
        return rows
      })
      for (const { device_id, number } of taken) numbers[round.get(device_id)!] = number
    }
    return numbers
  }),
)

/** A lost connection turns its device offline while it is the current one; answers whether it was. */
export const markConnectionLost = perContext((context: Context) =>
  coalesce<NumberedConnection, boolean>(async (lost) => {
    const word = ({ device_id, number }: NumberedConnection) => `${device_id}:${number}`
    const current = new Set((await turnLostOffline(context.sql, lost, context.now())).map(word))
    return lost.map((connection) => current.has(word(connection)))
  }),
)

/** Rounds of distinct devices, each with its place among all. */
function withoutRepeats(deviceIds: readonly string[]): Map<string, number>[] {
  const rounds: Map<string, number>[] = []
  for (const [place, id] of deviceIds.entries()) {
    const round = rounds.find((ids) => !ids.has(id))
    if (round) round.set(id, place)
    else rounds.push(new Map([[id, place]]))
  }
  return rounds
}
