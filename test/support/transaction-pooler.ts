// A pooler that gives each statement the next session, as PgBouncer in transaction mode may do.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after } from 'node:test'
import { connectToPostgres, withoutTls } from './beside-tls.ts'

/** Returns the address of the database through it. For clients that send one statement after the other. */
export async function startTransactionPooler(databaseUrl: string): Promise<string> {
  const sessions: { server: Socket; client: Socket }[] = []
  let turn = 0
  const pooler = createServer(async (client) => {
    const own = { server: await connectToPostgres(databaseUrl), client }
    let started = false
    own.server.on('data', (chunk) => {
      // Authenticated, and ready for a statement.
      if (!started && chunk.includes(Buffer.from('Z\0\0\0\x05I'))) started = sessions.push(own) > 0
      own.client.write(chunk)
    })
    client.on('data', (chunk) => {
      turn += 1
      const session = (started && sessions[turn % sessions.length]) || own
      session.client = client
      session.server.write(chunk)
    })
    client.on('error', () => {}).on('close', () => own.server.destroy())
    own.server.on('error', () => {}).on('close', () => started && sessions.splice(sessions.indexOf(own), 1))
  }).listen(0, '127.0.0.1')
  await once(pooler, 'listening')
  after(() => pooler.close())
  return withoutTls(databaseUrl, (pooler.address() as AddressInfo).port)
}
