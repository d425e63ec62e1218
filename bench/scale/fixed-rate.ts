import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Of the median without cells. Where messages wait this long they gather by themselves, with and without cells. */
export const busyMilliseconds = 100
export const tooBusy = 'The machine is too busy for this rate: messages gather because they wait. Try a lower --rate.'

/** Kept-alive connections to one service, a request at a time on each. */
export interface FixedRate {
  /** Whole requests; the next free connection takes the next one. */
  send(request: string): void
  /** Milliseconds until the response, of all requests since the last call. */
  settled(): Promise<number[]>
  close(): void
}

export function openFixedRate(port: number, connections: number): FixedRate {
  const idle: Socket[] = []
  const waiting: { request: string; since: number }[] = []
  let times: number[] = []
  let open = 0
  const sockets = Array.from({ length: connections }, () => connectTo(port))

  function connectTo(port: number): Socket {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let text = ''
    socket.on('connect', () => free(socket))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      if (head < 0) return
      if (text.length < head + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)) return
      if (text[9] !== '2') throw new Error(text)
      text = ''
      open -= 1
      times.push(performance.now() - since.get(socket)!)
      free(socket)
    })
    return socket
  }

  const since = new Map<Socket, number>()

  function free(socket: Socket): void {
    const next = waiting.shift()
    if (!next) return void idle.push(socket)
    since.set(socket, next.since)
    socket.write(next.request)
  }

  return {
    send(request) {
      open += 1
      waiting.push({ request, since: performance.now() })
      const socket = idle.shift()
      if (socket) free(socket)
    },
    async settled() {
      while (open > 0) await sleep(5)
      const all = times
      times = []
      return all
    },
    close() {
      for (const socket of sockets) socket.destroy()
    },
  }
}
