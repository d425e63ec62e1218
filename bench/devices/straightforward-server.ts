// The straightforward way: the same validation, then an INSERT and an UPSERT a request on the same Postgres.
import fastify from 'fastify'
import postgres from 'postgres'

const sql = postgres(process.argv[2]!, { max: 10, onnotice: () => {} })
await sql`
  create table if not exists plain_history (
    device_id uuid not null, at timestamptz not null, status text not null, telemetries jsonb not null)`
await sql`create index if not exists plain_history_by_device on plain_history (device_id, at)`
await sql`
  create table if not exists plain_states (
    device_id uuid primary key, at timestamptz not null, status text not null, telemetries jsonb not null)`

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
    const at = new Date()
    await sql`insert into plain_history values (${id}, ${at}, ${status}, ${sql.json(telemetries)})`
    await sql`
      insert into plain_states values (${id}, ${at}, ${status}, ${sql.json(telemetries)})
      on conflict (device_id) do update set
        at = excluded.at, status = excluded.status, telemetries = plain_states.telemetries || excluded.telemetries`
    return { success: true }
  },
)
await app.listen({ host: '127.0.0.1', port: 0 })
process.send!({ port: (app.server.address() as { port: number }).port })
process.on('disconnect', () => process.exit(0))
