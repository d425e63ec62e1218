// Between a process and Postgres: counts the statements and connections of that process.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after } from 'node:test'
import { connectToPostgres, withoutTls } from './beside-tls.ts'

export interface CountingProxy {
  /** The address of the database through this proxy. */
  url: string
  /** Statements since the start: simple ones, and executions of prepared ones. */
  statements(): number
  /** The most connections that were open at once since the start. */
  mostConnections(): number
  /** The texts of the statements that came with theirs since the last call. */
  texts(): string[]
}

const types = { query: 0x51, parse: 0x50, execute: 0x45 }

export async function startCountingProxy(databaseUrl: string): Promise<CountingProxy> {
  let statements = 0
  let connections = 0
  let mostConnections = 0
  let texts: string[] = []

  /** Reads the messages of a client, of which the first has no type. */
  function reader(): (chunk: Buffer) => void {
    let rest = Buffer.alloc(0)
    let started = false
    return (chunk) => {
      rest = Buffer.concat([rest, chunk])
      for (;;) {
        const head = started ? 1 : 0
        if (rest.length < head + 4) return
        const end = head + rest.readInt32BE(head)
        if (rest.length < end) return
        const type = started ? rest[0] : 0
        if (type === types.query || type === types.execute) statements += 1
        if (type === types.query || type === types.parse) texts.push(rest.toString('utf8', head + 4, end))
        rest = rest.subarray(end)
        started = true
      }
    }
  }

  const server = createServer(async (socket) => {
    connections += 1
    mostConnections = Math.max(mostConnections, connections)
    socket
      .on('error', () => {})
      .once('close', () => {
        connections -= 1
      })
    const onward = await connectToPostgres(databaseUrl)
    socket.on('data', reader())
    socket.pipe(onward).pipe(socket)
    for (const end of [socket, onward])
      end.on('error', () => {}).on('close', () => [socket, onward].map((each) => each.destroy()))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return {
    url: withoutTls(databaseUrl, (server.address() as AddressInfo).port),
    statements: () => statements,
    mostConnections: () => mostConnections,
    texts() {
      const all = texts
      texts = []
      return all
    },
  }
}
