import { statfs } from 'node:fs/promises'
import type { Logger } from 'pino'

/** Whether there is room for telemetry. What little else is written goes on, so that Postgres never meets a full disk. */
export interface DiskSpace {
  isFull(): boolean
  /** Bytes left, where they can be seen: the disk of a Postgres elsewhere cannot. */
  free(): number | null
  /** Postgres said so itself. */
  reportFull(): void
}

export interface WatchedDiskSpace extends DiskSpace {
  stop(): void
}

/** After Postgres said that its disk is full, for so long nothing is tried. */
const reportedMilliseconds = 10_000
const everyMilliseconds = 2_000

export interface DiskSpaceOptions {
  /** Null for a Postgres elsewhere. */
  folder: string | null
  minFreeBytes: number
  log: Logger
}

export async function watchDiskSpace({ folder, minFreeBytes, log }: DiskSpaceOptions): Promise<WatchedDiskSpace> {
  let free: number | null = null
  let reportedUntil = Number.NEGATIVE_INFINITY
  let wasFull = false
  const isFull = () => (free !== null && free < minFreeBytes) || performance.now() < reportedUntil

  async function look(): Promise<void> {
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

  await look()
  const timer = setInterval(() => void look(), everyMilliseconds).unref()
  return {
    isFull,
    free: () => free,
    reportFull() {
      reportedUntil = performance.now() + reportedMilliseconds
      void look()
    },
    stop: () => clearInterval(timer),
  }
}
