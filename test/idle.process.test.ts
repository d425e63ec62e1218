// What a process that has nothing to do costs its database: two of them, each counted on its own.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../server/src/platform/database/database.ts'
import { startCountingProxy } from './support/counting-proxy.ts'
import { createDatabase } from './support/database.ts'
import { seedGrants } from './support/seeded-grants.ts'
import { onDatabase, startService } from './support/service.ts'

const databaseUrl = await createDatabase()
const proxies = await Promise.all([startCountingProxy(databaseUrl), startCountingProxy(databaseUrl)])
const services = await Promise.all(proxies.map(({ url }) => startService({ env: onDatabase(url) })))
after(() => Promise.all(services.map((service) => service.stop())))

describe('two idle processes', () => {
  it('decision 3.23 send at most 2 statements per second each, one of them with open live streams', async () => {
    const sql = openDatabase({ url: databaseUrl, max: 1 })
    const { accessTokens } = await seedGrants(sql, 20, 'ES256')
    await sql.end()
    const base = services[0]!.ready.public_url.replace('localhost', '127.0.0.1')
    const streams = await Promise.all(
      accessTokens.map((token) =>
        fetch(`${base}/core/v1/organization/devices/stream`, { headers: { authorization: `Bearer ${token}` } }),
      ),
    )
    assert.deepEqual(new Set(streams.map(({ status }) => status)), new Set([200]))
    // Each stream reads once more after a second.
    await sleep(2_500)
    for (const { texts } of proxies) texts()
    const before = proxies.map(({ statements }) => statements())
    const seconds = 8
    await sleep(seconds * 1000)
    const rates = proxies.map(({ statements }, n) => (statements() - before[n]!) / seconds)
    const texts = proxies.map((proxy) => proxy.texts().join('\n')).join('\n\n')
    assert.ok(Math.max(...rates) <= 2, `${rates.join(' and ')} per second:\n${texts}`)
    for (const { body } of streams) await body!.cancel()
  })

  it('decision 9.19 have never held more than eight connections, while they started and under load', async () => {
    const calls = services.flatMap(({ ready }) =>
      Array.from({ length: 200 }, (_, n) =>
        fetch(`${ready.public_url.replace('localhost', '127.0.0.1')}/${n % 2 ? 'readyz' : 'sign-in'}`),
      ),
    )
    for (const call of calls) await (await call).text()
    for (const { mostConnections } of proxies) assert.ok(mostConnections() <= 8, `${mostConnections()}`)
  })
})
