import { execFile } from 'node:child_process'
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { StartFailure } from '../process/start-failure.ts'
import type { PostgresFolders } from './folders.ts'

const run = promisify(execFile)

/** Our environment may hold keys, so a process of another user gets none of it. */
export const postgresEnvironment =
  process.platform === 'win32' ? {} : { env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } }

export const superuser = 'landbridge'

export function program(folders: PostgresFolders, name: 'postgres' | 'initdb' | 'pg_ctl'): string {
  return join(folders.binaries, 'native', 'bin', name)
}

export function clusterOf(folders: PostgresFolders): string {
  return join(folders.folder, 'cluster')
}

/** Creates the cluster under another name and renames it when complete: an interrupted start leaves no cluster behind. */
export async function createClusterOnce(folders: PostgresFolders, password: string): Promise<void> {
  const version = await readFile(join(clusterOf(folders), 'PG_VERSION'), 'utf8').catch(() => null)
  if (version !== null) return await requireVersion(folders, version.trim())
  // With retries: the initdb of a start that was killed may still be writing until it notices that its folder is gone.
  const removal = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }
  for (const name of await readdir(folders.folder)) {
    if (name.startsWith('draft-')) await rm(join(folders.folder, name), removal)
  }
  const draft = join(folders.folder, `draft-${process.pid}`)
  const passwordFile = `${draft}.password`
  await mkdir(draft, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (folders.user.uid !== undefined) {
    for (const path of [draft, passwordFile]) await chown(path, folders.user.uid, folders.user.gid!)
  }
  try {
    await run(
      program(folders, 'initdb'),
      [
        ...['-D', draft, '-U', superuser, '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8'],
        // Unicode letters in lower(email), code-point order in indexes, and no dependence on the machine's locales.
        ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
      ],
      { ...folders.user, ...postgresEnvironment, cwd: '/' },
    )
    await rename(draft, clusterOf(folders))
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    const { stderr = '', message } = error as Error & { stderr?: string }
    throw new StartFailure(`The private Postgres could not be set up in ${folders.folder}: ${stderr.trim() || message}`)
  } finally {
    await rm(passwordFile, { force: true })
  }
}

/** Postgres reads only clusters of its own major version, and its error does not say what to do. */
async function requireVersion(folders: PostgresFolders, major: string): Promise<void> {
  const { stdout } = await run(program(folders, 'postgres'), ['--version'], { ...folders.user, cwd: '/' })
  if (stdout.includes(` ${major}.`)) return
  throw new StartFailure(
    `${clusterOf(folders)} was created by Postgres ${major}, and this release brings ${stdout.trim()}. With the release before, run "npx landbridge backup <folder>"; with this one, "npx landbridge restore <folder> --data-dir <new folder>", and start on that (docs/operate.md).`,
  )
}

export interface Postmaster {
  pid: number
  port: number
  ready: boolean
}

/** The lines of postmaster.pid: pid, folder, start, port, socket, address, shared memory, status. */
export async function readPostmaster(cluster: string): Promise<Postmaster | null> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => null)
  if (text === null) return null
  const lines = text.split('\n')
  return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
}

/**
 * Stops a Postgres that an earlier start left behind. The caller holds the folder's lock, so no running service owns
 * it. A pid that another program has got since is left alone.
 */
export async function stopLeftover(cluster: string): Promise<void> {
  const leftover = await readPostmaster(cluster)
  if (!leftover) return
  // Fast shutdown, immediate shutdown, kill: each is safe, and the later ones only cost a recovery.
  for (const [signal, seconds] of [['SIGINT', 10] as const, ['SIGQUIT', 5] as const, ['SIGKILL', 2] as const]) {
    if (!(await isOurs(leftover.pid, cluster))) break
    try {
      process.kill(leftover.pid, signal)
    } catch {
      break
    }
    for (let waited = 0; waited < seconds * 1000 && (await isOurs(leftover.pid, cluster)); waited += 50) await sleep(50)
  }
  // Postgres refuses to start when a stale file names the pid of another running program.
  await rm(join(cluster, 'postmaster.pid'), { force: true })
}

async function isOurs(pid: number, cluster: string): Promise<boolean> {
  if (!(pid > 1)) return false
  if (process.platform === 'linux') {
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
    return words[0]!.endsWith('postgres') && words[words.indexOf('-D') + 1] === cluster
  }
  const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout.includes(`-D ${cluster} `)
}
