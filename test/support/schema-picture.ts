import type { Sql } from '../../server/src/platform/database/sql.ts'
import { type Area, areas, type Relation } from './relations.ts'

interface Described {
  name: string
  comment: string | null
}

interface KeyColumn {
  table: string
  name: string
  type: string
  /** PK, FK or both. */
  keys: string[]
}

interface Reference {
  table: string
  target: string
  columns: string
  optional: boolean
}

/** One section per area: what its tables hold, a diagram of their keys, and the views that others may read. */
export async function drawSchema(sql: Sql, relations: Map<string, Relation>): Promise<string> {
  const described = new Map((await describe(sql)).map(({ name, comment }) => [name, comment]))
  const columns = Map.groupBy(await keyColumns(sql), ({ table }) => table)
  const references = await listReferences(sql)
  const drawArea = (area: Area) => {
    const names = (kind: Relation['kind']) =>
      [...relations].flatMap(([name, of]) => (of.area === area && of.kind === kind && described.has(name) ? name : []))
    const list = (kind: Relation['kind']) => names(kind).map((name) => `| \`${name}\` | ${described.get(name) ?? ''} |`)
    const entities = names('table').flatMap((table) => {
      const keys = (columns.get(table) ?? []).map(({ type, name, keys }) => `    ${type} ${name} ${keys.join(', ')}`)
      return keys.length > 0 ? [`  ${table} {`, ...keys, '  }'] : [`  ${table}`]
    })
    const lines = references
      .filter(({ table }) => names('table').includes(table))
      .map(
        ({ table, target, columns, optional }) => `  ${target} ${optional ? '|o' : '||'}--o{ ${table} : "${columns}"`,
      )
    const views = list('view')
    return [
      ...[`### ${area[0]!.toUpperCase()}${area.slice(1)}`, ''],
      ...['| table | what it holds |', '|---|---|', ...list('table'), ''],
      ...(lines.length > 0 ? ['```mermaid', 'erDiagram', ...entities, ...lines, '```', ''] : []),
      ...(views.length > 0 ? ['| view for other areas | what it shows |', '|---|---|', ...views, ''] : []),
    ].join('\n')
  }
  return areas.map(drawArea).join('\n')
}

/** Partitions are parts of their table. */
async function describe(sql: Sql): Promise<Described[]> {
  return await sql<Described[]>`
    select relname as name, obj_description(oid, 'pg_class') as comment
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') and not relispartition`
}

async function keyColumns(sql: Sql): Promise<KeyColumn[]> {
  return await sql<KeyColumn[]>`
    select c.conrelid::regclass::text as table, a.attname as name, t.typname as type,
      array_agg(distinct kind order by kind desc) as keys
    from pg_constraint c
    cross join lateral (values (case c.contype when 'p' then 'PK' else 'FK' end)) as key (kind)
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
    join pg_type t on t.oid = a.atttypid
    where c.connamespace = 'public'::regnamespace and c.contype in ('p', 'f')
    group by c.conrelid, a.attnum, a.attname, t.typname
    order by c.conrelid::regclass::text, a.attnum`
}

async function listReferences(sql: Sql): Promise<Reference[]> {
  return await sql<Reference[]>`
    select c.conrelid::regclass::text as table, c.confrelid::regclass::text as target,
      string_agg(a.attname, ', ' order by k.position) as columns, bool_or(not a.attnotnull) as optional
    from pg_constraint c
    cross join unnest(c.conkey) with ordinality k (attnum, position)
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum
    where c.connamespace = 'public'::regnamespace and c.contype = 'f'
    group by c.oid, c.conrelid, c.confrelid
    order by 1, 2, 3`
}
