import { readFile, stat } from 'node:fs/promises'
import { StartFailure } from '../process/start-failure.ts'

/** Whom Postgres runs as: nothing stands for ourselves. */
export type PostgresUser = { uid: number; gid: number } | Record<string, never>

/** Postgres refuses to be root, so root lends it the cluster's owner, or `postgres`, or `nobody` where there is none. */
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
    'Postgres refuses to run as root, and there is no user "postgres" or "nobody" to lend it. Start as an ordinary user.',
  )
}
