import { type Sql, selectPlacements } from '../../platform/database/sql.ts'

/** Everything that a message touches: spread by bucket and colocated, so that a bucket is on one server. */
const tables = [
  'device_states',
  'history',
  'status_changes',
  'status_history',
  'offline_deadlines',
  'device_connections',
  'device_commands',
  'device_settings',
] as const

export async function hasExtension(sql: Sql, name: string): Promise<boolean> {
  const [row] = await sql`select from pg_extension where extname = ${name}`
  return row !== undefined
}

export async function isDistributed(sql: Sql): Promise<boolean> {
  const [row] = await sql`select from pg_dist_partition where logicalrelid = to_regclass('device_states')`
  return row !== undefined
}

export async function createColumnarExtension(sql: Sql): Promise<void> {
  await sql`create extension if not exists citus_columnar`
}

/**
 * Distributes the tables that are not distributed yet. Indexes of history are made for each partition instead of for
 * all: a day that was packed has none. A move of a shard needs to identify rows, also those without a primary key.
 */
export async function distributeTables(sql: Sql): Promise<void> {
  await sql.unsafe(`
    do $$
    declare
      name text;
    begin
      set local citus.multi_shard_modify_mode = 'sequential';
      foreach name in array '{${tables.join()}}'::text[] loop
        if exists (select from pg_dist_partition where logicalrelid = name::regclass) then
          continue;
        end if;
        if name = 'history' then
          drop index history_by_device, history_by_message_id;
          alter table history replica identity full;
        end if;
        perform create_distributed_table(
          name, 'bucket', colocate_with => case when name = 'device_states' then 'none' else 'device_states' end
        );
      end loop;
    end $$`)
}

/** What statements call has to exist on every server, also when it was created before the servers were added. */
export async function distributeFunction(sql: Sql, signature: string): Promise<void> {
  await sql`
    select create_distributed_function(${signature}::regprocedure)
    where not exists (
      select from pg_catalog.pg_dist_object where classid = 'pg_proc'::regclass and objid = ${signature}::regprocedure
    )`
}

export async function isIndexed(sql: Sql, name: string): Promise<boolean> {
  const [row] = await sql`select from pg_class where oid = to_regclass(${`${name}_by_message_id`})`
  return row !== undefined
}

/** What a partition of history has on a distributed database, and a packed one has not. */
export async function indexDay(sql: Sql, name: string): Promise<void> {
  await runEach(sql, [
    `alter table ${name} replica identity full`,
    `create index if not exists ${name}_by_device on ${name} (device_number, timestamp, sequence)`,
    `create unique index if not exists ${name}_by_message_id
      on ${name} (bucket, device_number, timestamp,
        hashtextextended(case message_id when '' then status || telemetries::text else message_id end, 0))
      where message_id is not null`,
  ])
}

/** Citus sends a statement that defines something to its other servers as it is, which fails for several in one text. */
async function runEach(sql: Sql, statements: string[]): Promise<void> {
  for (const statement of statements) await sql.unsafe(statement)
}

export async function isPacked(sql: Sql, name: string): Promise<boolean> {
  const [row] = await sql`
    select from pg_class join pg_am on pg_am.oid = relam
    where pg_class.oid = to_regclass(${name}) and amname = 'columnar'`
  return row !== undefined
}

/**
 * Writes a day again, by columns and in order of device: a tenth of the size, and a device's messages are next to each
 * other, so that they are found without an index. In a transaction; writers of that day wait, its readers do not until
 * the end. It is the index that holds up the writers: LOCK TABLE would not reach the shards.
 */
export async function packDay(sql: Sql, name: string, from: Date, to: Date): Promise<void> {
  await runEach(sql, [
    "set local lock_timeout = '5s'",
    `create index ${name}_held on ${name} (bucket) where false`,
    `create table ${name}_packed (like history including defaults including constraints) using columnar`,
    `alter table ${name}_packed replica identity full`,
    `select create_distributed_table('${name}_packed', 'bucket', colocate_with => 'device_states')`,
    `insert into ${name}_packed select * from ${name} order by bucket, device_number, timestamp, sequence`,
    `alter table history detach partition ${name}`,
    `drop table ${name}`,
    `alter table ${name}_packed rename to ${name}`,
    `alter table history attach partition ${name}
      for values from ('${from.toISOString()}') to ('${to.toISOString()}')`,
  ])
}

