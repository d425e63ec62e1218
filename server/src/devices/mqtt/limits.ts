/** Bounds of one connection: what is larger or slower than any honest device is cut off early. */

/** For the TLS handshake: long enough for thousands that come back at once after a restart. */
export const handshakeMilliseconds = 30_000
/** From there to CONNECT, which an honest device sends at once. */
export const connectMilliseconds = 10_000
/** A telemetry message (design section 7), and room for its topic and properties. */
export const maxPayloadBytes = 128 * 1024
export const maxPacketBytes = maxPayloadBytes + 4 * 1024
/** Messages of one connection that wait for their commit; version 5 is told, 3.1.1 is not read from until they have gone. */
export const maxInFlight = 64
/** Replies a client leaves unread before it is not listened to either. */
export const maxUnreadBytes = 64 * 1024
export const maxConnections = 50_000
