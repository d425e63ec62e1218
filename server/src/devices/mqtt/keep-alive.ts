import { type Connection, endConnection } from './connection.ts'

/** [MQTT-3.1.2-24, MQTT5 3.1.2-22] nothing for one and a half times the keep-alive: the connection is lost. Zero turns it off. */
export function restartKeepAlive(connection: Connection, keepAliveSeconds: number): void {
  clearTimeout(connection.keepAliveTimer)
  connection.keepAliveTimer = undefined
  if (keepAliveSeconds === 0) return
  connection.keepAliveTimer = setTimeout(
    () => endConnection(connection, 'keep_alive_timeout'),
    keepAliveSeconds * 1_500,
  ).unref()
}
