import { readFile, stat } from 'node:fs/promises'
import { StartFailure } from '../process/start-failure.ts'

/** The user that Postgres runs as; empty means the user of this process. */
export type PostgresUser = { uid: number; gid: number } | Record<string, never>

/** Postgres refuses to run as root, so root starts it as the cluster's owner, as `postgres`, or as `nobody`. */
export async function postgresUser(cluster: string): Promise<PostgresUser> {
  if (process.getuid?.() !== 0) return {}
  const owner = await stat(cluster).catch(() => null)
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  for (const wanted of ['postgres', 'nobody']) {
    const account = accounts.find(([name]) => name === wanted)
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) }
  }
  throw new StartFailure(
    'Postgres refuses to run as root, and there is no user "postgres" or "nobody" to run it as. Start as an ordinary user.',
  )
}
