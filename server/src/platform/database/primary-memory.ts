import pg from 'pg'
import type { Logger } from 'pino'
import type { Connection, PrimaryJudge, PrimaryRow } from './connection.ts'
import { createTag, type Tag } from './statement.ts'

/** How far a server is: where its write-ahead log ends, as far as it is on the disk. */
export interface Position {
  system: string
  timeline: bigint
  lsn: bigint
}

/** What this process knows of the primary that it wrote to. */
export interface KnownPrimary {
  /** The row of `primary_terms` that it wrote, or found, there: each primary that continues that one has it. */
  term: string
  /** Null where the service that runs Postgres does not let an ordinary role read it. */
  position: Position | null
  /** When it was last asked, by its own clock. */
  seenAt: Date
}

export interface SeenPrimary {
  hasTerm: boolean
  position: Position | null
  at: Date
  /** The last loss that an operator accepted on this server. */
  accepted: { term: string; at: Date } | null
}

export type PrimaryVerdict = 'same' | 'newer' | 'accepted' | 'behind'

/** Decision 3.41. */
export function judgePrimary(known: KnownPrimary, seen: SeenPrimary): PrimaryVerdict {
  if (seen.accepted && seen.accepted.at > known.seenAt) return 'accepted'
  if (!seen.hasTerm) return 'behind'
  if (!known.position || !seen.position) return 'same'
  if (seen.position.system !== known.position.system) return 'newer'
  if (seen.position.timeline < known.position.timeline) return 'behind'
  if (seen.position.timeline > known.position.timeline) return 'newer'
  return seen.position.lsn < known.position.lsn ? 'behind' : 'same'
}

/** Columns of a position, from functions that every role may call. A server in recovery has none, and the functions fail there. */
const positionColumns = `
  case when not pg_is_in_recovery() then (select system_identifier::text from pg_control_system()) end as system,
  case when not pg_is_in_recovery() then
    ('x' || lpad(left(pg_walfile_name(pg_current_wal_lsn()), 8), 16, '0'))::bit(64)::bigint end as timeline,
  case when not pg_is_in_recovery() then
    pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint end as lsn`
const noPosition = 'null as system, null as timeline, null as lsn'

type PositionRow = Pick<PrimaryRow, 'system' | 'timeline' | 'lsn'>

/** The columns that each new connection selects, so that the question costs no statement of its own. */
function questionAbout({ term, position }: KnownPrimary): string {
  const accepted = 'from primary_terms where accepted_at is not null order by accepted_at desc limit 1'
  return `, ${position ? positionColumns : noPosition}, clock_timestamp() as at,
    exists (select from primary_terms where id = '${term}') as has_term,
    (select id ${accepted}) as accepted_term, (select accepted_at ${accepted}) as accepted_at`
}

const toPosition = ({ system, timeline, lsn }: PositionRow): Position | null =>
  system === null || timeline === null || lsn === null ? null : { system, timeline, lsn }

/**
 * Shared by all connections of a process to one database: a server that lacks what this process has written is no
 * primary for it, whatever it says itself. Knows nothing, and asks nothing, before `follow`.
 */
export class PrimaryMemory implements PrimaryJudge {
  #known: KnownPrimary | null = null
  #refusal: string | null = null
  #log: Logger | null = null
  /** Its term has to be recorded on the primary. */
  #isNew = false

  /** Begins with the primary that `sql` is connected to; returns what ends it. */
  async follow(sql: Tag, log: Logger, everySeconds = 60): Promise<() => void> {
    this.#log = log
    const seen = await readPosition(sql).catch(async (error) => {
      if (!(error instanceof pg.DatabaseError)) throw error
      log.warn({ err: error }, 'the position of Postgres cannot be read, so an old primary is known only by its rows')
      const [row] = await sql<[{ at: Date }]>`select clock_timestamp() as at`
      return { position: null, at: row.at }
    })
    const term = await beginTerm(sql, seen.position)
    this.#known = { term, position: seen.position, seenAt: seen.at }
    // Connections live for long: without this, rows written since the last new one could be lost unnoticed.
    const timer = setInterval(() => void this.advance(sql).catch(() => {}), everySeconds * 1000).unref()
    return () => clearInterval(timer)
  }

