import type { BaseContext } from '../../platform/context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import type { SharedJob } from '../../platform/jobs.ts'
import { bucketCount, bucketOf } from '../bucket.ts'
import { type CellAddresses, type HubCell, listBuckets, listCells, updateSeen } from '../store/hub-cells-sql.ts'

/** Published when cells or buckets change; the item has no meaning. */
export const cellsChangedTopic = 'hub_cells.changed'

/** A cell that nobody has seen for so long has no running process. */
const silentMilliseconds = 60_000
const seenEverySeconds = 15
/** A device is sent away only by a map that was read just now: two cells that disagree would send it to and fro. */
const freshMilliseconds = 1_000

interface Bucket {
  cell: HubCell
  redirectAt: number | null
}

/** Which cell serves which devices, in the memory of each process. */
export interface CellMap {
  /** Reads the map, and again with every change; the first call starts it. */
  start(): Promise<void>
  read(): Promise<void>
  /** What registration hands out; null without cells, where the addresses of this process are right. */
  addressesOf(deviceId: string): CellAddresses | null
  /** The cell to which this process has to send a device, or null while it serves the device itself. */
  elsewhere(deviceId: string): Promise<HubCell | null>
  /** The same by the map as it is, without a statement. */
  probablyElsewhere(deviceId: string): HubCell | null
  /** Whether another cell is to serve the device, although this process may still do so. */
  isOfAnotherCell(deviceId: string): boolean
  /** How many buckets each cell has; empty without cells. */
  bucketCounts(): Map<string, number>
  /** Calls the listener after every reading of the map; the returned function unsubscribes. */
  onRead(listener: () => void): () => void
}

export function createCellMap(context: BaseContext): CellMap {
  const { config, now, log } = context
  let buckets: (Bucket | undefined)[] = []
  let readAt = Number.NEGATIVE_INFINITY
  const listeners = new Set<() => void>()

  const read = coalesce<undefined, undefined>(async (calls) => {
    const at = now().getTime()
    const cells = new Map((await listCells(context.sql)).map((cell) => [cell.name, cell]))
    const next: typeof buckets = new Array(bucketCount)
    for (const { cell, redirect_at, buckets } of cells.size === 0 ? [] : await listBuckets(context.sql)) {
      const found = cells.get(cell)
      // Added between the two statements: the notification of it is on its way.
      if (!found) continue
      for (const bucket of buckets) next[bucket] = { cell: found, redirectAt: redirect_at?.getTime() ?? null }
    }
    buckets = next
    readAt = at
    for (const listener of listeners) listener()
    return calls
  })
  const warn = (error: unknown) => log.warn({ err: error }, 'hub cells not read')
  const readAgain = () => void read(undefined).catch(warn)

  function isSentAway(bucket: Bucket | undefined, at: number): boolean {
    if (bucket === undefined || bucket.cell.name === config.cell) return false
    const { redirectAt, cell } = bucket
    return redirectAt !== null && redirectAt <= at && cell.seen_at.getTime() > at - silentMilliseconds
  }

  function probablyElsewhere(deviceId: string): HubCell | null {
    // A process without a cell serves every device.
    if (config.cell === null) return null
    const bucket = buckets[bucketOf(deviceId)]
    return isSentAway(bucket, now().getTime()) ? bucket!.cell : null
  }

  async function start(): Promise<void> {
    // Subscribes before it reads: a change in between is in both.
    await context.notifications.subscribe(cellsChangedTopic, readAgain)
    context.notifications.afterGap(readAgain)
    await read(undefined)
  }

  let started: Promise<void> | undefined
  return {
    start() {
      started ??= start()
      return started
    },
    read: async () => void (await read(undefined)),
    addressesOf(deviceId) {
      const cell = buckets[bucketOf(deviceId)]?.cell
      if (!cell) return null
      const { hub_url, hub_url_static_cert, mqtt_hub_url } = cell
      return { hub_url, hub_url_static_cert, mqtt_hub_url }
    },
    async elsewhere(deviceId) {
      if (probablyElsewhere(deviceId) === null) return null
      if (Math.abs(now().getTime() - readAt) > freshMilliseconds) {
        try {
          await read(undefined)
        } catch (error) {
          warn(error)
          // Any process can store any message.
          return null
        }
      }
      return probablyElsewhere(deviceId)
    },
    probablyElsewhere,
    isOfAnotherCell(deviceId) {
      const bucket = buckets[bucketOf(deviceId)]
      return config.cell !== null && bucket !== undefined && bucket.cell.name !== config.cell
    },
    bucketCounts() {
      const counts = new Map<string, number>()
      for (const bucket of buckets) {
        if (bucket) counts.set(bucket.cell.name, (counts.get(bucket.cell.name) ?? 0) + 1)
      }
      return counts
    },
    onRead(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Says that the cell of this process runs, and reads the map in case a notification was lost. */
export function hubCellsJob(context: BaseContext & { cells: CellMap }): SharedJob {
  return {
    name: 'hub cells',
    everySeconds: seenEverySeconds,
    async runShared() {
      const { cell } = context.config
      if (cell === null) return
      const at = context.now()
      await updateSeen(context.sql, cell, at, new Date(at.getTime() - (seenEverySeconds * 1_000) / 2))
      await context.cells.read()
    },
  }
}

export function isRunning({ seen_at }: HubCell, now: Date): boolean {
  return seen_at.getTime() > now.getTime() - silentMilliseconds
}
