import type { Client } from 'pg'

export interface Table {
  name: string
  /** Without those that Postgres computes itself. */
  columns: string[]
  /** A partition is created by name, since jobs create them and no migration does. */
  partition: { of: string; bounds: string } | null
}

export interface Sequence {
  name: string
  value: string
}

/** Every table whose rows outlive a crash, each after the tables it refers to. Unlogged ones hold nothing worth keeping. */
export async function listTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table & { refers_to: string[] }>(`
    select
      relname as name,
      array(
        select attname::text from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum
      ) as columns,
      case when relispartition then jsonb_build_object(
        'of', (select inhparent::regclass::text from pg_inherits where inhrelid = pg_class.oid),
        'bounds', pg_get_expr(relpartbound, oid)
      ) end as partition,
      array(
        select distinct confrelid::regclass::text from pg_constraint
        where conrelid = pg_class.oid and contype = 'f' and confrelid <> conrelid
      ) as refers_to
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relpersistence = 'p'
      and relname <> 'migrations'
    order by relname`)
  const sorted: Table[] = []
  const listed = new Set<string>()
  for (let waiting = rows; waiting.length > 0; ) {
    const next = waiting.filter(({ refers_to }) => refers_to.every((name) => listed.has(name)))
    if (next.length === 0)
      throw new Error(`These tables refer to each other: ${waiting.map(({ name }) => name).join(', ')}`)
    for (const { name, columns, partition } of next) {
      listed.add(name)
      sorted.push({ name, columns, partition })
    }
    waiting = waiting.filter(({ name }) => !listed.has(name))
  }
  return sorted
}

export async function listSequences(client: Client): Promise<Sequence[]> {
  const { rows } = await client.query<Sequence>(`
    select sequencename as name, last_value::text as value
    from pg_sequences where schemaname = current_schema() and last_value is not null order by 1`)
  return rows
}
