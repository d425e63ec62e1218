import { mkdir, open, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { LandbridgeError } from './errors.ts'
import { ignoring, lockFile } from './file-lock.ts'
import { sealWith } from './seal.ts'
import { isSame, type TokenStore } from './tokens.ts'

/**
 * Tokens in files of one folder, sealed with `key`, for the processes of one machine: written beside and renamed, so that
 * a crash leaves the old file or the new one.
 */
export function fileTokenStore({
  folder,
  key,
  waitMs = 120_000,
}: {
  folder: string
  key: string
  /** How long to wait for another process that holds the same organization, as it does while a 429 is waited out. */
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
      const unlock = await lockFile(`${pathOf(orgId)}.lock`, { until: Date.now() + waitMs, whenAlive: 'wait' })
      if (!unlock) throw new LandbridgeError('busy', `Another process holds ${orgId} for too long.`)
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
