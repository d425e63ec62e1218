// kill -9 of the service and of Postgres under load, and a frozen Postgres: nothing acknowledged may be lost.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanUpAll } from '../../bench/clean-up.ts'
import { createFleet } from '../../bench/devices/fleet.ts'
import { type RunningService, startBenchPostgres, startService } from '../../bench/environment.ts'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import { postgresOn, postmasterOn } from '../support/postgres-processes.ts'
import { until } from '../support/until.ts'
import { requireEveryAcknowledged, startDeviceLoad } from './device-load.ts'

export interface Rounds {
  serviceKills: number
  postgresKills: number
  /** Seconds for which Postgres is frozen. */
  frozenSeconds: number
}

export async function crash({ serviceKills, postgresKills, frozenSeconds }: Rounds): Promise<void> {
  const postgres = await startBenchPostgres()
  const databaseUrl = await postgres.createDatabase()
  const port = new URL(databaseUrl).port
  const fleet = await createFleet(databaseUrl, 60)
  let service: RunningService = await startService(databaseUrl)
  const load = startDeviceLoad(fleet, () => service.url)
  const sql = openDatabase({ url: databaseUrl, max: 1 })
  try {
    for (let round = 1; round <= serviceKills; round += 1) {
      await underLoad(load.responses)
      service.child.kill('SIGKILL')
      service = await startService(databaseUrl)
      console.log(`kill -9 of the service, round ${round}: ${summary(load.responses)}`)
    }
    for (let round = 1; round <= postgresKills; round += 1) {
      await underLoad(load.responses)
      process.kill(postmasterOn(port), 'SIGKILL')
      const before = load.responses.get(200) ?? 0
      await until(() => (load.responses.get(200) ?? 0) > before + 200, 'messages stored again', 120)
      console.log(`kill -9 of Postgres, round ${round}: ${summary(load.responses)}`)
    }
    if (frozenSeconds > 0) await freeze(port, frozenSeconds, service, fleet, load.responses)
    await load.stop()
    const total = await untilReachable(() => requireEveryAcknowledged(sql, load))
    console.log(`✔ ${total} acknowledged messages are stored, each exactly once`)
  } finally {
    await load.stop()
    await sql.end({ timeout: 1 })
    // Nothing is left to show, and a queue full of refused messages would take seconds to drain.
    service.child.kill('SIGKILL')
    await cleanUpAll()
  }
}

/** A kill proves something only in the midst of messages that are being stored. */
async function underLoad(responses: Map<number, number>): Promise<void> {
  const before = responses.get(200) ?? 0
  await until(() => (responses.get(200) ?? 0) > before + 60, 'messages stored', 120)
  await sleep(Math.random() * 300)
}

/** Nothing acknowledged is lost, memory stays within bounds, and it goes on by itself. */
async function freeze(
  port: string,
  seconds: number,
  service: RunningService,
  fleet: Awaited<ReturnType<typeof createFleet>>,
  responses: Map<number, number>,
): Promise<void> {
  const memoryBefore = residentMegabytes(service.child.pid!)
  const processes = postgresOn(port)
  for (const pid of processes) process.kill(pid, 'SIGSTOP')
  // More than any queue may hold: mass calls of 1,000 messages each, for as long as it is frozen.
  let flooding = true
  const flood = Array.from({ length: 60 }, async () => {
    const devices = Array.from({ length: 1_000 }, (_, n) => {
      const { id, access_key } = fleet[n % fleet.length]!
      return { id, access_key: `${access_key}x`, status: 'online', telemetries: { pad: 'x'.repeat(500) } }
    })
    const body = JSON.stringify({ devices })
    while (flooding) {
      const request = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
      const response = await fetch(`${service.url}/v1/devices/telemetry`, request).catch(() => null)
      responses.set(response?.status ?? 0, (responses.get(response?.status ?? 0) ?? 0) + 1)
      if (response?.status === 503 && !response.headers.get('retry-after')) throw new Error('a 503 without Retry-After')
      await response?.body?.cancel()
      await sleep(100)
    }
  })
  let max = 0
  const before503 = responses.get(503) ?? 0
  const refused = () => (responses.get(503) ?? 0) - before503
  // A queue that was never full would prove nothing, and on a slow machine it takes a while to fill.
  for (let second = 0; second < seconds || (refused() === 0 && second < 60); second += 1) {
    await sleep(1_000)
    max = Math.max(max, residentMegabytes(service.child.pid!))
  }
  const refusals = refused()
  for (const pid of processes) process.kill(pid, 'SIGCONT')
  const before = responses.get(200) ?? 0
  await until(() => (responses.get(200) ?? 0) > before + 200, 'messages stored again', 120)
  flooding = false
  await Promise.all(flood)
  console.log(`Postgres was frozen for ${seconds} s: ${summary(responses)}; memory ${memoryBefore} → at most ${max} MB`)
  if (refusals === 0) throw new Error('the queue was never full: this proves nothing')
  if (max > memoryBefore + 400) throw new Error(`memory grew from ${memoryBefore} to ${max} MB`)
}

function summary(responses: Map<number, number>): string {
  return [...responses].map(([status, count]) => `${count} × ${status || 'no response'}`).join(', ')
}

/** The last kill may have taken our own connection with it. */
async function untilReachable<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask()
    } catch (error) {
      if (attempt === 5 || !/CONNECTION|closed|terminat/i.test(String(error))) throw error
      await sleep(500)
    }
  }
}

function residentMegabytes(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024)
}