  /** Remembers how far the primary in use has come. */
  async advance(sql: Tag): Promise<void> {
    if (!this.#known?.position) return
    const seen = await readPosition(sql)
    const { position } = this.#known
    if (seen.position?.system !== position.system || seen.position.timeline !== position.timeline) return
    if (seen.position.lsn > position.lsn) this.#known = { ...this.#known, position: seen.position, seenAt: seen.at }
  }

  /** Why no server is used, as a sentence, while one accepts writes and must not be used. */
  refusal(): string | null {
    return this.#refusal
  }

  /** Of a server that has no table for the terms: it is another database, or an empty one. */
  isOther(error: unknown): boolean {
    return this.#known !== null && error instanceof pg.DatabaseError && error.code === '42P01'
  }

  /** What a new connection asks, and how its response is judged. */
  question(): { columns: string; judge(row: PrimaryRow, connection: Connection): string | null } {
    const known = this.#known
    if (!known) return { columns: '', judge: () => null }
    return { columns: questionAbout(known), judge: (row, connection) => this.#judge(known, row, connection) }
  }

  /** By what was known when the connection was begun: another one may have read a later position meanwhile. */
  #judge(known: KnownPrimary, row: PrimaryRow, connection: Connection): string | null {
    const accepted = row.accepted_at && { term: row.accepted_term!, at: row.accepted_at }
    const seen: SeenPrimary = { hasTerm: row.has_term, position: toPosition(row), at: row.at, accepted }
    const verdict = judgePrimary(known, seen)
    const latest = this.#known!
    // Another connection has followed a newer one meanwhile.
    const isOvertaken = (latest.position?.timeline ?? 0n) > (seen.position?.timeline ?? 0n) && verdict === 'same'
    if (verdict === 'behind' || isOvertaken) return describeRefusal(latest, seen)
    if (verdict === 'same') this.#known = { ...latest, position: later(latest, seen), seenAt: seen.at }
    else {
      const term = verdict === 'accepted' ? accepted!.term : latest.term
      this.#known = { term, position: seen.position, seenAt: seen.at }
      this.#isNew = verdict === 'newer'
      this.#log?.warn({ verdict, ...plain(seen.position) }, 'following another primary')
    }
    if (this.#isNew) void this.#record(connection, seen.position)
    return null
  }

  /** Ahead of the first statement of its caller, who does not wait for it. */
  async #record(connection: Connection, at: Position | null): Promise<void> {
    this.#isNew = false
    try {
      const sql = createTag((prepared) => connection.run(prepared), null)
      const term = await beginTerm(sql, at)
      this.#known = { ...this.#known!, term }
    } catch {
      // The next connection records it.
      this.#isNew = true
    }
  }

  /** The first reason stays until a primary is used again: positions in it would change with every search. */
  refuse(reason: string): void {
    if (!this.#refusal) this.#log?.error(reason)
    this.#refusal ??= reason
  }

  clear(): void {
    if (this.#refusal) this.#log?.warn('a primary is used again')
    this.#refusal = null
  }
}

function later({ position }: KnownPrimary, seen: SeenPrimary): Position | null {
  return position && seen.position && position.lsn > seen.position.lsn ? position : seen.position
}

export function describeRefusal(known: KnownPrimary, seen: SeenPrimary): string {
  const compared =
    known.position && seen.position
      ? ` (timeline ${seen.position.timeline} at ${nameOf(seen.position.lsn)}, where this process wrote to timeline ${known.position.timeline} at ${nameOf(known.position.lsn)})`
      : ''
  return `the primary lacks what was acknowledged${compared}, so it is not used: bring the right one back, or accept the loss with "npx landbridge accept-loss"`
}

/** As Postgres writes a position. */
function nameOf(lsn: bigint): string {
  return `${(lsn >> 32n).toString(16)}/${(lsn & 0xffffffffn).toString(16)}`.toUpperCase()
}

function plain(position: Position | null): object {
  return position ? { timeline: Number(position.timeline), lsn: nameOf(position.lsn) } : {}
}

async function readPosition(sql: Tag): Promise<{ position: Position | null; at: Date }> {
  const [row] = (await sql.unsafe(`select clock_timestamp() as at, ${positionColumns}`)) as (PositionRow & {
    at: Date
  })[]
  return { position: toPosition(row!), at: row!.at }
}

/** Without a position all primaries share a row. */
const keyOf = (at: Position | null) => ({ system: at?.system ?? '', timeline: String(at?.timeline ?? 0) })

async function beginTerm(sql: Tag, at: Position | null): Promise<string> {
  const { system, timeline } = keyOf(at)
  const [row] = await sql<[{ id: string }]>`
    insert into primary_terms (id, system_identifier, timeline, begun_at)
    values (gen_random_uuid(), ${system}, ${timeline}::bigint, clock_timestamp())
    on conflict (system_identifier, timeline) do update set timeline = excluded.timeline
    returning id`
  return row.id
}

/** Null where an ordinary role may not read it. */
export async function findPosition(sql: Tag): Promise<Position | null> {
  return await readPosition(sql).then(
    ({ position }) => position,
    () => null,
  )
}

/**
 * Every process follows this primary from now on. It gets another term, so that the one whose rows are given up is
 * refused should it return.
 */
export async function acceptLoss(sql: Tag, position: Position | null): Promise<{ primary: string; at: Date }> {
  const { system, timeline } = keyOf(position)
  const [row] = await sql<[{ at: Date }]>`
    insert into primary_terms (id, system_identifier, timeline, begun_at, accepted_at)
    values (gen_random_uuid(), ${system}, ${timeline}::bigint, clock_timestamp(), clock_timestamp())
    on conflict (system_identifier, timeline) do update set id = excluded.id, accepted_at = excluded.accepted_at
    returning accepted_at as at`
  return { primary: position ? `timeline ${position.timeline} at ${nameOf(position.lsn)}` : 'it', at: row.at }
}
