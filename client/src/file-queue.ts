import { type FileHandle, mkdir, open, readdir, readFile, rename, truncate, unlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Message } from './devices.ts'
import { lockFile } from './file-lock.ts'
import { closed, type OutboxQueue, type Queued } from './queue.ts'

/** A file is begun anew at so many messages or bytes. */
const segmentLimits = { messages: 5_000, bytes: 4_000_000 }

interface Segment {
  /** The key of its first message; also its name. */
  first: number
  /** The key after its last message. */
  end: number
}

interface Waiting {
  line: string
  resolve(): void
  reject(error: unknown): void
}

/** How long to wait for a lock that nobody renews, as a killed process on another machine leaves it. */
const waitMs = 20_000

/**
 * A queue in a folder of its own, for one process at a time. A message survives a kill and a power cut once `push` has
 * resolved. The files hold access keys: only their owner can read them.
 */
export async function fileQueue(folder: string): Promise<OutboxQueue> {
  const path = resolve(folder)
  await mkdir(path, { recursive: true, mode: 0o700 })
  const unlock = await lockFile(join(path, 'lock'), { until: Date.now() + waitMs, whenAlive: 'give up' })
  if (!unlock) throw new Error(`${path} is used by another process. One outbox uses a queue at a time.`)
  try {
    return await FileQueue.open(path, unlock)
  } catch (error) {
    await unlock()
    throw error
  }
}

class FileQueue implements OutboxQueue {
  readonly #folder: string
  readonly #unlock: () => Promise<void>
  /** Oldest first; the last one is written to. */
  readonly #segments: Segment[]
  /** Everything before it was removed. */
  #position: number
  readonly #removed = new Set<number>()
  #file: FileHandle | null = null
  #bytes = 0
  #waiting: Waiting[] = []
  #inFlight = 0
  #isClosed = false
  #writing: Promise<void> | null = null
  #turn: Promise<unknown> = Promise.resolve()
  /** The messages of the segment that is read from. */
  #read: { first: number; messages: Queued[] } | null = null

  private constructor(folder: string, unlock: () => Promise<void>, segments: Segment[], position: number) {
    this.#folder = folder
    this.#unlock = unlock
    this.#segments = segments
    this.#position = position
  }

  static async open(folder: string, unlock: () => Promise<void>): Promise<FileQueue> {
    const names = (await readdir(folder)).filter((name) => /^\d{16}\.jsonl$/.test(name)).sort()
    const firsts = names.map((name) => Number.parseInt(name, 10))
    const segments: Segment[] = []
    for (const [index, first] of firsts.entries()) {
      // Only the last file can end in the middle of a message, if we were killed while writing it.
      const end = firsts[index + 1] ?? first + (await completeLines(join(folder, names[index]!)))
      segments.push({ first, end })
    }
    const written = Number(await readFile(join(folder, 'position'), 'utf8').catch(() => '0'))
    const kept = Number.isSafeInteger(written) ? written : 0
    const [lowest, highest] = [segments[0]?.first ?? Math.max(kept, 1), segments.at(-1)?.end ?? Math.max(kept, 1)]
    const position = Math.min(Math.max(kept, lowest), highest)
    return new FileQueue(folder, unlock, segments, position)
  }

  get size(): number {
    return this.#next - this.#position - this.#removed.size + this.#waiting.length + this.#inFlight
  }

