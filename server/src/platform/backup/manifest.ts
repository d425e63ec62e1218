import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sequence, Table } from './catalog.ts'

/** Says what a backup holds. It is written last: a folder without one is no backup. */
export interface Manifest {
  format: 1
  created_at: string
  /** The Postgres that the rows come from; they can be restored into any other version. */
  postgres: string
  migrations: string[]
  tables: (Table & { rows: number; sha256: string })[]
  sequences: Sequence[]
}

export const manifestFile = 'manifest.json'

export function tableFile(name: string): string {
  return `${name}.copy.zst`
}

/** A backup cannot be written or read, for a reason the person at the console can act on. */
export class BackupError extends Error {}

export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestFile), 'utf8').catch(() => {
    throw new BackupError(`${folder} is no backup: it has no ${manifestFile}.`)
  })
  const manifest = parse(text)
  if (!manifest) throw new BackupError(`${folder} is no backup: its ${manifestFile} is damaged.`)
  if (manifest.format !== 1)
    throw new BackupError(`${folder} was created by a newer release, and only that can restore it.`)
  if (!isPlain(manifest)) throw new BackupError(`${folder} cannot be trusted: its ${manifestFile} has been changed.`)
  return manifest
}

function parse(text: string): Manifest | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const name = /^[a-z_][a-z0-9_]*$/
/** As Postgres writes them for instants and ids. */
const bounds = /^FOR VALUES FROM \('[\da-f :.+-]+'\) TO \('[\da-f :.+-]+'\)$/

/** Names and bounds become file names and SQL, so nothing is accepted that a backup of ours would not have. */
function isPlain({ migrations, tables, sequences }: Manifest): boolean {
  return (
    [migrations, tables, sequences].every(Array.isArray) &&
    tables.every((table) => [table.name, ...table.columns].every((each) => name.test(each))) &&
    tables.every(({ partition }) => !partition || partition.bounds === 'DEFAULT' || bounds.test(partition.bounds)) &&
    sequences.every((sequence) => name.test(sequence.name))
  )
}
