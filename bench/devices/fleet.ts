// A fleet of registered devices, inserted directly into the tables, and their requests.
import { deviceAt } from '../../server/src/cli/simulate/believable-devices.ts'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import { migrate } from '../../server/src/platform/database/migrate.ts'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'
import { digest, mintSecret } from '../../server/src/platform/secrets/secrets.ts'
import { identityOf, onlyThermostats } from './identities.ts'

export interface FleetDevice {
  id: string
  number: number
  access_key: string
}

export async function createFleet(databaseUrl: string, size: number): Promise<FleetDevice[]> {
  const sql = openDatabase({ url: databaseUrl, max: 1, statementSeconds: 3_600 })
  await migrate(sql)
  const partnerId = newId()
  const modelId = newId()
  await sql`insert into partners (id, name, created_at) values (${partnerId}, 'Bench', now())`
  await sql`
    insert into models (id, partner_id, name, authentication_method, created_at)
    values (${modelId}, ${partnerId}, 'Bench', 'MAC & Serial Number', now())`
  const devices = Array.from({ length: size }, () => ({ id: newId(), access_key: mintSecret('device_key') }))
  const identities = devices.map((_, position) => identityOf(position))
  const rows = await sql<{ id: string; number: number }[]>`
    insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, status_at)
    select id, ${partnerId}, ${modelId}, mac, sn, '1.4.2', now(), now()
    from unnest(
      ${devices.map(({ id }) => id)}::uuid[], ${identities.map(({ mac }) => mac)}::text[],
      ${identities.map(({ sn }) => sn)}::text[]
    ) as device (id, mac, sn)
    returning id, number`
  const numbers = new Map(rows.map(({ id, number }) => [id, number]))
  await sql`
    insert into device_states (bucket, device_id, number, key_digest)
    select device_bucket(id), id, number, decode(digest, 'hex')
    from unnest(
      ${devices.map(({ id }) => id)}::uuid[], ${devices.map(({ id }) => numbers.get(id)!)}::int[],
      ${devices.map(({ access_key }) => digest(access_key).toString('hex'))}::text[]
    ) as device (id, number, digest)`
  await sql`vacuum analyze devices`
  await sql`vacuum analyze device_states`
  await sql.end()
  return devices.map((device) => ({ ...device, number: numbers.get(device.id)! }))
}

/** Ten data points, like a small controller's: those of another thermostat each time. */
export function telemetries(): object {
  position += 1
  return deviceAt('bench', position % 5_000, onlyThermostats).readingAt(new Date()).telemetries
}

let position = 0

export function singleRequest({ id, access_key }: FleetDevice): string {
  const body = JSON.stringify({ status: 'online', telemetries: telemetries() })
  return httpRequest(`/v1/devices/${id}/telemetry`, body, `authorization: ${access_key}\r\n`)
}

/** Without timestamps unless told. */
export function massRequest(devices: FleetDevice[], timestampOf?: (index: number) => string): string {
  const entries = devices.map(({ id, access_key }, index) => ({
    id,
    access_key,
    status: 'online',
    telemetries: telemetries(),
    timestamp: timestampOf?.(index),
  }))
  return httpRequest('/v1/devices/telemetry', JSON.stringify({ devices: entries }))
}

function httpRequest(path: string, body: string, headers = ''): string {
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}content-type: application/json\r\n`
  // As long as what the load puts in its place.
  const length = Buffer.byteLength(body.replace(/<(instant|now)>/g, new Date(0).toISOString()))
  return `${head}content-length: ${length}\r\n\r\n${body}`
}

/** History of the last week, spread over the fleet. */
export async function writeHistory(databaseUrl: string, fleet: FleetDevice[], rows: number): Promise<void> {
  const sql = openDatabase({ url: databaseUrl, max: 1, statementSeconds: 3_600 })
  const days = 8
  // The service creates the partitions of these days when it starts.
  for (let created = 0; created <= days; ) {
    const [row] = await sql<
      [{ count: number }]
    >`select count(*)::int from pg_inherits where inhparent = 'history'::regclass`
    created = row.count
  }
  const perDevice = Math.ceil(rows / fleet.length / days)
  const text = JSON.stringify(telemetries())
  for (let day = 0; day < days; day += 1) {
    // The last one is today, until now.
    await sql`
      insert into history (device_number, sequence, timestamp, received_at, bucket, status, telemetries)
      select number, nth, at, at, device_bucket(id), 'online', ${text}::json
      from unnest(${fleet.map(({ number }) => number)}::int[], ${fleet.map(({ id }) => id)}::uuid[]) as device (number, id)
      cross join lateral (
        select nth, now() - make_interval(days => ${day}) - nth * (interval '20 hours' / ${perDevice}::int) as at
        from generate_series(${perDevice}::int, 1, -1) as nth
      ) message`
  }
  await sql`vacuum analyze history`
  await sql`checkpoint`
  await sql.end()
}
