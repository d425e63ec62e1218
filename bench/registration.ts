// `npm run bench:registration [-- --quick]`: new devices of one model register with one hardware key, as in a factory.
// Each is a transaction with an audit event and a queued webhook, beside a Fastify route with a single INSERT.
import { randomBytes } from 'node:crypto'
import { openDatabase } from '../server/src/platform/database/database.ts'
import { newId } from '../server/src/platform/secrets/identifiers.ts'
import { digest } from '../server/src/platform/secrets/secrets.ts'
import { identityOf } from './devices/identities.ts'
import { inShortTurns, portOf, startBenchPostgres, startServer, startService } from './environment.ts'
import { type Row, runAlone } from './table.ts'

const connections = 64

export async function measure(quick: boolean): Promise<Row[]> {
  const postgres = await startBenchPostgres()
  const url = await postgres.createDatabase()
  const [service, plain] = await Promise.all([
    startService(url),
    startServer('./registration/one-insert-server.ts', url),
  ])
  const requests = [registration(await createModel(url))]
  const turns = await inShortTurns(
    quick ? 3 : 40,
    {
      'a Fastify route with one INSERT': { port: plain.port, connections, requests },
      ours: { port: portOf(service.url), connections, requests },
    },
    quick ? 1 : 5,
  )
  await plain.stop()
  await service.stop()
  await postgres.stop()
  return [turns.row('registration of a device', 'ours', 'a Fastify route with one INSERT', null)]
}

function registration({ device_model, hardware_key }: { device_model: string; hardware_key: string }): string {
  const body = JSON.stringify({ device_model, hardware_key, mac: '<mac>', sn: '<serial>', firmware_version: '1.0.0' })
  const { mac, sn } = identityOf(0)
  const length = body.length - '<mac><serial>'.length + mac.length + sn.length
  return `POST /v1/devices HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`
}

async function createModel(databaseUrl: string): Promise<{ device_model: string; hardware_key: string }> {
  const sql = openDatabase({ url: databaseUrl, max: 1 })
  const [partnerId, modelId] = [newId(), newId()]
  const hardware_key = randomBytes(32).toString('base64url')
  const method = 'MAC & Serial Number'
  await sql`insert into partners (id, name, created_at) values (${partnerId}, 'Bench', now())`
  await sql`
    insert into models (id, partner_id, name, authentication_method, created_at)
    values (${modelId}, ${partnerId}, 'Bench', ${method}, now())`
  // Nobody looks at the key in the portal, so what is sealed does not matter.
  await sql`
    insert into hardware_keys (id, model_id, digest, sealed, created_at)
    values (${newId()}, ${modelId}, ${digest(hardware_key)}, ''::bytea, now())`
  await sql.end()
  return { device_model: modelId, hardware_key }
}

if (import.meta.main) await runAlone(measure)