/** The shard of each bucket, in order of buckets. */
export async function listShards(sql: Sql, buckets: number): Promise<number[]> {
  const rows = await sql<{ shard: number }[]>`
    select get_shard_id_for_distribution_column('device_states', bucket::smallint)::float8 as shard
    from generate_series(0, ${buckets - 1}::int) bucket order by bucket`
  return rows.map(({ shard }) => shard)
}

/** The server of each shard at the moment. */
export async function listPlacements(sql: Sql): Promise<Map<number, string>> {
  const rows = await sql.unsafe<{ shard: number; server: string }[]>(selectPlacements)
  return new Map(rows.map(({ shard, server }) => [shard, server]))
}

/** Creates `run_on_shard` where it is missing or another release's. */
export async function createRunner(sql: Sql): Promise<void> {
  const [found] = await sql<{ body: string }[]>`select prosrc as body from pg_proc where proname = 'run_on_shard'`
  if (found?.body === runner) return
  await sql.unsafe(`
    create or replace function run_on_shard(bucket smallint, statement text, arguments text[], late boolean)
    returns setof json language plpgsql
    set citus.enable_manual_changes_to_shards = on
    set plan_cache_mode = force_generic_plan
    set enable_hashjoin = off
    set enable_mergejoin = off
    set enable_seqscan = off
    as $body$${runner}$body$`)
  await sql`
    select create_distributed_function(
      'run_on_shard(smallint, text, text[], boolean)', 'bucket', colocate_with => 'device_states'
    )
    where not exists (
      select from pg_catalog.pg_dist_object
      where classid = 'pg_proc'::regclass and objid = 'run_on_shard(smallint, text, text[], boolean)'::regprocedure
        and distribution_argument_index is not null
    )`
}

/**
 * Citus sends the call to the server that has the bucket. There the statement runs on the tables of the shard
 * themselves, as on one Postgres: planned as a whole, with one snapshot, once per session. The lock is the one that
 * Citus's own writers take: a move of the shard waits for it, and the next writer sees where the shard went.
 * What is late may belong to a packed day, which has no index to find repeats, so that one writer at a time looks for
 * them; and a move does not follow what is written there, so that it is refused until the move is over.
 */
const runner = `
declare
  shard bigint := get_shard_id_for_distribution_column('device_states', bucket);
  name text;
  prepared text;
  result record;
begin
  perform lock_shard_metadata(5, array[shard]);
  if not exists (select from pg_dist_placement join pg_dist_local_group using (groupid) where shardid = shard) then
    raise exception 'shard % is on another server', shard using errcode = '08000';
  end if;
  if late then
    perform pg_advisory_xact_lock(shard);
    perform pg_current_xact_id();
    if exists (select from pg_publication where pubname like 'citus\\_shard\\_%') then
      raise exception 'shard % may be moving', shard using errcode = '08000';
    end if;
  end if;
  foreach name in array '{${tables.join()}}'::text[] loop
    statement := regexp_replace(
      statement, '\\m' || name || '\\M', name || '_' || get_shard_id_for_distribution_column(name::regclass, bucket), 'g'
    );
  end loop;
  prepared := 'landbridge_' || md5(statement);
  if not exists (select from pg_prepared_statements where pg_prepared_statements.name = prepared) then
    execute 'prepare ' || prepared || ' as ' || statement;
  end if;
  for result in execute 'execute ' || prepared || coalesce(
    (select '(' || string_agg(quote_nullable(value), ', ' order by position) || ')'
     from unnest(arguments) with ordinality as argument (value, position)), '')
  loop
    return next to_json(result);
  end loop;
end `
