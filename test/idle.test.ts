// What a process that has nothing to do costs its database: two of them, each counted on its own.
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startCountingProxy } from './support/counting-proxy.ts'
import { createDatabase } from './support/harness.ts'
import { onDatabase, startService } from './support/service.ts'

const measuredSeconds = 10

it('decision 3.23 two idle processes: at most 2 statements per second each', async () => {
  const databaseUrl = await createDatabase()
  const proxies = await Promise.all([startCountingProxy(databaseUrl), startCountingProxy(databaseUrl)])
  const services = await Promise.all(proxies.map(({ url }) => startService({ env: onDatabase(url) })))
  after(() => Promise.all(services.map((service) => service.stop())))

  await sleep(2_000)
  for (const proxy of proxies) proxy.texts()
  const before = proxies.map(({ statements }) => statements())
  await sleep(measuredSeconds * 1000)
  const rates = proxies.map(({ statements }, n) => (statements() - before[n]!) / measuredSeconds)
  assert.ok(
    Math.max(...rates) <= 2,
    `${rates.join(' and ')} per second:\n${proxies.map(({ texts }) => texts().join('\n'))}`,
  )
  console.log(
    rates,
    proxies.map(({ connections }) => connections()),
  )
})
