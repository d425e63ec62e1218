import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { StartFailure } from '../process/start-failure.ts'
import { runnablePostgres } from './binaries.ts'
import { type PostgresUser, postgresUser } from './user.ts'

const run = promisify(execFile)

/** Used when this is root and Postgres's user cannot enter the data folder. */
const sharedFolder = '/var/lib/landbridge'

export interface PostgresFolders {
  /** Holds the cluster. Postgres's user owns only the cluster: root must not write to a folder of another user. */
  folder: string
  /** Root of the npm package, or of a copy that Postgres's user can run. */
  binaries: string
  user: PostgresUser
}

/** Finds a folder and binaries that Postgres's user can reach, and records the folder. */
export async function findFolders(wanted: string): Promise<PostgresFolders> {
  await mkdir(wanted, { recursive: true, mode: 0o700 })
  // A cluster that was created elsewhere must be found again, even if the data folder has become reachable.
  const elsewhere = (await readFile(pointer(wanted), 'utf8').catch(() => '')).trim()
  const user = await postgresUser(join(elsewhere || wanted, 'cluster'))
  const folder = elsewhere || (await reachableFolder(wanted, user))
  const binaries = await runnablePostgres(user, async () =>
    user.uid === undefined ? folder : await createSharedFolder(),
  )
  return { folder, binaries, user }
}

function pointer(wanted: string): string {
  return join(wanted, 'elsewhere')
}

async function reachableFolder(wanted: string, user: PostgresUser): Promise<string> {
  const { uid, gid } = user
  if (uid === undefined) return wanted
  await letPass(dirname(wanted), gid!)
  await letPass(wanted, gid!)
  if (await canEnter(wanted, user)) return wanted
  const folder = join(await createSharedFolder(), createHash('sha256').update(wanted).digest('hex').slice(0, 16))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await letPass(folder, gid!)
  if (!(await canEnter(folder, user))) throw new StartFailure(`Postgres's user (uid ${uid}) cannot enter ${folder}.`)
  await writeFile(pointer(wanted), `${folder}\n`, { mode: 0o600, flush: true })
  return folder
}

/** Lets Postgres's group pass through our folder without reading it, and nobody else. */
async function letPass(folder: string, gid: number): Promise<void> {
  const { mode, gid: group } = await stat(folder)
  if ((mode & 0o001) !== 0 || ((mode & 0o010) !== 0 && group === gid)) return
  await chown(folder, 0, gid)
  await chmod(folder, 0o710)
}

async function createSharedFolder(): Promise<string> {
  await mkdir(sharedFolder, { recursive: true, mode: 0o755 })
  await chmod(sharedFolder, 0o755)
  return sharedFolder
}

async function canEnter(folder: string, user: PostgresUser): Promise<boolean> {
  const asked = run('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...user, cwd: '/' })
  return await asked.then(
    () => true,
    () => false,
  )
}
