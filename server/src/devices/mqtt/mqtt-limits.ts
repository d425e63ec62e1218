/** For the TLS handshake: enough for thousands of devices that reconnect at once after a restart. */
export const handshakeMilliseconds = 30_000
/** From the handshake to CONNECT, which a client sends at once. */
export const connectMilliseconds = 10_000
/** Decision 7.6. */
export const maxPayloadBytes = 128 * 1024
/** With room for the topic and the properties. */
export const maxPacketBytes = maxPayloadBytes + 4 * 1024
/** A CONNECT with its will, which comes before the credentials are known and is kept while the connection is open. */
export const maxConnectBytes = 16 * 1024
/** The least maximum packet size of a client: our CONNACK has 28 bytes. */
export const minClientPacketBytes = 32
/** Messages of one connection that wait for their commit: the receive maximum of version 5. Beyond it nothing is read. */
export const maxInFlight = 64
/** Replies a client has not read before we stop reading from it. */
export const maxUnreadBytes = 64 * 1024
export const maxConnections = 50_000
