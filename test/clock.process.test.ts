import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createDatabase } from './support/database.ts'
import { onDatabase, startService } from './support/service.ts'
import { until } from './support/until.ts'

const preload = fileURLToPath(new URL('./support/shifted-clock.ts', import.meta.url))

function environment(databaseUrl: string, shifts: string): Record<string, string> {
  return { ...onDatabase(databaseUrl), NODE_OPTIONS: `--import=${preload}`, CLOCK_SHIFTS: shifts }
}

describe('decision 3.7: a process whose clock is wrong', () => {
  it('does not start, and says what to do', async () => {
    const env = environment(await createDatabase(), String(40 * 86_400))
    const failure = await startService({ env }).catch((error: Error) => error.message)
    assert.match(String(failure), /The clock of this machine is 960\.0 hours ahead of the database's\. Correct it/)
  })

  it('serves while it is right, stops when it is set wrong, and goes on when it is set right again', async () => {
    const env = environment(await createDatabase(), '0,120,0')
    const { ready, child, stop, output } = await startService({ env })
    const url = ready.public_url.replace('localhost', '127.0.0.1')
    const get = (path: string) => fetch(`${url}${path}`)
    assert.equal((await get('/readyz')).status, 200)

    child.kill('SIGUSR2')
    await until(async () => (await get('/readyz')).status === 503, 'not ready')
    assert.match(await (await get('/readyz')).text(), /120\.0 seconds ahead of the database's/)
    assert.equal((await get('/healthz')).status, 200)
    const refused = await get('/.well-known/openid-configuration')
    assert.equal(refused.status, 503)
    assert.match(await refused.text(), /out of service/)
    assert.match(output(), /120\.0 seconds ahead/)

    child.kill('SIGUSR2')
    await until(async () => (await get('/readyz')).status === 200, 'ready again')
    assert.equal((await get('/.well-known/openid-configuration')).status, 200)
    assert.equal(await stop(), 0)
  })
})
