import { StartFailure } from '../process/start-failure.ts'
import type { Migration } from './migration-files.ts'
import type { Sql } from './sql.ts'

/** Older ones lack what the migrations use. */
const leastVersion = 150_000

interface Facts {
  version: number
  version_text: string
  encoding: string
  role: string
  schema: string | null
  may_create: boolean
  /** Null before the first migration. */
  owner: string | null
  is_owner: boolean | null
}

/**
 * Refuses a server or a role with which a migration, or later the creation of a partition, would fail half-way, in a
 * sentence that says what to do. `missing`: what is to be applied. Changes nothing: `doctor` calls it too.
 */
export async function requireMigratable(sql: Sql, missing: readonly Migration[]): Promise<void> {
  const [facts] = await sql<[Facts]>`
    select
      current_setting('server_version_num')::int as version,
      current_setting('server_version') as version_text,
      current_setting('server_encoding') as encoding,
      current_user as role,
      current_schema() as schema,
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create,
      pg_get_userbyid(relowner) as owner,
      pg_has_role(relowner, 'usage') as is_owner
    from (select to_regclass('migrations') as id) migrations left join pg_class on oid = id`
  const { version, version_text, encoding, role, schema } = facts
  if (version < leastVersion) throw new StartFailure(`Postgres ${version_text} is too old: 15 or newer is needed.`)
  if (encoding !== 'UTF8') throw new StartFailure(`The database has the encoding ${encoding}: create it as UTF8.`)
  if (facts.is_owner === false) {
    const advice = `connect as ${facts.owner}, or run "reassign owned by ${facts.owner} to ${role}"`
    throw new StartFailure(`The tables belong to the role ${facts.owner}, so ${role} may not change them: ${advice}.`)
  }
  if (schema === null) {
    throw new StartFailure(`No schema in the search_path of the role ${role} exists: create one, or set another path.`)
  }
  if (!facts.may_create) {
    const advice = `run "grant create on schema ${schema} to ${role}", or let ${role} own the database`
    throw new StartFailure(`The role ${role} may not create tables in the schema ${schema}: ${advice}.`)
  }
  for (const extension of extensionsOf(missing)) await requireExtension(sql, extension, role)
}

function extensionsOf(migrations: readonly Migration[]): Set<string> {
  const created = migrations.flatMap(({ text }) => [...text.matchAll(/create extension if not exists (\w+)/g)])
  return new Set(created.map(([, name]) => name!))
}

/** Created on trial where it is missing: only Postgres, or the service that runs it, knows whether it may be. */
async function requireExtension(sql: Sql, extension: string, role: string): Promise<void> {
  const [installed] = await sql<{ schema: string; visible: boolean }[]>`
    select nspname as schema, nspname = any (current_schemas(true)) as visible
    from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = ${extension}`
  if (installed && !installed.visible) {
    const path = `"alter role ${role} set search_path = \\"$user\\", public, ${installed.schema}"`
    throw new StartFailure(
      `The extension ${extension} is in the schema ${installed.schema}, which is not in the search_path of the role ${role}: run ${path.replaceAll('\\', '')}.`,
    )
  }
  if (installed) return
  try {
    await sql`begin`
    await sql.unsafe(`create extension ${extension}`)
  } catch (error) {
    const { message } = error as Error
    throw new StartFailure(
      `The role ${role} cannot create the extension ${extension} (${message}): let one who may run "create extension ${extension}" in this database.`,
    )
  } finally {
    await sql`rollback`
  }
}
