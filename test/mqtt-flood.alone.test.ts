// One device that sends without pause must not slow the others of its process: what they notice, with and without it.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { createFleet } from '../bench/devices/fleet.ts'
import { createDatabase } from './support/database.ts'
import { WireDevice } from './support/mqtt.ts'
import { onDatabase, startService } from './support/service.ts'

const databaseUrl = await createDatabase()
const [flooding, other] = await createFleet(databaseUrl, 2)
const { ready } = await startService({ env: onDatabase(databaseUrl) })
const port = Number(new URL(ready.mqtt_url).port)
const message = { status: 'online', telemetries: { level: 1 } }

async function connected(device: { id: string; access_key: string }): Promise<WireDevice> {
  const wire = new WireDevice(port, 5)
  assert.equal(((await wire.connect(device)) as { reasonCode: number }).reasonCode, 0)
  return wire
}

async function medianOf(act: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 60; round += 1) {
    const startedAt = performance.now()
    await act()
    times.push(performance.now() - startedAt)
  }
  return times.toSorted((a, b) => a - b)[times.length >> 1]!
}

async function megabytes(): Promise<number> {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${ready.pid}/status`, 'utf8'))!
  return Number(kilobytes) / 1024
}

describe('decision 7.72: one device that sends without pause', () => {
  const packets = {
    PINGREQ: Buffer.alloc(1024 * 1024, Buffer.from('c000', 'hex')),
    'a PUBLISH that is refused': Buffer.alloc(
      14 * 75_000,
      Buffer.from('320c00056f74686572000700787878', 'hex').subarray(0, 14),
    ),
  }
  for (const [what, bytes] of Object.entries(packets)) {
    it(`${what}: another device and /healthz take no more than three times as long, and memory does not grow`, {
      timeout: 120_000,
    }, async () => {
      const wire = await connected(other!)
      const publish = async () => {
        wire.publish(other!, message)
        await wire.next()
      }
      const healthz = () => fetch(`${ready.public_url}/healthz`).then((response) => response.text())
      await medianOf(publish)
      const quiet = { publish: await medianOf(publish), healthz: await medianOf(healthz), memory: await megabytes() }
      const flood = await connected(flooding!)
      const sendOn = () => {
        while (flood.socket.write(bytes));
      }
      flood.socket.on('drain', sendOn)
      sendOn()
      const flooded = { publish: await medianOf(publish), healthz: await medianOf(healthz), memory: await megabytes() }
      assert.equal(flood.socket.destroyed, false)
      flood.socket.destroy()
      wire.socket.destroy()
      const figures = JSON.stringify({ quiet, flooded })
      console.log(`  ${what}: ${figures}`)
      // At least 20 ms: a busy machine delays a response by as much.
      assert.ok(flooded.publish <= Math.max(20, 3 * quiet.publish), figures)
      assert.ok(flooded.healthz <= Math.max(20, 3 * quiet.healthz), figures)
      assert.ok(flooded.memory <= quiet.memory + 60, figures)
    })
  }
})
