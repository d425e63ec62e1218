// What a run prints, and what fails it.
import assert from 'node:assert/strict'
import { toMegabytes } from '../../bench/memory.ts'
import { deletions, outlasts } from './deletions.ts'
import type { Figures, TableFigures } from './figures.ts'
import { lateGrowth, latePeakGrowth } from './growth.ts'

export interface Taken extends Figures {
  /** Seconds since the run began. */
  at: number
  p99: number
}

/** Of the last quarter of the run over the one before; of waves, over all before. */
const allowedGrowth = { memory: 0.1, files: 0.1, connections: 0.1, bytes: 0.1, indexes: 0.1, dead: 0.5, p99: 1 }
/** Dead rows come and go with each vacuum, and memory with each large collection. */
const waves = new Set(['memory', 'dead'])
/** A few pages more are no growth: a table of a few hundred rows gains as much when the machine is quicker. */
const allowedBytes = 512 * 1024

export function printTables(taken: Taken[]): void {
  console.table(
    taken.map(({ at, memory, files, connections, bytes, indexes, wal, dead, p99 }) => ({
      minute: Math.round(at / 6) / 10,
      memory: toMegabytes(memory),
      ...{ files, connections, tables: toMegabytes(bytes), indexes: toMegabytes(indexes) },
      ...{ wal: toMegabytes(wal), dead, 'p99 ms': Math.round(p99) },
    })),
  )
  console.table(
    grownTables(taken).map(([table, { rows, bytes, indexes }]) => ({
      table,
      rows,
      size: toMegabytes(bytes),
      'of it indexes': toMegabytes(indexes),
      'deleted by': deletions.get(table)?.by ?? 'nothing',
      'after (min)': deletions.get(table)?.after ?? null,
      'last quarter': `${(growthOf(taken, table) * 100).toFixed(0)} %`,
    })),
  )
}

function growthOf(taken: Taken[], table: string): number {
  return lateGrowth(taken.map(({ tables }) => tables.get(table)?.bytes ?? 0))
}

/** In the last quarter. */
function bytesGained(taken: Taken[], table: string): number {
  const sizes = taken.slice(-Math.floor(taken.length / 4)).map(({ tables }) => tables.get(table)?.bytes ?? 0)
  return sizes.at(-1)! - sizes[0]!
}

/** By half since the first figures, the largest first. */
function grownTables(taken: Taken[]): [string, TableFigures][] {
  const first = taken[0]!.tables
  return [...taken.at(-1)!.tables]
    .filter(([name, { bytes }]) => bytes > 1.5 * (first.get(name)?.bytes ?? 0))
    .toSorted(([, one], [, other]) => other.bytes - one.bytes)
}

export function requireFlat(taken: Taken[], minutes: number): void {
  const grew = Object.entries(allowedGrowth).map(([name, allowed]) => {
    const series = taken.map((figures) => figures[name as keyof typeof allowedGrowth])
    const growth = waves.has(name) ? latePeakGrowth(series) : lateGrowth(series)
    console.log(`${name}: ${(growth * 100).toFixed(0)} % in the last quarter`)
    return growth > allowed ? name : null
  })
  const growing = grownTables(taken)
    .map(([name]) => name)
    .filter((name) => !outlasts(name, minutes))
    .filter((name) => growthOf(taken, name) > 0.1 && bytesGained(taken, name) > allowedBytes)
  assert.deepEqual([...grew.filter((name) => name !== null), ...growing], [], 'these should have stopped growing')
}
