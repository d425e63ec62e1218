// Two processes behind haproxy are restarted one after the other; no caller may notice.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { operatorKey, testMasterKey } from '../support/keys.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const databaseUrl = await createDatabase()

const ports = [await freePort(), await freePort()]
const balancerPort = await freePort()

async function start(index: number): Promise<Service> {
  return await startService({
    env: {
      DATABASE_URL: databaseUrl,
      LANDBRIDGE_MASTER_KEY: testMasterKey.toString('base64'),
      LANDBRIDGE_OPERATOR_KEY: operatorKey,
      PORT: String(ports[index]),
    },
  })
}

/** The settings that docs/operate.md asks for. */
async function startBalancer(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'landbridge-balancer-'))
  const servers = ports.map((port, index) => `  server landbridge-${index} 127.0.0.1:${port}`)
  const lines = [
    'defaults',
    '  mode http',
    '  timeout connect 3s',
    '  timeout client 60s',
    '  timeout server 60s',
    '  option redispatch',
    '  retries 3',
    '  option httpchk GET /readyz',
    '  default-server check inter 1s fall 2 rise 1',
    'listen http',
    `  bind 127.0.0.1:${balancerPort}`,
    '  balance roundrobin',
    ...servers,
    '',
  ]
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, lines.join('\n'))
  const balancer = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  after(async () => {
    balancer.kill('SIGKILL')
    await removeFolder(folder)
  })
}

const agent = new Agent({ keepAlive: true, maxSockets: 20 })
after(() => agent.destroy())

/** The status, or the error's code where there was no response. */
async function call(): Promise<number | string> {
  return await new Promise((resolve) => {
    const options = {
      port: balancerPort,
      path: '/core/v1/operator/partners',
      headers: { authorization: operatorKey },
      agent,
    }
    const sent = request({ host: '127.0.0.1', ...options }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode!))
    })
    sent.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end()
  })
}

describe('a rolling restart', () => {
  it('behind a balancer fails no call', { timeout: 120_000 }, async () => {
    const services = await Promise.all([start(0), start(1)])
    await startBalancer()
    await until(async () => (await call()) === 200)
    const results = new Map<number | string, number>()
    let running = true
    const caller = async () => {
      while (running) {
        const result = await call()
        results.set(result, (results.get(result) ?? 0) + 1)
        await sleep(10)
      }
    }
    const callers = Array.from({ length: 20 }, caller)
    await sleep(1_000)
    for (const index of [0, 1]) {
      assert.equal(await services[index]!.stop(), 0)
      services[index] = await start(index)
      // The balancer asks once per second whether it is back.
      await sleep(2_500)
    }
    running = false
    await Promise.all(callers)
    console.log('calls by result:', Object.fromEntries(results))
    assert.deepEqual([...results.keys()], [200])
    assert.ok(results.get(200)! > 500)
    await Promise.all(services.map((service) => service.stop()))
  })
})