  get #next(): number {
    return this.#segments.at(-1)?.end ?? this.#position
  }

  push(message: Message): Promise<void> {
    // Another process may have the folder by now.
    if (this.#isClosed) return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line: `${JSON.stringify(message)}\n`, resolve, reject })
      this.#writing ??= this.#write()
    })
  }

  /** What came while the last ones were written goes to the disk together. */
  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, segmentLimits.messages)
      this.#inFlight = batch.length
      try {
        await this.#append(batch.map(({ line }) => line))
        for (const { resolve } of batch) resolve()
      } catch (error) {
        this.#inFlight = 0
        await this.#discardUnfinished()
        for (const { reject } of batch) reject(error)
      }
    }
    // In the same moment as it was looked at: whoever waited for the last one may come with the next at once.
    this.#writing = null
  }

  async #append(lines: string[]): Promise<void> {
    const last = this.#segments.at(-1)
    const isFull = last && (last.end - last.first >= segmentLimits.messages || this.#bytes >= segmentLimits.bytes)
    if (isFull) await this.#closeFile()
    if (!this.#file) {
      const first = this.#next
      this.#file = await open(this.#nameOf(first), 'w', 0o600)
      this.#bytes = 0
      await syncFolder(this.#folder)
      if (this.#segments.at(-1)?.first !== first) this.#segments.push({ first, end: first })
    }
    const bytes = Buffer.from(lines.join(''))
    await this.#file.appendFile(bytes)
    await this.#file.datasync()
    this.#bytes += bytes.length
    this.#segments.at(-1)!.end += lines.length
    this.#inFlight = 0
  }

  /** Their callers were told that they are not kept; half a line must not be continued either. */
  async #discardUnfinished(): Promise<void> {
    await this.#file?.truncate(this.#bytes).catch(() => {})
    await this.#closeFile()
  }

  async #closeFile(): Promise<void> {
    const file = this.#file
    this.#file = null
    await file?.close().catch(() => {})
  }

  oldest(count: number, after = 0): Promise<Queued[]> {
    return this.#inTurn(() => this.#oldest(count, Math.max(after + 1, this.#position)))
  }

  remove(keys: number[]): Promise<void> {
    return this.#inTurn(() => this.#remove(keys))
  }

  /** A file must not be deleted while it is read. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {})
    return result
  }

  async #oldest(count: number, from: number): Promise<Queued[]> {
    const oldest: Queued[] = []
    for (const segment of [...this.#segments]) {
      if (oldest.length >= count) break
      if (segment.end <= from || segment.end === segment.first) continue
      for (const message of await this.#load(segment)) {
        if (message.key < from || this.#removed.has(message.key)) continue
        if (oldest.push(message) === count) break
      }
    }
    return oldest
  }

  async #load({ first, end }: Segment): Promise<Queued[]> {
    if (this.#read?.first === first && this.#read.messages.length === end - first) return this.#read.messages
    const lines = (await readFile(this.#nameOf(first), 'utf8')).split('\n', end - first)
    const messages = lines.map((line, index) => ({ ...(JSON.parse(line) as Message), key: first + index }))
    this.#read = { first, messages }
    return messages
  }

  async #remove(keys: number[]): Promise<void> {
    for (const key of keys) if (key >= this.#position && key < this.#next) this.#removed.add(key)
    while (this.#removed.delete(this.#position)) this.#position += 1
    // First, since on a full disk nothing else makes room. The last file stays: its name tells which key comes next.
    while (this.#segments.length > 1 && this.#segments[0]!.end <= this.#position) {
      await unlink(this.#nameOf(this.#segments.shift()!.first)).catch(() => {})
    }
    const temporary = join(this.#folder, 'position.new')
    // Without it the same messages are sent again after a restart, and stored once.
    await writeFile(temporary, String(this.#position), { mode: 0o600 })
      .then(() => rename(temporary, join(this.#folder, 'position')))
      .catch(() => {})
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#writing
    await this.#turn
    await this.#closeFile()
    await this.#unlock()
  }

  #nameOf(first: number): string {
    return join(this.#folder, `${String(first).padStart(16, '0')}.jsonl`)
  }
}

/** How many whole lines a file has; half a line at its end is cut off. */
async function completeLines(path: string): Promise<number> {
  const bytes = await readFile(path)
  let lines = 0
  let end = 0
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) {
    lines += 1
    end = at + 1
  }
  if (end < bytes.length) await truncate(path, end)
  return lines
}

/** A new file is there after a power cut only if its folder was written too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => null)
  await folder?.sync().catch(() => {})
  await folder?.close()
}
