import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../../migrations/', import.meta.url))

export interface Migration {
  name: string
  text: string
}

export async function readMigrations(from = folder): Promise<Migration[]> {
  const names = (await readdir(from)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(from, name), 'utf8') })))
}
