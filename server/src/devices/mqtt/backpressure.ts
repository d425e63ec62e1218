import type { Connection } from './connection.ts'
import { maxInFlight, maxUnreadBytes } from './limits.ts'

/** Does not read on while a CONNECT is judged, messages wait for their commit or replies go unread: what waits is bounded. */
export function applyBackpressure({ socket, inFlight, state }: Connection): void {
  const full = state === 'connecting' || inFlight >= maxInFlight || socket.writableLength > maxUnreadBytes
  if (full && !socket.isPaused()) socket.pause()
  // In halves, so that a busy connection does not start and stop with every message.
  else if (!full && inFlight <= maxInFlight >> 1 && socket.isPaused()) socket.resume()
}
