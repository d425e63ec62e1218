// The straightforward way: the same validation, then an INSERT and an UPSERT per request on the same Postgres.
import fastify from 'fastify'
import pg from 'pg'
import { connectionsWaiting } from '../../server/src/platform/http/listen.ts'

const pool = new pg.Pool({ connectionString: process.argv[2]!, max: 10, idleTimeoutMillis: 0 })
await pool.query(`
  create table if not exists plain_history (
    device_id uuid not null, at timestamptz not null, status text not null, telemetries jsonb not null)`)
await pool.query('create index if not exists plain_history_by_device on plain_history (device_id, at)')
await pool.query(`
  create table if not exists plain_states (
    device_id uuid primary key, at timestamptz not null, status text not null, telemetries jsonb not null)`)

const upsert = `
  insert into plain_states values ($1, $2, $3, $4)
  on conflict (device_id) do update set
    at = excluded.at, status = excluded.status, telemetries = plain_states.telemetries || excluded.telemetries`

const app = fastify({ logger: false })
app.post<{ Params: { id: string }; Body: { status: string; telemetries: Record<string, number> } }>(
  '/v1/devices/:id/telemetry',
  {
    schema: {
      body: {
        type: 'object',
        required: ['status', 'telemetries'],
        properties: {
          status: { enum: ['online', 'offline', 'error'] },
          telemetries: {
            type: 'object',
            additionalProperties: { anyOf: [{ type: 'number' }, { type: 'string' }, { type: 'boolean' }] },
          },
        },
      },
      response: { 200: { type: 'object', properties: { success: { type: 'boolean' } } } },
    },
  },
  async (request) => {
    const { id } = request.params
    const { status, telemetries } = request.body
    const values = [id, new Date(), status, JSON.stringify(telemetries)]
    await pool.query({ name: 'insert', text: 'insert into plain_history values ($1, $2, $3, $4)', values })
    await pool.query({ name: 'upsert', text: upsert, values })
    return { success: true }
  },
)
await app.listen({ host: '127.0.0.1', port: 0, backlog: connectionsWaiting })
process.send!({ port: (app.server.address() as { port: number }).port })
process.on('disconnect', () => process.exit(0))
