// For tests that read or change what a client and Postgres send each other: TLS begins behind them.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** Asks for TLS, to which a server that has it responds with one byte. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** Connects to the Postgres of this address, with TLS where the address asks for it. */
export async function connectToPostgres(databaseUrl: string): Promise<Socket> {
  const { hostname, port, searchParams } = new URL(databaseUrl)
  const ca = searchParams.get('sslrootcert')
  const plain = connect(Number(port), hostname)
  if (!ca) return plain
  plain.write(sslRequest)
  await once(plain, 'data')
  return connectTls({ socket: plain, host: hostname, ca: readFileSync(ca) })
}

/** The same database at a port of this machine, without TLS. */
export function withoutTls(databaseUrl: string, port: number): string {
  return Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port), search: '' }).href
}
