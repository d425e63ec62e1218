import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartFailure } from './start-failure.ts'

/** The folder everything of this machine lives in: only its owner may look inside. */
export async function makeDataFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartFailure(`The data folder cannot be made: ${(error as Error).message}. Set LANDBRIDGE_DATA_DIR.`)
  }
}

/** Reads a secret kept in the folder; the first caller makes it, and of two at once exactly one. */
export async function keepSecret(folder: string, name: string, make: () => string): Promise<string> {
  const file = join(folder, name)
  const kept = await readIfThere(file)
  if (kept !== null) return kept
  // Written whole under another name, then linked: a reader, or a start after a power cut, never sees half a key.
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${make()}\n`, { mode: 0o600, flush: true })
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
