// One tenant reads as much as it can, another one works on. Short with the tests; `npm run attack` takes 20 minutes.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { residentMemory, toMegabytes } from '../bench/memory.ts'
import { createTenants } from './attack/tenants.ts'
import { endWithParent } from './support/end-with-parent.ts'
import { privateDatabaseUrl, startService, temporaryDataDir } from './support/service.ts'

const minutes = Number(process.env.LANDBRIDGE_ATTACK_MINUTES ?? 0)
const devices = minutes > 0 ? 50_000 : 10_000
/** Until what an attack began has ended. */
const restMilliseconds = minutes > 0 ? 1_500 : 500
const windowMilliseconds = minutes > 0 ? 20_000 : 1_500
const attacks = [
  ['exports', 20],
  ['exports', 100],
  ['streams', 190],
] as const
const attacker = fileURLToPath(new URL('attack/attacker.ts', import.meta.url))

interface Window {
  times: number[]
  failures: string[]
  notReady: number
}

const shares = { p50: 0.5, p99: 0.99 }
const at = (times: number[], share: number) => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0

it('decision 10.21: a tenant that exports and resumes streams without end delays neither another tenant nor /readyz', async () => {
  const folder = await temporaryDataDir()
  const { ready, stop } = await startService({ env: { LANDBRIDGE_DATA_DIR: folder, LANDBRIDGE_LOG_LEVEL: 'error' } })
  const url = ready.public_url
  const { large, small } = await createTenants(await privateDatabaseUrl(folder), devices)
  const paths = ['info', 'devices?limit=50', 'users', 'devices/counts']

  /** What the other tenant sees for a while. */
  async function watch(window: Window): Promise<void> {
    const end = performance.now() + windowMilliseconds
    for (let turn = 0; performance.now() < end; turn += 1) {
      const began = performance.now()
      const path = paths[turn % paths.length]
      const response = await fetch(`${url}/core/v1/organization/${path}`, { headers: { authorization: small } })
      await response.arrayBuffer()
      if (response.ok) window.times.push(performance.now() - began)
      else window.failures.push(`${path}: ${response.status}`)
      if (turn % 10 === 0) {
        const readiness = await fetch(`${url}/readyz`)
        await readiness.arrayBuffer()
        if (!readiness.ok) window.notReady += 1
      }
      peak = Math.max(peak, turn % 10 === 0 ? residentMemory(ready.pid) : 0)
      // Below the rate of one credential.
      await sleep(25)
    }
  }

  const empty = (): Window => ({ times: [], failures: [], notReady: 0 })
  const windows = new Map<string, Window>([['idle', empty()]])
  const report = () => {
    for (const [name, { times, failures, notReady }] of windows) {
      const figures = Object.entries(shares).map(([label, share]) => `${label} ${at(times, share).toFixed(1)} ms`)
      console.log(
        `attack: ${name}: ${times.length} requests, ${figures.join(', ')}, ${failures.length} failed, /readyz failed ${notReady}`,
      )
    }
  }
  let peak = 0
  await watch(empty())
  const before = residentMemory(ready.pid)
  const end = performance.now() + minutes * 60_000
  // Idle and attacked in turn: other work of this machine slows both down.
  do {
    for (const [kind, count] of attacks) {
      await watch(windows.get('idle')!)
      const name = `${count} ${kind}`
      const child = spawn(process.execPath, [...endWithParent(), attacker, url, large, kind, String(count)], {
        stdio: 'ignore',
      })
      await sleep(1_000)
      windows.set(name, windows.get(name) ?? empty())
      await watch(windows.get(name)!)
      child.kill('SIGKILL')
      await once(child, 'exit')
      await sleep(restMilliseconds)
    }
    if (minutes > 0) report()
  } while (performance.now() < end)
  await sleep(3 * restMilliseconds)
  const after = residentMemory(ready.pid)

  report()
  console.log(`attack: memory ${toMegabytes(before)} before, ${toMegabytes(peak)} at most, ${toMegabytes(after)} after`)
  const idle = at(windows.get('idle')!.times, shares.p99)
  for (const [name, { times, failures, notReady }] of windows) {
    assert.deepEqual([failures, notReady], [[], 0], name)
    // A short run has too few requests to tell the slowest of them from other work of the machine.
    const allowed = minutes > 0 ? 2 * idle : Math.max(2 * idle, 400)
    assert.ok(at(times, shares.p99) <= allowed, `${name}: p99 ${at(times, shares.p99)} ms, idle ${idle} ms`)
  }
  assert.ok(after < before + 200 * 1024 ** 2, `${toMegabytes(after)} after, ${toMegabytes(before)} before`)
  assert.equal(await stop(), 0)
})
