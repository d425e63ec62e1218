import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { BackupError, type Manifest } from '../platform/backup/manifest.ts'
import { restoreRows } from '../platform/backup/restore.ts'
import { writeBackup } from '../platform/backup/write.ts'
import { createLog } from '../platform/log.ts'
import { findRunningPostgres } from '../platform/private-postgres/private-postgres.ts'
import { createDataFolder, keepSecret } from '../platform/process/data-folder.ts'
import { openStorage, type Storage } from '../platform/process/storage.ts'

/** The keys that decrypt the rows, and the credentials of the lab, which exist nowhere else. */
const keptFiles = ['master.key', 'operator.key', 'lab.json']

export interface BackupOptions {
  dataDir: string | undefined
  /** Only test the restore, in a temporary folder. */
  check?: boolean
}

/** `landbridge backup <folder>`: all rows as of one instant, and the keys, while the service runs or not. */
export async function backup(folder: string, options: BackupOptions): Promise<void> {
  const config = configOf(options)
  const files = await filesOf(config)
  const running = config.databaseUrl ?? (await findRunningPostgres(join(config.dataDir, 'postgres')))
  const storage = running ? null : await open(config)
  try {
    const manifest = await writeBackup({ databaseUrl: running ?? storage!.databaseUrl, files }, resolve(folder))
    console.log(`Backed up ${describe(manifest)} to ${resolve(folder)}.`)
    if (config.databaseUrl === null || 'master.key' in files) {
      console.log('It holds the master key and the operator key: keep it as safe as they are.')
    }
  } finally {
    await storage?.close()
  }
}

/** `landbridge restore <folder>`: into a new data folder, or into an empty database of yours. */
export async function restore(folder: string, options: BackupOptions): Promise<void> {
  if (options.check) return await check(resolve(folder))
  const config = configOf(options)
  if (config.databaseUrl) {
    const manifest = await restoreRows(resolve(folder), config.databaseUrl)
    console.log(`Restored ${describe(manifest)} into the database.`)
    return
  }
  const manifest = await restoreDataFolder(resolve(folder), config)
  console.log(`Restored ${describe(manifest)} into ${config.dataDir}. Start the service on it as always.`)
}

async function check(folder: string): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'landbridge-restore-'))
  try {
    const manifest = await restoreDataFolder(folder, { ...readConfig({}).config, dataDir })
    console.log(`${folder} can be restored: ${describe(manifest)}, every file as it was written.`)
  } finally {
    // Started by root, Postgres may have its cluster elsewhere.
    const elsewhere = (await readFile(join(dataDir, 'postgres', 'elsewhere'), 'utf8').catch(() => '')).trim()
    for (const path of [elsewhere, dataDir]) if (path) await rm(path, { recursive: true, force: true, maxRetries: 20 })
  }
}

async function restoreDataFolder(folder: string, config: Config): Promise<Manifest> {
  await createDataFolder(config.dataDir)
  for (const name of keptFiles) {
    const text = await readFile(join(folder, name), 'utf8').catch(() => null)
    if (text === null) continue
    if ((await keepSecret(config.dataDir, name, () => text.trim())) !== text.trim()) {
      throw new BackupError(`${config.dataDir} has another ${name} than the backup. Restore into a new folder.`)
    }
  }
  const storage = await open(config)
  try {
    return await restoreRows(folder, storage.databaseUrl)
  } finally {
    await storage.close()
  }
}

async function filesOf(config: Config): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const name of keptFiles) {
    const text = await readFile(join(config.dataDir, name), 'utf8').catch(() => null)
    if (text !== null && !config.databaseUrl) files[name] = text
  }
  if (config.masterKey) files['master.key'] = `${config.masterKey.toString('base64')}\n`
  if (config.operatorKey) files['operator.key'] = `${config.operatorKey}\n`
  return files
}

function configOf({ dataDir }: BackupOptions): Config {
  const { config, faults } = readConfig({ ...process.env, ...(dataDir ? { LANDBRIDGE_DATA_DIR: dataDir } : {}) })
  const fault = faults.find(({ variable }) => variable === 'DATABASE_URL' || variable === 'LANDBRIDGE_MASTER_KEY')
  if (fault) throw new BackupError(`${fault.variable} ${fault.message}`)
  return config
}

async function open(config: Config): Promise<Storage> {
  return await openStorage(config, createLog('error'), { onLost: () => process.exit(1) })
}

function describe({ tables, created_at }: Manifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return `${rows.toLocaleString('en')} rows of ${tables.length} tables as of ${created_at}`
}
