import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, RouteOptions } from 'fastify'
import { tookTooLong } from './database/database.ts'
import type { Pool, Sql } from './database/sql.ts'
import type { App } from './http/app.ts'
import { addRefusals } from './http/document-refusals.ts'
import { ownLimits } from './own-limits.ts'
import { type Reader, type ReadGate, readGate } from './read-gate.ts'
import { Refusal } from './refusal.ts'

/** Whether the cost of a read is bounded by its page, or grows with what its tenant has (decision 10.21). */
export type Reads = 'bounded' | 'growing'

/** The connections for reads that grow with their tenant, and whose turn it is. */
export interface ReadParts {
  reads: Pool
  gate: ReadGate
  /** Exports under way. */
  exportGate: ReadGate
  /** Live streams that look for what they missed. */
  catchUpGate: ReadGate
}

/**
 * Postgres notices within a second that a caller has disconnected. Until then the read counts as running: calls that
 * are sent and dropped in a loop would otherwise fill Postgres with statements that nobody reads.
 */
const endMilliseconds = 1_100

/** Of one tenant at most one less than there are connections, so that another one finds one free. */
export function createReadGates(reads: Pool): Omit<ReadParts, 'reads'> {
  const { readsWaitingPerTenant: maxWaiting, readWaitSeconds: waitSeconds } = ownLimits
  const ofTenant = Math.max(1, Math.min(ownLimits.readsPerTenant, reads.max - 1))
  return {
    gate: readGate({ atOnce: reads.max, ofTenant, maxWaiting, waitSeconds }),
    // Each holds a page of rows; its statements go through the other gate.
    exportGate: readGate({ atOnce: 100, ofTenant: ownLimits.exportsPerTenant, maxWaiting: 4, waitSeconds }),
    // Streams that resume wait without a bound: there are few enough of them, and refused ones would come again at once.
    catchUpGate: readGate({ atOnce: 8, ofTenant: 1, maxWaiting: 0, waitSeconds: 0 }),
  }
}

/** Each statement waits for its tenant's turn. Postgres ends one that takes too long, or whose own signal is aborted. */
export function gatedReads({ reads, gate }: Pick<ReadParts, 'reads' | 'gate'>, reader: Reader): Sql {
  return reads.through(async (run, cancelling) => {
    try {
      return await gate(reader, async () => {
        try {
          return await run()
        } finally {
          if (cancelling?.aborted) await sleep(endMilliseconds)
        }
      })
    } catch (error) {
      if (reader.signal?.aborted) throw new Refusal(499, 'caller_left', 'The caller closed the connection.')
      if (tookTooLong(error)) throw tooLarge()
      throw error
    }
  })
}

function tooLarge(): Refusal {
  const sentence = `Reading this took more than ${ownLimits.readSeconds} seconds. Ask for a shorter range or fewer data points.`
  return new Refusal(422, 'read_too_large', sentence)
}

/** The context of a read that grows with its tenant: all its statements take turns. */
export function gated<Whole extends ReadParts & { sql: Pool }>(context: Whole, reader: Reader): Whole {
  return { ...context, sql: gatedReads(context, reader) as Pool, reader }
}

/**
 * Writes an export as its caller reads it: while the caller does not, neither a connection nor more than a page is held.
 * `open` reads the first page, so that a wrong request is still refused.
 */
export async function sendExport<Whole extends ReadParts & { sql: Pool }>(
  context: Whole,
  {
    reader,
    reply,
    open,
    begin,
  }: {
    reader: Reader
    reply: FastifyReply
    open(context: Whole): Promise<AsyncIterable<string>>
    /** Records the export and returns its Content-Disposition. */
    begin(): Promise<string>
  },
): Promise<FastifyReply> {
  const closed = new Promise<void>((resolve) => reply.raw.once('close', resolve))
  await new Promise<void>((resolve, reject) => {
    const hold = () => {
      resolve()
      return closed
    }
    context.exportGate(reader, hold).catch(reject)
  })
  const own = { ...reader, patient: false }
  const lines = await open(gated(context, own))
  own.patient = true
  reply.header('content-disposition', await begin())
  // By bytes: in object mode a stream would read sixteen pages ahead.
  return reply.send(Readable.from(withRests(lines), { objectMode: false }))
}

/** Of the time that a read over everything takes, this share is spent reading: the rest is for other requests. */
const busyShare = 1 / 4

/** For reads over all that a tenant has: they are long anyway, and would keep a core of the database and of this process busy. */
export async function* withRests<Part>(parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  let began = performance.now()
  for await (const part of parts) {
    const busy = performance.now() - began
    yield part
    await sleep(busy * (1 / busyShare - 1))
    began = performance.now()
  }
}

/** A read that does not say what it costs does not start. Call it before the scope's routes. */
export function requireDeclaredReads(app: App): void {
  app.addHook('onRoute', (route: RouteOptions & { config?: { reads?: Reads; refuses?: boolean } }) => {
    const { method, url, config } = route
    if (config?.reads === 'growing') addRefusals(route, { 422: ['read_too_large'], 429: ['too_many_reads'] })
    if (![method].flat().includes('GET') || config?.reads || config?.refuses) return
    throw new Error(`GET ${url} must declare \`reads\`: bounded, or growing with its tenant (decision 10.21).`)
  })
}
