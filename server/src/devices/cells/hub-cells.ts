import { type Actor, type NewAuditEvent, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { conflict, found, invalid, type Refusal } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import * as store from '../store/hub-cells-sql.ts'
import { laneOf } from '../telemetry-store/telemetry-store.ts'
import { type BucketMove, emptyOut, evenOut, type Owned, takeTo } from './bucket-moves.ts'
import { cellsChangedTopic, isRunning } from './cell-map.ts'

export interface HubCellView extends store.HubCell {
  running: boolean
  buckets: number
  /** When the last of its buckets begins to be redirected to it; null when all are. */
  redirected_at: Date | null
  /** Buckets whose devices stay where they are until they register again. */
  buckets_without_redirect: number
}

export interface MoveOptions {
  /** The redirects begin one bucket after the other within this time; null for none. */
  redirect_over_seconds: number | null
}

/** The fewest moves after which all open cells have the same number of buckets. */
export async function rebalance(context: Context, actor: Actor, options: MoveOptions): Promise<number> {
  return await changeCells(context, async (sql, cells) => {
    const open = cells.filter(({ state }) => state === 'open')
    if (open.length === 0) throw noOpenCell()
    for (const cell of open) requireRunning(cell, context.now())
    const names = open.map(({ name }) => name)
    return await move(context, sql, actor, evenOut(await ownedBuckets(sql), names), options)
  })
}

/** To try a new cell with a few devices first. */
export async function moveBuckets(
  context: Context,
  actor: Actor,
  to: string,
  { buckets, from_cell, ...options }: MoveOptions & { buckets: number; from_cell: string | undefined },
): Promise<number> {
  return await changeCells(context, async (sql, cells) => {
    const target = requireCell(cells, to)
    if (target.state === 'draining') throw conflict('cell_draining', `Cell ${to} is draining: open it first.`)
    requireRunning(target, context.now())
    const sources = from_cell === undefined ? cells.map(({ name }) => name) : [requireCell(cells, from_cell).name]
    const moves = takeTo(await ownedBuckets(sql), to, buckets, sources)
    if (moves.length < buckets) throw invalid({ field: 'buckets', message: `must be at most ${moves.length}` })
    return await move(context, sql, actor, moves, options)
  })
}

/** Its buckets go to the other open cells, and it is given none until it is opened again. */
export async function drainCell(context: Context, actor: Actor, name: string, options: MoveOptions): Promise<number> {
  return await changeCells(context, async (sql, cells) => {
    const cell = requireCell(cells, name)
    const others = cells.filter((other) => other.name !== name && other.state === 'open')
    const running = others.filter((other) => isRunning(other, context.now())).map((other) => other.name)
    if (running.length === 0) throw noOpenCell()
    if (cell.state === 'open') {
      await store.updateState(sql, name, 'draining')
      await recordAudit(sql, event(context, actor, 'hub_cell.drained', { cell: name }))
    }
    return await move(context, sql, actor, emptyOut(await ownedBuckets(sql), name, running), options)
  })
}

export async function openCell(context: Context, actor: Actor, name: string): Promise<void> {
  await changeCells(context, async (sql, cells) => {
    if (requireCell(cells, name).state === 'open') return
    await store.updateState(sql, name, 'open')
    await recordAudit(sql, event(context, actor, 'hub_cell.opened', { cell: name }))
  })
}

/** A cell that is gone for good. A process of it that starts again adds it again, without buckets. */
export async function removeCell(context: Context, actor: Actor, name: string): Promise<void> {
  await changeCells(context, async (sql, cells) => {
    const cell = requireCell(cells, name)
    if ((await ownedBuckets(sql)).has(name)) {
      throw conflict('cell_in_use', `Cell ${name} still has buckets: drain it first.`)
    }
    // It would go on serving under addresses that no list shows, and come back with its next start.
    if (isRunning(cell, context.now())) {
      throw conflict(
        'cell_in_use',
        `Cell ${name} has a process that runs, or did a minute ago: stop its processes first.`,
      )
    }
    await store.deleteCell(sql, name)
    await recordAudit(sql, event(context, actor, 'hub_cell.removed', { cell: name }))
  })
}

export async function listHubCells(context: Context): Promise<HubCellView[]> {
  const now = context.now()
  const [cells, buckets] = await Promise.all([store.listCells(context.sql), store.listBuckets(context.sql)])
  return cells.map((cell) => {
    const own = buckets.filter((bucket) => bucket.cell === cell.name)
    const count = (groups: typeof own) => groups.reduce((sum, group) => sum + group.buckets.length, 0)
    const ahead = own.flatMap(({ redirect_at }) => (redirect_at && redirect_at > now ? redirect_at.getTime() : []))
    return {
      ...cell,
      running: isRunning(cell, now),
      buckets: count(own),
      redirected_at: ahead.length > 0 ? new Date(Math.max(...ahead)) : null,
      buckets_without_redirect: count(own.filter(({ redirect_at }) => redirect_at === null)),
    }
  })
}

/** Under a lock, so that two operators never plan with the same buckets; every process then reads the map again. */
async function changeCells<Result>(
  context: Context,
  change: (sql: Sql, cells: store.HubCell[]) => Promise<Result>,
): Promise<Result> {
  return await transaction(context.sql, async (sql) => {
    await store.lockCells(sql)
    const result = await change(sql, await store.listCells(sql))
    await context.notifications.publish(sql, cellsChangedTopic, ['cells'])
    return result
  })
}

async function move(
  context: Context,
  sql: Sql,
  actor: Actor,
  moves: BucketMove[],
  { redirect_over_seconds: seconds }: MoveOptions,
): Promise<number> {
  if (moves.length === 0) return 0
  const at = context.now().getTime()
  const redirectAt = (index: number) => {
    return seconds === null ? null : new Date(at + Math.round((seconds * 1_000 * index) / moves.length))
  }
  await store.updateBuckets(
    sql,
    moves.map(({ bucket, to }, index) => ({ bucket, to, redirect_at: redirectAt(index) })),
  )
  const pairs = Map.groupBy(moves, ({ from, to }) => `${from} ${to}`)
  const events = [...pairs.values()].map((moved) => {
    const [{ from, to }] = moved as [BucketMove]
    const details = { from, to, buckets: moved.length, redirect_over_seconds: seconds }
    return event(context, actor, 'hub_cell.buckets_moved', details)
  })
  await recordAudit(sql, ...events)
  return moves.length
}

type CellEvent = Extract<NewAuditEvent['type'], `hub_cell.${string}`>

function event(
  { now }: Pick<Context, 'now'>,
  actor: Actor,
  type: CellEvent,
  details: Record<string, string | number | null>,
): NewAuditEvent {
  return { type, at: now(), actor, details }
}

/** In the order of shards: those that move together then have few shards of a distributed database between them. */
async function ownedBuckets(sql: Sql): Promise<Owned> {
  const owned = new Map<string, number[]>()
  const inOrder = (one: number, other: number) => laneOf(sql, one) - laneOf(sql, other) || one - other
  for (const { cell, buckets } of await store.listBuckets(sql)) {
    owned.set(cell, [...(owned.get(cell) ?? []), ...buckets].toSorted(inOrder))
  }
  return owned
}

function requireCell(cells: store.HubCell[], name: string): store.HubCell {
  return found(
    cells.find((cell) => cell.name === name),
    'cell',
  )
}

function requireRunning(cell: store.HubCell, now: Date): void {
  if (isRunning(cell, now)) return
  const sentence = `Cell ${cell.name} has no process that runs: start one, or drain and remove the cell.`
  throw conflict('cell_not_running', sentence)
}

function noOpenCell(): Refusal {
  return conflict('no_open_cell', 'No other cell is open and has a process that runs: start one, or open one.')
}
