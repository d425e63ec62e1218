import { sealWith } from './seal.ts'
import { isSame, type TokenStore } from './tokens.ts'

/** What the store uses of `pg`. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
  query(text: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
}

export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
  release(error?: Error | boolean): void
  on?(event: 'error', listener: (error: Error) => void): unknown
  removeListener?(event: 'error', listener: (error: Error) => void): unknown
}

/**
 * Tokens in a table of your Postgres, sealed with `key`. Works with any number of processes, and behind PgBouncer in
 * transaction mode. The table: `create table landbridge_tokens (org_id text primary key, sealed text not null)`.
 */
export function postgresTokenStore({
  pool,
  key,
  table = 'landbridge_tokens',
}: {
  pool: PostgresPool
  key: string
  table?: string
}): TokenStore {
  if (!/^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/.test(table)) throw new Error(`${table} is no plain name of a table.`)
  const seal = sealWith(key)
  const find = `select sealed from ${table} where org_id = $1`
  const upsert = `
    insert into ${table} (org_id, sealed) values ($1, $2)
    on conflict (org_id) do update set sealed = excluded.sealed`
  const opened = async (orgId: string, rows: Record<string, unknown>[]) =>
    rows[0] ? await seal.open(orgId, String(rows[0].sealed)) : undefined
  return {
    async read(orgId) {
      return await opened(orgId, (await pool.query(find, [orgId])).rows)
    },
    async exclusively(orgId, work) {
      const client = await pool.connect()
      let broken: Error | undefined
      let released = false
      const onError = (error: Error) => {
        broken ??= error
      }
      // A pool listens only to its idle connections: without a listener the loss of this one would end the process.
      client.on?.('error', onError)
      const release = () => {
        if (released) return
        released = true
        client.removeListener?.('error', onError)
        client.release(broken)
      }
      const query = (text: string, values?: unknown[]) =>
        client.query(text, values).catch((error: Error) => {
          broken ??= error
          throw error
        })
      const read = async () => await opened(orgId, (await query(find, [orgId])).rows)
      try {
        await query('begin')
        await query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${table} ${orgId}`])
        return await work({
          read,
          async write(tokens) {
            const values = [orgId, await seal.close(tokens)]
            try {
              await query(upsert, values)
              // Durable from here on, which also lets the next one in.
              await query('commit')
            } catch {
              // The former refresh token is spent, so these must not be lost with the connection. First make room in the pool.
              release()
              await pool.query(upsert, values)
            }
          },
          async remove(tokens) {
            if (isSame(await read(), tokens)) await query(`delete from ${table} where org_id = $1`, [orgId])
            await query('commit')
          },
        })
      } finally {
        // A commit without a transaction is a warning, no error.
        if (!broken) await query('commit').catch(() => {})
        release()
      }
    },
  }
}
