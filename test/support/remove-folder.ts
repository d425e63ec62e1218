import { glob, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes a folder with every data folder in it. A Postgres that is just ending may still be writing, hence the retries. */
export async function removeFolder(folder: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }
  // A start by root may have put the cluster where Postgres's user can reach it.
  for await (const pointer of glob(join(folder, '**/postgres/elsewhere'))) {
    await rm((await readFile(pointer, 'utf8')).trim(), options)
  }
  await rm(folder, options)
}
