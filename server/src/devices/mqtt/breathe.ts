import type { Connection } from './connection.ts'
import { mostInFlight, mostUnreadBytes } from './limits.ts'

/** Does not read on while a CONNECT is judged, messages wait for their commit or replies go unread: what waits is bounded. */
export function breathe({ socket, inFlight, state }: Connection): void {
  const full = state === 'connecting' || inFlight >= mostInFlight || socket.writableLength > mostUnreadBytes
  if (full && !socket.isPaused()) socket.pause()
  // In halves, so that a busy connection does not start and stop with every message.
  else if (!full && inFlight <= mostInFlight >> 1 && socket.isPaused()) socket.resume()
}
