import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'

const prefix = 'landbridge-cell-'

/**
 * For the sockets of one cell on this machine; only its owner can open it. Without it every process stores its own
 * messages. Folders of supervisors that were killed are removed.
 */
export async function createHandOverFolder(log: Logger): Promise<string | null> {
  if (process.platform === 'win32') return null
  try {
    const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix))
    const left = names.filter((name) => !isRunning(Number.parseInt(name.slice(prefix.length), 10)))
    // One of another user cannot be removed, and is not ours to remove.
    await Promise.all(left.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {})))
    return await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  } catch (error) {
    log.warn({ err: error }, 'no folder for the sockets of this cell: every process stores its own messages')
    return null
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
