import { mkdir, open, readFile, rename, stat, unlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { LandbridgeError } from './errors.ts'
import { sealWith } from './seal.ts'
import { isSame, type TokenStore } from './tokens.ts'
import { sleep } from './transport.ts'

/** A lock is renewed so often, and given up by others when it was not for so long. */
const lockTimes = { renewMs: 2_000, staleMs: 15_000 }

/**
 * Tokens in files of one folder, sealed with `key`, for the processes of one machine: written beside and renamed, so that
 * a crash leaves the old file or the new one.
 */
export function fileTokenStore({
  folder,
  key,
  waitMs = 60_000,
}: {
  folder: string
  key: string
  /** How long to wait for another process that holds the same organization. */
  waitMs?: number
}): TokenStore {
  const seal = sealWith(key)
  const pathOf = (orgId: string) => join(folder, `${encodeURIComponent(orgId)}.tokens`)
  const read = async (orgId: string) => {
    const sealed = await readFile(pathOf(orgId), 'utf8').catch(ignoring('ENOENT'))
    return sealed === undefined ? undefined : await seal.open(orgId, sealed)
  }
  return {
    read,
    async exclusively(orgId, work) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const unlock = await lock(`${pathOf(orgId)}.lock`, Date.now() + waitMs)
      try {
        return await work({
          read: () => read(orgId),
          write: async (tokens) => await writeWhole(folder, pathOf(orgId), await seal.close(tokens)),
          async remove(tokens) {
            if (isSame(await read(orgId), tokens)) await unlink(pathOf(orgId)).catch(ignoring('ENOENT'))
          },
        })
      } finally {
        await unlock()
      }
    },
  }
}

async function writeWhole(folder: string, path: string, text: string): Promise<void> {
  const beside = `${path}.${crypto.randomUUID()}`
  const file = await open(beside, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(beside, path)
  const directory = await open(folder, 'r')
  await directory.sync().catch(() => {})
  await directory.close()
}

async function lock(path: string, until: number): Promise<() => Promise<void>> {
  for (;;) {
    const file = await open(path, 'wx', 0o600).catch(ignoring('EEXIST'))
    if (file) {
      await file.close()
      const renew = () => utimes(path, new Date(), new Date()).catch(() => {})
      const timer = setInterval(renew, lockTimes.renewMs)
      return async () => {
        clearInterval(timer)
        await unlink(path).catch(ignoring('ENOENT'))
      }
    }
    if (Date.now() > until) throw new LandbridgeError('busy', `${path} is held by another process for too long.`)
    await breakIfStale(path)
    await sleep(20 + Math.random() * 60)
  }
}

/** Its process was killed. Renamed first: of two that find it stale only one succeeds. */
async function breakIfStale(path: string): Promise<void> {
  const before = await stat(path).catch(ignoring('ENOENT'))
  if (!before || Date.now() - before.mtimeMs < lockTimes.staleMs) return
  const broken = `${path}.${crypto.randomUUID()}`
  const moved = await rename(path, broken).then(
    () => true,
    () => false,
  )
  if (moved) await unlink(broken).catch(ignoring('ENOENT'))
}

function ignoring(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error
    return undefined
  }
}
