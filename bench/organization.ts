// The organization benchmark: `npm run bench:organization [-- --quick] [users | lists]`. Exits 1 when a bar is missed.
// 1. `users` with a bearer token against a bare Fastify route that returns the same bytes. Every request goes through the
//    token look-up and the database: many applications of one customer, nothing cached.
// 2. Lists with a million rows against the same lists with a thousand: the first page, and one from the middle.
import {
  inShortTurns,
  judge,
  median,
  operatorKey,
  type RunningService,
  startBenchPostgres,
  startServer,
  startService,
} from './environment.ts'
import { type Crowd, createCrowd, createTenant } from './organization/tenants.ts'

const quick = process.argv.includes('--quick')
const rounds = quick ? 30 : 60
const connections = 512
const users = '/core/v1/organization/users'

const postgres = await startBenchPostgres()
const results: boolean[] = []
try {
  if (!process.argv.includes('lists')) results.push(await againstBareRoute())
  if (!process.argv.includes('users')) results.push(...(await millionAgainstThousand()))
} finally {
  await postgres.stop()
}
process.exit(results.every(Boolean) ? 0 : 1)

async function againstBareRoute(): Promise<boolean> {
  const url = await postgres.createDatabase()
  const { access_tokens } = await createTenant(url, { users: 20, applications: 300 })
  const service = await startService(url)
  const requests = access_tokens.map((token, n) => {
    const from = `10.0.${n >> 8}.${n & 255}`
    return `GET ${users} HTTP/1.1\r\nhost: bench\r\nx-forwarded-for: ${from}\r\nauthorization: Bearer ${token}\r\n\r\n`
  })
  const response = await fetch(service.url + users, { headers: { authorization: `Bearer ${access_tokens[0]}` } })
  const bytes = await response.text()
  if (response.status !== 200) throw new Error(bytes)
  const bare = await startServer('./organization/bare-server.ts', bytes)
  const ratio = await inShortTurns(rounds, {
    'bare Fastify route': { port: bare.port, connections, requests },
    'users with a bearer token': { port: Number(new URL(service.url).port), connections, requests },
  })
  await bare.stop()
  await service.stop()
  const name = `users with a bearer token : bare Fastify route, ${bytes.length} bytes`
  return judge(name, ratio('users with a bearer token', 'bare Fastify route'), { atLeast: 0.5 })
}

async function millionAgainstThousand(): Promise<boolean[]> {
  const sides: { crowd: Crowd; service: RunningService }[] = []
  for (const size of [1_000, 1_000_000]) {
    const url = await postgres.createDatabase()
    console.log(`creating ${size.toLocaleString('en')} users and as many audit events …`)
    const crowd = await createCrowd(url, size)
    sides.push({ crowd, service: await startService(url) })
  }
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
  const judged: boolean[] = []
  for (const [name, path] of Object.entries(lists)) {
    const times: number[][] = [[], []]
    // In turns, one request at a time: other work of the machine slows both sides alike.
    for (let n = 0; n < (quick ? 60 : 300); n += 1) {
      for (const [side, { crowd, service }] of sides.entries()) {
        const began = performance.now()
        const headers = { authorization: operatorKey }
        const response = await fetch(`${service.url}/core/v1/operator${path(crowd)}`, { headers })
        if (response.status !== 200) throw new Error(await response.text())
        await response.arrayBuffer()
        if (n >= 20) times[side]!.push(performance.now() - began)
      }
    }
    const [thousand, million] = times.map(median) as [number, number]
    console.log(`  ${name}: ${thousand.toFixed(2)} ms with 1,000, ${million.toFixed(2)} ms with 1,000,000`)
    judged.push(judge(`${name}: with 1,000,000 : with 1,000`, million / thousand, { atMost: 1.5 }))
  }
  for (const { service } of sides) await service.stop()
  return judged
}
