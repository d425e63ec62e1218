// The organization benchmark: `npm run bench:organization [-- --quick] [users | lists]`.
// 1. `users` with a bearer token against a bare Fastify route that returns the same bytes. Every request goes through the
//    token look-up and the database: many applications of one customer, nothing cached.
// 2. Lists with a million rows (30,000 with `--quick`) against the same lists with a thousand: the first page, and one
//    from the middle.
// 3. The same `users` with tokens whose approval is narrowed to some permissions and one space, against whole approvals.
import {
  type BenchPostgres,
  inShortTurns,
  operatorKey,
  portOf,
  type RunningService,
  startBenchPostgres,
  startServer,
  startService,
} from './environment.ts'
import { type Crowd, createCrowd, createTenant } from './organization/crowd.ts'
import { bySize } from './page-times.ts'
import { type Row, runAlone } from './table.ts'

const connections = 512
const users = '/core/v1/organization/users'

export async function measure(quick: boolean): Promise<Row[]> {
  const postgres = await startBenchPostgres()
  const rows: Row[] = []
  if (!process.argv.includes('lists')) {
    rows.push(await againstBareRoute(postgres, quick))
    rows.push(await narrowedAgainstWhole(postgres, quick))
  }
  if (!process.argv.includes('users')) rows.push(await manyAgainstThousand(postgres, quick))
  await postgres.stop()
  return rows
}

export function requestsWith(tokens: string[]): string[] {
  return tokens.map((token, n) => {
    const from = `10.0.${n >> 8}.${n & 255}`
    return `GET ${users} HTTP/1.1\r\nhost: bench\r\nx-forwarded-for: ${from}\r\nauthorization: Bearer ${token}\r\n\r\n`
  })
}

async function narrowedAgainstWhole(postgres: BenchPostgres, quick: boolean): Promise<Row> {
  const url = await postgres.createDatabase()
  const whole = await createTenant(url, { users: 20, applications: 300 })
  const narrowed = await createTenant(url, { users: 20, applications: 300, narrowed: true })
  const service = await startService(url)
  const port = portOf(service.url)
  const sides = {
    'whole approvals': { port, connections, requests: requestsWith(whole.access_tokens) },
    'narrowed approvals': { port, connections, requests: requestsWith(narrowed.access_tokens) },
  }
  const turns = await inShortTurns(quick ? 4 : 60, sides, quick ? 2 : 5)
  await service.stop()
  return turns.row('users with a bearer token, by approval', 'narrowed approvals', 'whole approvals', 0.95)
}

async function againstBareRoute(postgres: BenchPostgres, quick: boolean): Promise<Row> {
  const url = await postgres.createDatabase()
  const { access_tokens } = await createTenant(url, { users: 20, applications: 300 })
  const service = await startService(url)
  const requests = requestsWith(access_tokens)
  const response = await fetch(service.url + users, { headers: { authorization: `Bearer ${access_tokens[0]}` } })
  const bytes = await response.text()
  if (response.status !== 200) throw new Error(bytes)
  const bare = await startServer('./organization/bare-reads.ts', bytes)
  const sides = {
    'bare Fastify route': { port: bare.port, connections, requests },
    'users with a bearer token': { port: portOf(service.url), connections, requests },
  }
  const turns = await inShortTurns(quick ? 4 : 60, sides, quick ? 2 : 5)
  await bare.stop()
  await service.stop()
  return turns.row(
    `users of an organization, ${bytes.length} bytes`,
    'users with a bearer token',
    'bare Fastify route',
    0.5,
  )
}

async function manyAgainstThousand(postgres: BenchPostgres, quick: boolean): Promise<Row> {
  const many = quick ? 30_000 : 1_000_000
  const createSide = async (size: number): Promise<{ crowd: Crowd; service: RunningService }> => {
    const url = await postgres.createDatabase()
    console.log(`creating ${size.toLocaleString('en')} users and as many audit events …`)
    const crowd = await createCrowd(url, size)
    return { crowd, service: await startService(url) }
  }
  const sides = await Promise.all([createSide(1_000), createSide(many)])
  const lists: Record<string, (crowd: Crowd) => string> = {
    'everyone, first page': () => '/users',
    'everyone, from the middle': ({ middle }) => `/users?after=${middle.user}`,
    "a customer's users, first page": ({ customer_id }) => `/customers/${customer_id}/users`,
    "a customer's users, from the middle": ({ customer_id, middle }) =>
      `/customers/${customer_id}/users?after=${middle.user}`,
    'audit events, newest': () => '/audit-events',
    'audit events of a type, from the middle': ({ middle }) => `/audit-events?type=bench&after=${middle.event}`,
    'audit events of a customer, rare type': ({ customer_id }) => `/audit-events?customer_id=${customer_id}&type=rare`,
  }
  const headers = { authorization: operatorKey }
  const pages = Object.entries(lists).map(([name, path]) => {
    const [small, large] = sides.map(({ crowd, service }) => ({
      url: `${service.url}/core/v1/operator${path(crowd)}`,
      headers,
    }))
    return { name, small: small!, large: large! }
  })
  const row = await bySize('people and audit events', [1_000, many], pages, quick)
  for (const { service } of sides) await service.stop()
  return row
}

if (import.meta.main) await runAlone(measure)
