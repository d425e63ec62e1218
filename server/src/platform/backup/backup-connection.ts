import pg, { type Client } from 'pg'
import { hostAddresses } from '../database/host-list.ts'
import { BackupError } from './manifest.ts'

const connectMilliseconds = 10_000

/** The first host that accepts a connection, and writes where they are needed: for a backup, a standby has the same rows. */
export async function connect(url: string, { application, writes }: { application: string; writes: boolean }) {
  let failure: unknown
  for (const host of hostAddresses(url)) {
    const client: Client = new pg.Client({
      connectionString: host,
      application_name: application,
      connectionTimeoutMillis: connectMilliseconds,
    })
    client.on('error', () => {})
    try {
      await client.connect()
      if (!writes || !(await isStandby(client))) return client
      failure = new Error('It is a standby, and accepts no writes.')
    } catch (error) {
      failure = error
    }
    await client.end().catch(() => {})
  }
  throw new BackupError(`The database cannot be reached: ${(failure as Error).message}`)
}

async function isStandby(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
  return rows[0]!.standby
}
