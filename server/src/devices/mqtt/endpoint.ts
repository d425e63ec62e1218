import type { Context } from '../../context.ts'
import type { Connection } from './connection.ts'

/** What every packet's handler leans on: the service, and the connections of this process. */
export interface Endpoint {
  context: Context
  /** A device has more than one only while a new one takes over from the one before. */
  connections: Map<string, Set<Connection>>
}

export function keep({ connections }: Endpoint, deviceId: string, connection: Connection): void {
  const ofDevice = connections.get(deviceId)
  if (ofDevice) ofDevice.add(connection)
  else connections.set(deviceId, new Set([connection]))
}

export function forget({ connections }: Endpoint, deviceId: string, connection: Connection): void {
  const ofDevice = connections.get(deviceId)
  ofDevice?.delete(connection)
  if (ofDevice?.size === 0) connections.delete(deviceId)
}
