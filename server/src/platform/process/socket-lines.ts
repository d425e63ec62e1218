import type { Socket } from 'node:net'

/** Calls `onLine` with each line that arrives; JSON text has no line break in it, so a line can be a whole value. */
export function readLines(socket: Socket, onLine: (line: string) => void): void {
  let parts: Buffer[] = []
  socket.on('data', (chunk: Buffer) => {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end))
      const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
      parts = []
      start = end + 1
      onLine(line.toString())
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  })
}
