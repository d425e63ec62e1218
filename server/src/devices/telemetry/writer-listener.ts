import { createServer, type Socket } from 'node:net'
import type { Logger } from 'pino'
import { readLines } from '../../platform/process/socket-lines.ts'
import { type FromWriter, type HandedOver, handOverVersion, toMessage, waitingOf } from './hand-over-frames.ts'
import type { IngestQueue } from './ingest-queue.ts'
import type { Message } from './message.ts'
import type { Outcome } from './outcome.ts'

export interface WriterListener {
  /** Stores what was sent before it closes. */
  close(): Promise<void>
}

export const aliveMilliseconds = 1_000
/** Less than a process may take to close its telemetry. */
const closeMilliseconds = 4_000

/** Stores the messages that other processes of the cell received. */
export function openWriterListener(path: string, stored: IngestQueue<Message, Outcome>, log: Logger): WriterListener {
  const sockets = new Set<Socket>()
  const paused = new Set<Socket>()

  function accept(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', (error) => log.warn({ err: error }, 'hand-over: a sender was lost'))
    socket.on('close', () => {
      sockets.delete(socket)
      paused.delete(socket)
    })
    send(socket, { kind: 'hello', version: handOverVersion })
    readLines(socket, (line) => {
      void receive(socket, JSON.parse(line))
      // The sender's own queue fills up instead, and refuses before anything of a call is stored.
      if (!stored.hasRoom(1)) {
        paused.add(socket)
        socket.pause()
      }
    })
  }

  async function receive(socket: Socket, { id, messages }: HandedOver): Promise<void> {
    const outcomes = await storeAll(stored, messages.map(toMessage))
    if (!outcomes.every((outcome) => outcome.status === 200)) send(socket, { kind: 'stored', id, outcomes })
    else {
      const waiting = waitingOf(outcomes)
      send(socket, { kind: 'stored', id, ...(waiting ? { waiting } : {}) })
    }
    if (paused.size === 0 || !stored.hasRoom(1)) return
    for (const waiting of paused) waiting.resume()
    paused.clear()
  }

  const server = createServer(accept)
  server.on('error', (error) => log.error({ err: error }, 'hand-over: cannot listen, every process stores its own'))
  // Not through the supervisor, which would hand the connections round.
  server.listen({ path, exclusive: true })
  const alive = setInterval(() => {
    for (const socket of sockets) send(socket, { kind: 'alive' })
  }, aliveMilliseconds)

  return {
    async close() {
      for (const socket of sockets) send(socket, { kind: 'leaving' })
      const late = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, closeMilliseconds)
      await new Promise((resolve) => server.close(resolve))
      clearTimeout(late)
      clearInterval(alive)
    },
  }
}

/** Resolves when every message has its outcome. */
export function storeAll(stored: IngestQueue<Message, Outcome>, messages: Message[]): Promise<Outcome[]> {
  return new Promise((resolve) => {
    const outcomes: Outcome[] = new Array(messages.length)
    let left = messages.length
    for (const [index, message] of messages.entries()) {
      stored.push(message, (outcome) => {
        outcomes[index] = outcome
        left -= 1
        if (left === 0) resolve(outcomes)
      })
    }
  })
}

function send(socket: Socket, frame: FromWriter): void {
  if (socket.writable) socket.write(`${JSON.stringify(frame)}\n`)
}
