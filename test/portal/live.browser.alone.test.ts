import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { it } from '../support/browser/browser.ts'
import { createWorld } from '../support/portal-world.ts'
import { requireWithin, until } from '../support/until.ts'

const world = await createWorld()
const at = (path: string) => `/customer/${world.customer.id}${path}`

/** Sends telemetry to one of the processes. */
async function send(url: string, device: { id: string; access_key: string }, telemetries: object): Promise<void> {
  const response = await fetch(`${url}/v1/devices/${device.id}/telemetry`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: device.access_key },
    body: JSON.stringify({ status: 'online', telemetries }),
  })
  assert.equal(response.status, 200)
}

describe('live values', () => {
  it('a value is on the open page within a second, in two browsers on two processes, whichever process the device sends to', async () => {
    const device = world.devices[0]!
    const other = await world.anotherProcess()
    await world.visit({}, async (here) => {
      await world.visit({ baseURL: other }, async (there) => {
        for (const page of [here, there]) {
          await page.goto(at(`/devices/${device.id}`))
          await page.getByText('Live', { exact: true }).waitFor()
        }
        const valueOn = (page: Page, value: number) => page.getByText(String(value), { exact: true })
        const show = async (url: string, value: number) => {
          await send(url, device, { temperature: value })
          const committed = performance.now()
          await Promise.all([here, there].map((page) => valueOn(page, value).waitFor()))
          return performance.now() - committed
        }
        // A new subscription may take a second to reach the other process.
        for (const [index, url] of [world.url, other].entries()) {
          await until(async () => {
            await send(url, device, { temperature: 31.5 + index })
            const seen = await Promise.all([here, there].map((page) => valueOn(page, 31.5 + index).isVisible()))
            return seen.every(Boolean)
          }, 'a first value on both pages')
        }
        for (const [index, url] of [world.url, other].entries()) {
          await requireWithin(1_000, (n) => show(url, 41.5 + 10 * index + n))
        }
      })
    })
  })

  it('the row of a device that is removed elsewhere disappears from the open list', async () => {
    const [, device] = world.devices
    await world.visit({}, async (page) => {
      await page.goto(at('/devices'))
      const row = page.getByText(device!.name, { exact: true })
      await row.waitFor()
      await world.visit({}, async (elsewhere) => {
        const url = `/core/v1/organization/devices/${device!.id}`
        const headers = { 'landbridge-customer': world.customer.id, origin: world.url }
        assert.equal((await elsewhere.request.delete(url, { headers })).status(), 204)
      })
      await row.waitFor({ state: 'detached' })
    })
  })
})
