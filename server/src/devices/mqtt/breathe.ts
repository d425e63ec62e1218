import type { Connection } from './connection.ts'
import { mostInFlight, mostUnreadBytes } from './limits.ts'

/** Reads on only while the device's messages are being committed and its replies read: what waits is bounded. */
export function breathe({ socket, inFlight }: Connection): void {
  const full = inFlight >= mostInFlight || socket.writableLength > mostUnreadBytes
  if (full && !socket.isPaused()) socket.pause()
  // In halves, so that a busy connection does not start and stop with every message.
  else if (!full && inFlight <= mostInFlight >> 1 && socket.isPaused()) socket.resume()
}
