import { connect } from 'node:net'
import type { Logger } from 'pino'
import { readLines } from '../../platform/process/socket-lines.ts'
import { type FromWriter, type HandedOver, handOverVersion, outcomesOf, toRow } from './hand-over-frames.ts'
import type { Message } from './message.ts'
import type { Outcome } from './outcome.ts'
import { aliveMilliseconds } from './writer-listener.ts'

/** A connection to the process that stores the messages of this cell. */
export interface WriterLink {
  path: string
  state(): 'opening' | 'open' | 'leaving' | 'closed'
  /** One outcome per message, or null when the writer was lost before it replied. */
  send(messages: Message[]): Promise<Outcome[] | null>
  /** Sends no more, and closes after the last reply. */
  leave(): void
}

/** Counted in turns of a timer rather than in time, so that a machine that was suspended loses no writer. */
const maxSilentTurns = 4

interface Sent {
  count: number
  resolve(found: Outcome[] | null): void
}

export function openWriterLink(path: string, log: Logger): WriterLink {
  let state: ReturnType<WriterLink['state']> = 'opening'
  let sent = 0
  let silentTurns = 0
  const underWay = new Map<number, Sent>()
  const socket = connect({ path })

  function receive(frame: FromWriter): void {
    silentTurns = 0
    switch (frame.kind) {
      case 'hello':
        if (frame.version !== handOverVersion) leave()
        else if (state === 'opening') state = 'open'
        break
      case 'leaving':
        leave()
        break
      case 'stored': {
        const { count, resolve } = underWay.get(frame.id)!
        underWay.delete(frame.id)
        resolve(frame.outcomes ?? outcomesOf(count, frame.waiting))
        if (state === 'leaving' && underWay.size === 0) socket.end()
      }
    }
  }

  function leave(): void {
    if (state === 'closed') return
    state = 'leaving'
    if (underWay.size === 0) socket.end()
  }

  const watch = setInterval(() => {
    if (underWay.size === 0 && state !== 'opening') return
    silentTurns += 1
    if (silentTurns <= maxSilentTurns) return
    log.error({ messages: count(underWay) }, 'hand-over: the writer does not respond')
    socket.destroy()
  }, aliveMilliseconds)
  watch.unref()

  readLines(socket, (line) => receive(JSON.parse(line)))
  socket.on('error', (error) => log.warn({ err: error }, 'hand-over: the writer cannot be reached'))
  socket.on('close', () => {
    state = 'closed'
    clearInterval(watch)
    for (const { resolve } of underWay.values()) resolve(null)
    underWay.clear()
  })

  return {
    path,
    state: () => state,
    send(messages) {
      sent += 1
      const frame: HandedOver = { id: sent, messages: messages.map(toRow) }
      if (underWay.size === 0) silentTurns = 0
      return new Promise((resolve) => {
        underWay.set(frame.id, { count: messages.length, resolve })
        socket.write(`${JSON.stringify(frame)}\n`)
      })
    },
    leave,
  }
}

function count(underWay: ReadonlyMap<number, Sent>): number {
  return [...underWay.values()].reduce((sum, frame) => sum + frame.count, 0)
}
