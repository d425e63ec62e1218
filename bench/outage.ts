// What it costs when a whole fleet falls silent: `npm run bench:outage [-- --devices 100000 --processes 1]`. Claimed
// devices on real processes, with a webhook of their partner and a live stream of their customer, all past their deadline
// at the same instant. Prints when the last one is offline, when the last change is published, and the processor time.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase } from '../server/src/platform/database/database.ts'
import type { Sql } from '../server/src/platform/database/sql.ts'
import { newId } from '../server/src/platform/secrets/identifiers.ts'
import { masterKey as openMasterKey } from '../server/src/platform/secrets/master-key.ts'
import { cleanUpAll, cleanUpWhenInterrupted } from './clean-up.ts'
import { masterKey, type RunningService, startBenchPostgres, startFlags, startService } from './environment.ts'
import { readCosts } from './scale/postgres-costs.ts'

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '100000' },
    processes: { type: 'string', default: '1' },
    webhooks: { type: 'string', default: '1' },
    statements: { type: 'boolean', default: false },
    flags: { type: 'string', default: '' },
  },
})
const devices = Number(values.devices)
/** Each process knows the deadlines by then. */
const secondsBefore = 5

cleanUpWhenInterrupted()
const watched = values.statements ? { shared_preload_libraries: 'pg_stat_statements' } : {}
const postgres = await startBenchPostgres({ max_connections: '200', ...watched })
const url = await postgres.createDatabase()
const sql = openDatabase({ url, max: 2, statementSeconds: 600 })
if (values.statements) await sql`create extension pg_stat_statements`
let delivered = 0
const receiver = createServer((request, response) => {
  delivered += 1
  request.resume().on('end', () => response.end())
}).listen(0, '127.0.0.1')
await once(receiver, 'listening')
await seed(sql, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`)
const flags = [...startFlags, ...values.flags.split(' ').filter(Boolean)]
const services: RunningService[] = []
for (let n = 0; n < Number(values.processes); n += 1) {
  services.push(await startService(url, flags, { LANDBRIDGE_WEBHOOK_ALLOW: '127.0.0.1' }))
}
const dueAt = new Date(Date.now() + secondsBefore * 1000)
// In no order of their ids, like the last messages of real devices.
await sql`update offline_deadlines set due_at = ${dueAt}::timestamptz - random() * interval '1 second'`
await sql`vacuum analyze offline_deadlines`
if (values.statements) await sql`select pg_stat_statements_reset()`
await sleep(dueAt.getTime() - Date.now())

const began = await readAll()
await until(async () => (await sql`select from offline_deadlines limit 1`).length === 0)
report('offline', await readAll())
await until(async () => (await sql`select from status_changes limit 1`).length === 0)
report('published', await readAll())
const [row] = await sql`
  select (select count(*) from devices where status = 'offline')::int as offline,
    (select count(*) from status_history)::int as changes,
    (select count(*) from webhook_deliveries)::int as queued`
console.log(JSON.stringify(row))
if (values.statements) {
  const top = await sql<{ ms: number; calls: number; text: string }[]>`
    select round(total_exec_time)::int as ms, calls::int, left(regexp_replace(query, '\\s+', ' ', 'g'), 90) as text
    from pg_stat_statements order by total_exec_time desc limit 14`
  for (const { ms, calls, text } of top) console.log(String(ms).padStart(7), String(calls).padStart(6), text)
}
await Promise.all(services.map((service) => service.stop()))
receiver.close()
await sql.end()
await cleanUpAll()

async function seed(sql: Sql, receiverUrl: string): Promise<void> {
  const [partner, customer, model] = [newId(), newId(), newId()]
  await sql`insert into partners (id, name, created_at) values (${partner}, 'Bench', now())`
  await sql`insert into customers (id, partner_id, name, created_at) values (${customer}, ${partner}, 'Bench', now())`
  await sql`
    insert into models (id, partner_id, name, authentication_method, created_at)
    values (${model}, ${partner}, 'Bench', 'MAC & Serial Number', now())`
  const secret = openMasterKey(Buffer.from(masterKey, 'base64')).seal('webhook_secret', 'whsec_c2VjcmV0')
  for (let n = 0; n < Number(values.webhooks); n += 1) {
    await sql`
      insert into webhook_endpoints (id, partner_id, url, events, secret, created_at)
      values (${newId()}, ${partner}, ${receiverUrl}, '{device.status_changed}', ${secret}, now())`
  }
  // As if a stream were open in a process that only receives.
  await sql`insert into live_interests values (${customer}, ${newId()}, now() + interval '1 hour')`
  await sql`alter table devices disable trigger user`
  await sql`
    insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, customer_id, claimed_at,
      status, status_at, status_number)
    select id, ${partner}, ${model}, 'mac' || n, 'sn' || n, '1.4.2', now(), ${customer}, now(), 'online', now(), 1
    from unnest(${Array.from({ length: devices }, newId)}::uuid[]) with ordinality as device (id, n)`
  await sql`alter table devices enable trigger user`
  await sql`
    insert into device_states (bucket, device_id, number, customer_id, key_digest, status, status_at, status_number, seen_at)
    select device_bucket(id), id, number, customer_id, '\\x00', 'online', now(), 1,
      now() - interval '120 seconds' - random() * interval '1 second'
    from devices`
  await sql`insert into offline_deadlines select device_bucket(id), id, now() + interval '1 hour' from devices`
  await sql`vacuum analyze`
  await sql`checkpoint`
}

interface Costs {
  at: number
  postgres: number
  node: number
  walBytes: number
  delivered: number
}

async function readAll(): Promise<Costs> {
  const { processorTime, walBytes } = await readCosts(sql)
  const node = services.reduce((sum, { child }) => sum + processorSeconds(child.pid!), 0)
  return { at: performance.now() / 1000, postgres: (processorTime ?? 0) / 1e6, node, walBytes, delivered }
}

/** Of all its threads; 0 where there is no /proc. */
function processorSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return 0
  }
}

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await sleep(100)
}

function report(what: string, costs: Costs): void {
  const since = (key: keyof Costs) => (costs[key] - began[key]).toFixed(1)
  const wal = ((costs.walBytes - began.walBytes) / devices).toFixed(0)
  console.log(
    `${what}: ${since('at')} s; processor seconds: Postgres ${since('postgres')}, Node ${since('node')}; ` +
      `${wal} bytes of WAL per device; ${costs.delivered - began.delivered} webhooks received`,
  )
}
