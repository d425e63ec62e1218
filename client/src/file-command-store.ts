import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import {
  type CommandStore,
  type RememberedCommand,
  type UnsettledCommand,
  unsettledIn,
  withCommand,
} from './command-store.ts'
import { ignoring, lockFile } from './file-lock.ts'
import { closed } from './queue.ts'

/** How long to wait for a lock that nobody renews, as a killed process on another machine leaves it. */
const waitMs = 20_000

/** A file with so many more lines than there are commands is written anew. */
const spareLines = 1_000

interface Line {
  device: string
  command: RememberedCommand
}

interface Waiting {
  line: Line
  resolve(): void
  reject(error: unknown): void
}

/**
 * Commands in a folder of their own, for one process at a time: what was written survives a kill and a power cut. Give
 * several devices of one process the same store. Only their owner can read the files.
 */
export async function fileCommandStore(folder: string): Promise<CommandStore> {
  const path = resolve(folder)
  await mkdir(path, { recursive: true, mode: 0o700 })
  const unlock = await lockFile(join(path, 'lock'), { until: Date.now() + waitMs, whenAlive: 'give up' })
  if (!unlock) throw new Error(`${path} is used by another process. One process uses a command store at a time.`)
  try {
    const store = new FileCommandStore(path, unlock)
    await store.load()
    return store
  } catch (error) {
    await unlock()
    throw error
  }
}

class FileCommandStore implements CommandStore {
  readonly #folder: string
  readonly #path: string
  readonly #unlock: () => Promise<void>
  readonly #byDevice = new Map<string, RememberedCommand[]>()
  #file: FileHandle | null = null
  #lines = 0
  /** A line of the file has parameters that are not needed any more. */
  #hasErased = false
  #waiting: Waiting[] = []
  #writing: Promise<void> | null = null
  #isClosed = false

  constructor(folder: string, unlock: () => Promise<void>) {
    this.#folder = folder
    this.#path = join(folder, 'commands.jsonl')
    this.#unlock = unlock
  }

  async load(): Promise<void> {
    const text = (await readFile(this.#path, 'utf8').catch(ignoring('ENOENT'))) ?? ''
    // Half a line at the end is one whose writer was killed, and was never told that it is kept.
    for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) if (line) this.#remember(JSON.parse(line))
    await this.#rewrite()
  }

  async read(deviceId: string): Promise<RememberedCommand[]> {
    return this.#byDevice.get(deviceId) ?? []
  }

  async unsettled(): Promise<UnsettledCommand[]> {
    return unsettledIn(this.#byDevice)
  }

  write(deviceId: string, command: RememberedCommand): Promise<void> {
    // Another process may have the folder by now.
    if (this.#isClosed) return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line: { device: deviceId, command }, resolve, reject })
      this.#writing ??= this.#write()
    })
  }

  #remember({ device, command }: Line): void {
    const before = this.#byDevice.get(device) ?? []
    const former = before.find(({ id }) => id === command.id)
    if (former?.parameters && !command.parameters) this.#hasErased = true
    this.#byDevice.set(device, withCommand(before, command))
  }

  /** What came while the last ones were written goes to the disk together. */
  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0)
      try {
        this.#file ??= await this.#rewrite()
        await this.#file.appendFile(batch.map(({ line }) => `${JSON.stringify(line)}\n`).join(''))
        await this.#file.datasync()
        for (const { line } of batch) this.#remember(line)
        this.#lines += batch.length
        // These are kept already; on a full disk it is tried again with the next ones.
        if (this.#hasErased || this.#lines > 2 * this.#kept() + spareLines) await this.#rewrite().catch(() => {})
        for (const { resolve } of batch) resolve()
      } catch (error) {
        // The next one begins with a whole file: half a line must not be continued.
        await this.#closeFile()
        for (const { reject } of batch) reject(error)
      }
    }
    // In the same moment as it was looked at: whoever waited for the last one may come with the next at once.
    this.#writing = null
  }

  #kept(): number {
    let kept = 0
    for (const commands of this.#byDevice.values()) kept += commands.length
    return kept
  }

  /** Beside the old file and renamed, so that a crash leaves the one or the other. */
  async #rewrite(): Promise<FileHandle> {
    const lines: string[] = []
    for (const [device, commands] of this.#byDevice)
      for (const command of commands) lines.push(`${JSON.stringify({ device, command })}\n`)
    const draft = `${this.#path}.new`
    const file = await open(draft, 'w', 0o600)
    try {
      await file.writeFile(lines.join(''))
      await file.sync()
      await rename(draft, this.#path)
    } catch (error) {
      await file.close()
      throw error
    }
    await this.#closeFile()
    const folder = await open(this.#folder, 'r')
    await folder.sync().catch(() => {})
    await folder.close()
    this.#file = file
    this.#lines = lines.length
    this.#hasErased = false
    return file
  }

  async #closeFile(): Promise<void> {
    const file = this.#file
    this.#file = null
    await file?.close().catch(() => {})
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#writing
    await this.#closeFile()
    await this.#unlock()
  }
}
