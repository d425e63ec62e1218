import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { StartFailure } from '../process/start-failure.ts'
import { runnablePostgres } from './binaries.ts'
import { type PostgresUser, postgresUser } from './user.ts'

const run = promisify(execFile)

/** Where the system keeps the state of services; root's Postgres lives here when it cannot enter the data folder. */
const shelf = '/var/lib/landbridge'

export interface PostgresFolders {
  /** Holds the cluster; Postgres's user can pass through it, but owns only the cluster: root writes to no foreign folder. */
  folder: string
  /** Root of the package, or of a copy that Postgres's user can run. */
  binaries: string
  user: PostgresUser
}

/** Finds a folder and binaries that the user who runs Postgres can reach, and remembers the folder. */
export async function findFolders(wanted: string): Promise<PostgresFolders> {
  await mkdir(wanted, { recursive: true, mode: 0o700 })
  // A cluster once made elsewhere must be found again, whatever became reachable since.
  const elsewhere = (await readFile(pointer(wanted), 'utf8').catch(() => '')).trim()
  const user = await postgresUser(join(elsewhere || wanted, 'cluster'))
  const folder = elsewhere || (await reachableFolder(wanted, user))
  const binaries = await runnablePostgres(user, async () => (user.uid === undefined ? folder : await makeShelf()))
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
  const folder = join(await makeShelf(), createHash('sha256').update(wanted).digest('hex').slice(0, 16))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await letPass(folder, gid!)
  if (!(await canEnter(folder, user))) throw new StartFailure(`Postgres's user (uid ${uid}) cannot enter ${folder}.`)
  await writeFile(pointer(wanted), `${folder}\n`, { mode: 0o600, flush: true })
  return folder
}

/** Postgres's group may walk through our folder, which stays unreadable to it; nobody else may even that. */
async function letPass(folder: string, gid: number): Promise<void> {
  const { mode, gid: group } = await stat(folder)
  if ((mode & 0o001) !== 0 || ((mode & 0o010) !== 0 && group === gid)) return
  await chown(folder, 0, gid)
  await chmod(folder, 0o710)
}

async function makeShelf(): Promise<string> {
  await mkdir(shelf, { recursive: true, mode: 0o755 })
  await chmod(shelf, 0o755)
  return shelf
}

async function canEnter(folder: string, user: PostgresUser): Promise<boolean> {
  const asked = run('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...user, cwd: '/' })
  return await asked.then(
    () => true,
    () => false,
  )
}
