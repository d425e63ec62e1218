// Claiming a list of 1,000 devices in one call against claiming devices one after another, among 100,000 others (20,000
// with `--quick`).
import { openDatabase } from '../server/src/platform/database/database.ts'
import { newId } from '../server/src/platform/secrets/identifiers.ts'
import { digest, hint, mintSecret } from '../server/src/platform/secrets/secrets.ts'
import { createFleet } from './devices/fleet.ts'
import { identityOf } from './devices/identities.ts'
import { median, startBenchPostgres, startService } from './environment.ts'
import { type Row, runAlone } from './table.ts'

const listed = 1_000
/** Enough for a rate; a thousand would take most of the time. */
const single = 100

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
    const { key, model_id } = await createCustomer(databaseUrl, quick ? 20_000 : 100_000)
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

function labelOf(position: number, model_id: string): Claim {
  const { mac, sn } = identityOf(position)
  return { mac, sn, model_id }
}

/** A customer, and many devices that nobody has claimed. */
async function createCustomer(databaseUrl: string, size: number): Promise<{ key: string; model_id: string }> {
  await createFleet(databaseUrl, size)
  const sql = openDatabase({ url: databaseUrl, max: 1 })
  const [customerId, key] = [newId(), mintSecret('api_key')]
  await sql`
    insert into customers (id, partner_id, name, created_at) select ${customerId}, id, 'Customer', now() from partners`
  await sql`
    insert into api_keys (id, customer_id, name, digest, hint, created_at)
    values (${newId()}, ${customerId}, 'Bench', ${digest(key)}, ${hint(key)}, now())`
  const [model] = await sql<[{ id: string }]>`select id from models`
  await sql.end()
  return { key, model_id: model.id }
}

if (import.meta.main) await runAlone(measure)
