import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createWorld } from './world.ts'

const world = await createWorld()
const at = (path: string) => `/customer/${world.customer.id}${path}`

/** What the device sends, to whichever process. */
async function send(url: string, device: { id: string; access_key: string }, telemetries: object): Promise<void> {
  const response = await fetch(`${url}/v1/devices/${device.id}/telemetry`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: device.access_key },
    body: JSON.stringify({ status: 'online', telemetries }),
  })
  assert.equal(response.status, 200)
}

describe('live values', () => {
  it('a value is on the open page within a second, in two browsers on two processes, whichever the device speaks to', async () => {
    const device = world.devices[0]!
    const other = await world.anotherProcess()
    await world.visit({}, async (here) => {
      await world.visit({ baseURL: other }, async (there) => {
        for (const page of [here, there]) {
          await page.goto(at(`/devices/${device.id}`))
          await page.getByText('Live', { exact: true }).waitFor()
        }
        // A process hears within a second of a new watcher elsewhere.
        await here.waitForTimeout(1_200)
        for (const [index, url] of [world.url, other].entries()) {
          const value = 41.5 + index
          await send(url, device, { temperature: value })
          const committed = performance.now()
          await Promise.all([here, there].map((page) => page.getByText(String(value), { exact: true }).waitFor()))
          const took = performance.now() - committed
          assert.ok(took < 1_000, `shown after ${Math.round(took)} ms`)
        }
      })
    })
  })
})
