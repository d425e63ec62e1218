// Claiming a list of 1,000 devices in one call against claiming devices one after another, among 100,000 others.
import { openDatabase } from '../server/src/platform/database/database.ts'
import { migrate } from '../server/src/platform/database/migrate.ts'
import { newId } from '../server/src/platform/secrets/identifiers.ts'
import { digest, hint, mintSecret } from '../server/src/platform/secrets/secrets.ts'
import { median, startBenchPostgres, startService } from './environment.ts'
import type { Row } from './table.ts'

const listed = 1_000
/** Enough for a rate; a thousand would take most of the time. */
const single = 200

interface Claim {
  mac: string
  sn: string
  model_id: string
}

export async function measure(quick: boolean): Promise<Row[]> {
  const rounds = quick ? 3 : 9
  const postgres = await startBenchPostgres()
  try {
    const databaseUrl = await postgres.createDatabase()
    const { key, model_id } = await createFleet(databaseUrl)
    const service = await startService(databaseUrl)
    const call = async (path: string, body: object, status: number) => {
      const response = await fetch(`${service.url}/core/v1/organization${path}`, {
        method: 'POST',
        headers: { authorization: key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const text = await response.text()
      if (response.status !== status) throw new Error(text)
      return text
    }
    let next = 0
    const take = (count: number): Claim[] => {
      next += count
      return Array.from({ length: count }, (_, n) => labelOf(next - count + n, model_id))
    }
    const claimList = async () => {
      const text = await call('/devices/claim-list', { devices: take(listed) }, 200)
      if (text.split('"claimed"').length - 1 !== listed) throw new Error(text.slice(0, 500))
    }
    const claimSingly = async () => {
      for (const claim of take(single)) await call('/devices/claim', claim, 201)
    }
    // The first ones warm the caches and the plans.
    await claimList()
    await claimSingly()
    const times = { list: [] as number[], singly: [] as number[] }
    for (let round = 0; round < rounds; round += 1) {
      times.list.push((await timed(claimList)) / listed)
      times.singly.push((await timed(claimSingly)) / single)
    }
    await service.stop()
    const ratios = times.list.map((time, round) => times.singly[round]! / time)
    const rate = (of: number[]) => `${Math.round(1000 / median(of)).toLocaleString('en')} devices/s`
    return [
      {
        what: 'claim a list of 1,000 devices',
        ours: `${rate(times.list)} (${Math.round(median(times.list) * listed)} ms)`,
        peer: `${rate(times.singly)} one by one`,
        ratio: median(ratios),
        bar: 5,
        spread: `${Math.min(...ratios).toFixed(1)}–${Math.max(...ratios).toFixed(1)}×`,
      },
    ]
  } finally {
    await postgres.stop()
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

function labelOf(n: number, model_id: string): Claim {
  const mac = n
    .toString(16)
    .padStart(12, '0')
    .replace(/(..)(?=.)/g, '$1:')
  return { mac, sn: `SN-${n}`, model_id }
}

/** A customer, and 100,000 devices that nobody has claimed. */
async function createFleet(databaseUrl: string): Promise<{ key: string; model_id: string }> {
  const sql = openDatabase({ url: databaseUrl, max: 1, statementSeconds: 3_600 })
  await migrate(sql)
  const [partnerId, customerId, modelId, key] = [newId(), newId(), newId(), mintSecret('api_key')]
  await sql`insert into partners (id, name, created_at) values (${partnerId}, 'Acme', now())`
  await sql`
    insert into customers (id, partner_id, name, created_at) values (${customerId}, ${partnerId}, 'Customer', now())`
  await sql`
    insert into models (id, partner_id, name, authentication_method, created_at)
    values (${modelId}, ${partnerId}, 'Sensor', 'MAC & Serial Number', now())`
  await sql`
    insert into api_keys (id, customer_id, name, digest, hint, created_at)
    values (${newId()}, ${customerId}, 'Bench', ${digest(key)}, ${hint(key)}, now())`
  await sql`
    insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, status_at)
    select gen_random_uuid(), ${partnerId}, ${modelId},
      regexp_replace(lpad(to_hex(n), 12, '0'), '(..)(?=.)', '\\1:', 'g'), 'SN-' || n, '1.0.0', now(), now()
    from generate_series(0, 99999) n`
  await sql`
    insert into device_states (bucket, device_id, number, key_digest)
    select device_bucket(id), id, number, decode(md5(id::text), 'hex') from devices`
  await sql`vacuum analyze`
  await sql.end()
  return { key, model_id: modelId }
}

if (import.meta.main) console.table(await measure(process.argv.includes('--quick')))
