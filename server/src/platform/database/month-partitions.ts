import { type Age, agedBefore, type Sql } from './sql.ts'

/** A month of a table that is dropped by months: the partition `<table>_202611`. */
export interface Month {
  name: string
  from: Date
  /** The start of the next month. */
  to: Date
}

export function monthOf(table: string, at: Date, monthsLater = 0): Month {
  const start = (months: number) => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + monthsLater + months))
  const from = start(0)
  return { name: `${table}_${from.toISOString().slice(0, 7).replace('-', '')}`, from, to: start(1) }
}

/** From the oldest to the newest. */
export async function listMonths(sql: Sql, table: string): Promise<Month[]> {
  const rows = await sql<{ name: string }[]>`
    select child.relname as name
    from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = ${table}::regclass and child.relname ~ ${`^${table}_[0-9]{6}$`}
    order by child.relname`
  return rows.map(({ name }) => {
    const digits = name.slice(-6)
    return monthOf(table, new Date(`${digits.slice(0, 4)}-${digits.slice(4)}-01T00:00:00Z`))
  })
}

/** The months that are to have a partition and have none: this one and the next two, in case no process runs for a while. */
export async function missingMonths(sql: Sql, table: string, now: Date): Promise<Month[]> {
  const existing = new Set((await listMonths(sql, table)).map(({ name }) => name))
  return [0, 1, 2].map((later) => monthOf(table, now, later)).filter(({ name }) => !existing.has(name))
}

/** Statements queue behind a waiting lock, so the job fails soon and tries again at its next run. */
export async function waitBriefly(sql: Sql): Promise<void> {
  await sql`set local lock_timeout = '1s'`
}

/** The months whose last instant is older than that, by the database's clock too. */
export async function monthsOlderThan(sql: Sql, table: string, age: Age): Promise<Month[]> {
  const [row] = await sql<{ limit: Date }[]>`select ${agedBefore(sql, age)} as limit`
  return (await listMonths(sql, table)).filter(({ to }) => to <= row!.limit)
}
