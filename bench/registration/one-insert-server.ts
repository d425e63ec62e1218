// The least a registration can be: the same validation, a key, and one INSERT on the same Postgres.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import fastify from 'fastify'
import pg from 'pg'
import { connectionsWaiting } from '../../server/src/platform/http/listen.ts'

const pool = new pg.Pool({ connectionString: process.argv[2]!, max: 10, idleTimeoutMillis: 0 })
await pool.query(`
  create table if not exists plain_devices (
    id uuid primary key, mac text not null unique, sn text not null unique, firmware_version text not null,
    key_digest bytea not null, registered_at timestamptz not null)`)

const text = 'insert into plain_devices values ($1, $2, $3, $4, $5, $6)'
const word = { type: 'string', minLength: 1, maxLength: 256 }
const app = fastify({ logger: false })
app.post<{ Body: { mac: string; sn: string; firmware_version: string } }>(
  '/v1/devices',
  {
    schema: {
      body: {
        type: 'object',
        required: ['device_model', 'hardware_key', 'mac', 'sn', 'firmware_version'],
        additionalProperties: false,
        properties: { device_model: word, hardware_key: word, mac: word, sn: word, firmware_version: word },
      },
    },
  },
  async (request, reply) => {
    const { mac, sn, firmware_version } = request.body
    const [id, access_key] = [randomUUID(), randomBytes(32).toString('base64url')]
    const key = createHash('sha256').update(access_key).digest()
    await pool.query({ name: 'insert', text, values: [id, mac, sn, firmware_version, key, new Date()] })
    return reply.code(201).send({ id, access_key })
  },
)
await app.listen({ host: '127.0.0.1', port: 0, backlog: connectionsWaiting })
process.send!({ port: (app.server.address() as { port: number }).port })
process.on('disconnect', () => process.exit(0))
