import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartFailure } from './start-failure.ts'

/**
 * Locks a folder for this process. SQLite's file lock is the only one that Node has on every system and that is released
 * with its process, even by kill -9, so there is never a stale one to remove by hand.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  const file = join(folder, 'lock')
  await (await open(file, 'a', 0o600)).close()
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    if (!(error instanceof Error) || !/locked|busy/.test(error.message)) throw error
    throw new StartFailure(
      `${folder} is in use by another Landbridge. Stop that one first, or set LANDBRIDGE_DATA_DIR to another folder.`,
    )
  }
  return () => database.close()
}
