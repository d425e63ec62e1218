import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartFailure } from './start-failure.ts'

/** The folder of all local state, readable by its owner only. */
export async function createDataFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartFailure(`The data folder cannot be created: ${(error as Error).message}. Set LANDBRIDGE_DATA_DIR.`)
  }
}

/** Reads a secret of the folder, or creates it; of two concurrent callers exactly one does. */
export async function keepSecret(folder: string, name: string, create: () => string): Promise<string> {
  const file = join(folder, name)
  const kept = await readIfThere(file)
  if (kept !== null) return kept
  // Written under another name, then linked, so that nobody ever reads half a secret, not even after a power cut.
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${create()}\n`, { mode: 0o600, flush: true })
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  return (await readIfThere(file))!
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    const text = (await readFile(file, 'utf8')).trim()
    await chmod(file, 0o600)
    return text
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
