import { statfs } from 'node:fs/promises'
import type { Logger } from 'pino'

/** Whether there is room for telemetry. Refusing it early leaves room for all other writes, which are small. */
export interface DiskSpace {
  isFull(): boolean
  /** Free bytes; null for a Postgres on another machine, whose disk is not visible. */
  free(): number | null
  /** Postgres reported that its disk is full. */
  reportFull(): void
}

export interface WatchedDiskSpace extends DiskSpace {
  stop(): void
}

/** How long telemetry is refused after Postgres reported a full disk. */
const reportedMilliseconds = 10_000
const everyMilliseconds = 2_000

export interface DiskSpaceOptions {
  /** Null for a Postgres on another machine. */
  folder: string | null
  minFreeBytes: number
  log: Logger
}

export async function watchDiskSpace({ folder, minFreeBytes, log }: DiskSpaceOptions): Promise<WatchedDiskSpace> {
  let free: number | null = null
  let reportedUntil = Number.NEGATIVE_INFINITY
  let wasFull = false
  const isFull = () => (free !== null && free < minFreeBytes) || performance.now() < reportedUntil

  async function check(): Promise<void> {
    if (folder !== null) {
      const disk = await statfs(folder).catch(() => null)
      free = disk ? disk.bavail * disk.bsize : null
    }
    if (isFull() && !wasFull) {
      log.error({ free_bytes: free }, 'the disk is full: telemetry is refused until there is room again')
    }
    if (!isFull() && wasFull) log.info({ free_bytes: free }, 'there is room on the disk again: telemetry is accepted')
    wasFull = isFull()
  }

  await check()
  const timer = setInterval(() => void check(), everyMilliseconds).unref()
  return {
    isFull,
    free: () => free,
    reportFull() {
      reportedUntil = performance.now() + reportedMilliseconds
      void check()
    },
    stop: () => clearInterval(timer),
  }
}
