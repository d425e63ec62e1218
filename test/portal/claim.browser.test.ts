import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { it } from '../support/browser/browser.ts'
import { createWorld } from '../support/portal-world.ts'

const world = await createWorld()
const at = (path: string) => `/customer/${world.customer.id}${path}`

describe('claiming devices', () => {
  it('1.5 claiming: any form of a MAC is read, a wrong serial is refused with what to check, the right one succeeds', async () => {
    const spare = world.devices.at(-1)!
    await world.visit({}, async (page) => {
      await page.goto(at('/claim'))
      await page.getByLabel('MAC address').fill(spare.mac.replaceAll(':', '').toUpperCase())
      await page.getByText(`Read as ${spare.mac}`).waitFor()
      await page.getByLabel('Serial number').fill('wrong')
      await page.getByRole('button', { name: 'Claim device' }).click()
      await page.getByText('Check MAC, serial number and model against the label').waitFor()
      await page.getByLabel('Serial number').fill(spare.sn)
      await page.getByLabel('Name', { exact: true }).fill('Spa')
      await page.getByRole('button', { name: 'Claim device' }).click()
      await page.getByRole('link', { name: 'Open Spa' }).click()
      await page.getByRole('heading', { name: 'Spa' }).waitFor()
      await page.getByText('Never seen').waitFor()
    })
  })

  it('a double click on Claim sends one claim', async () => {
    const [device] = await register(1)
    await world.visit({}, async (page) => {
      let claims = 0
      await page.route('**/devices/claim', async (route) => {
        claims += 1
        await route.continue()
      })
      await page.goto(at('/claim'))
      await page.getByLabel('MAC address').fill(device!.mac)
      await page.getByLabel('Serial number').fill(device!.sn)
      const button = page.getByRole('button', { name: 'Claim device' })
      await button.evaluate((element: { click(): void }) => {
        element.click()
        element.click()
      })
      await page.getByText('Claimed', { exact: true }).waitFor()
      assert.equal(claims, 1)
      assert.equal(await page.getByText('cannot be claimed').count(), 0)
    })
  })

  const lineAt = (page: Page, number: number) =>
    page.getByRole('table', { name: 'Lines to claim' }).getByRole('row').nth(number)

  it('decision 7.31: a pasted list is claimed; failures come first, are edited in place, and claimed again', async () => {
    const [known] = await register(1)
    await world.visit({}, async (page) => {
      await page.goto(at('/claim?from=list'))
      await page
        .getByLabel('MAC and serial number, one device per line')
        .fill(`${known!.mac.replaceAll(':', '')}\t${known!.sn}\n02-00-5E-99-00-01; NOPE-1\nnot a mac, X`)
      await page.getByText('3 lines, 2 ready to claim, 1 line to correct').waitFor()
      await lineAt(page, 1).getByText('“not a mac” is not a MAC address').waitFor()
      const button = page.getByRole('button', { name: 'Claim 2 devices' })
      let calls = 0
      page.on('request', (request) => {
        if (request.url().endsWith('/devices/claim-list')) calls += 1
      })
      await button.evaluate((element: { click(): void }) => {
        element.click()
        element.click()
      })
      await page.getByText('1 claimed, 2 failed', { exact: true }).waitFor()
      assert.equal(calls, 1)
      await lineAt(page, 1).getByText('Cannot be claimed').waitFor()
      await lineAt(page, 3).getByText('Claimed', { exact: true }).waitFor()
      await page.getByText('Failed 2').click()
      await page.getByText('2 lines', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Edit failed lines' }).click()
      const list = page.getByLabel('MAC and serial number, one device per line')
      const model = world.model.id
      assert.equal(
        (await list.inputValue()).replaceAll('\r', ''),
        `mac,serial number,model,space,name\n02-00-5E-99-00-01,NOPE-1,${model},,\nnot a mac,X,${model},,\n`,
      )
      await list.fill(`${known!.mac}, ${known!.sn}`)
      await page.getByRole('button', { name: 'Claim 1 device' }).click()
      await page.getByText('0 claimed, 1 already claimed, 0 failed').waitFor()
      await page.getByRole('button', { name: 'New list' }).click()
      assert.equal(await list.inputValue(), '')
    })
  })

  it('decision 7.31: a CSV file with spaces is claimed, stopped, resumed after a reload; its failures are downloaded', async () => {
    const devices = await register(252)
    const space = 'Harbour Hotel Bergen'
    const rows = devices.map(({ mac, sn }, index) => `"Gym; ${index}",${sn},${mac},${world.model.name},${space}`)
    rows.splice(1, 0, `"Gym; lost",NOPE-2,02:00:5e:99:00:02,${world.model.name},${space}`)
    const file = `\ufeffName,Serial,MAC,Model,Space\r\n${rows.join('\r\n')}\r\n`
    await world.visit({}, async (page) => {
      // The first call waits until Stop was pressed.
      const held = Promise.withResolvers<void>()
      await page.route('**/devices/claim-list', async (route) => {
        await held.promise
        await route.continue()
      })
      await page.goto(at('/claim?from=list'))
      const upload = (content: string | Buffer) =>
        page
          .locator('input[type=file]')
          .setInputFiles({ name: 'devices.csv', mimeType: 'text/csv', buffer: Buffer.from(content) })
      await upload(file)
      await page.getByText('253 lines, 253 ready to claim').waitFor()
      await page.getByRole('button', { name: 'Claim 253 devices' }).click()
      await page.getByRole('button', { name: 'Stop' }).click()
      held.resolve()
      await page.getByText('249 claimed, 1 failed, 3 remaining').waitFor()
      await page.reload()
      await page.getByText('249 claimed, 1 failed, 3 remaining').waitFor()
      await page.getByRole('button', { name: 'Resume' }).click()
      await page.getByText('252 claimed, 1 failed', { exact: true }).waitFor()

      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download failures as CSV' }).click()
      const failures = await readFile(await (await downloading).path(), 'utf8')
      const row = `02:00:5e:99:00:02,NOPE-2,${world.model.name},${space},"Gym; lost",Cannot be claimed`
      assert.equal(failures, `\ufeffmac,serial number,model,space,name,reason\r\n${row}\r\n`)
      // Corrected and uploaded again, it is claimed, and nothing is left to resume.
      const [found] = await register(1)
      await page.getByRole('button', { name: 'New list' }).click()
      await upload(failures.replace('02:00:5e:99:00:02,NOPE-2', `${found!.mac},${found!.sn}`))
      await page.getByRole('button', { name: 'Claim 1 device' }).click()
      await page.getByText('1 claimed, 0 failed').waitFor()
      await page.reload()
      await page.getByLabel('MAC and serial number, one device per line').waitFor()
      await page.goto(at('/devices?search=Gym%3B%20lost'))
      await page.getByRole('link', { name: 'Gym; lost' }).waitFor()
    })
    const [inSpaces] = await world.sql`
      select count(*)::int as count from devices join spaces on spaces.id = devices.space_id
      where spaces.name = ${space} and devices.name like 'Gym; %'`
    assert.equal(inSpaces!.count, 253)
  })

  it('decision 7.32: at the limit of failed lines the list waits, counts down, and goes on by itself', async () => {
    const [device] = await register(1)
    const wrong = Array.from({ length: 3 }, (_, n) => `02:00:5e:98:00:0${n},NOPE`)
    await world.visit({}, async (page) => {
      // As the service responds when two failures were left, without using them up for the other tests.
      let calls = 0
      await page.route('**/devices/claim-list', async (route) => {
        calls += 1
        if (calls > 1) return await route.continue()
        const results = [0, 1, 2, 3].map((n) => ({ outcome: n < 2 ? 'claim_failed' : 'not_tried', error: 'x' }))
        await route.fulfill({ json: { results, retry_after_seconds: 2 } })
      })
      await page.goto(at('/claim?from=list'))
      await page
        .getByLabel('MAC and serial number, one device per line')
        .fill([...wrong, `${device!.mac},${device!.sn}`].join('\n'))
      await page.getByRole('button', { name: 'Claim 4 devices' }).click()
      await page.getByText(/Rate limit reached. Resuming in [12] s/).waitFor()
      await page.getByText('0 claimed, 2 failed, 2 remaining').waitFor()
      await page.getByText('1 claimed, 3 failed', { exact: true }).waitFor()
      assert.equal(calls, 2)
    })
  })

  it('spaces that a list names and that do not exist are shown, and created on request', async () => {
    const [one, two] = await register(2)
    await world.visit({}, async (page) => {
      await page.goto(at('/claim?from=list'))
      const list = `mac,sn,space\n${one!.mac},${one!.sn},Harbour Hotel Bergen / Attic\n${two!.mac},${two!.sn},Stavanger/2nd floor/201`
      await page.getByLabel('MAC and serial number, one device per line').fill(list)
      const missing = page.getByRole('alert').filter({ hasText: '4 spaces of this list do not exist yet' })
      assert.deepEqual(await missing.getByRole('listitem').allTextContents(), [
        ...['Harbour Hotel Bergen / Attic', 'Stavanger', 'Stavanger / 2nd floor', 'Stavanger / 2nd floor / 201'],
      ])
      await missing.getByRole('button', { name: 'Create 4 spaces' }).click()
      await page.getByText('4 spaces created.').waitFor()
      await page.getByRole('button', { name: 'Claim 2 devices' }).click()
      await page.getByText('2 claimed, 0 failed').waitFor()
    })
  })

  it('a list goes on in a new tab where the closed one stopped, and claims no device twice', async () => {
    const devices = await register(251)
    const list = ['mac,sn,space', ...devices.map(({ mac, sn }) => `${mac},${sn},Harbour Hotel Bergen`)]
    list.push('02:00:5e:77:ff:ff,NOPE-3,Atlantis')
    await world.visit({}, async (page) => {
      await page.goto(at('/claim?from=list'))
      await page.getByLabel('MAC and serial number, one device per line').fill(list.join('\n'))
      await page.getByText('252 lines, 251 ready to claim, 1 line to correct').waitFor()
      await page.getByText('Unknown space “Atlantis”').waitFor()
      const second = Promise.withResolvers<void>()
      let calls = 0
      await page.route('**/devices/claim-list', async (route) => {
        calls += 1
        if (calls === 1) return await route.continue()
        // Executed, but the tab is closed before the response.
        await route.fetch()
        second.resolve()
      })
      await page.getByRole('button', { name: 'Claim 251 devices' }).click()
      await second.promise
      const tab = await page.context().newPage()
      await page.close()
      await tab.goto(at('/claim'))
      await tab.getByRole('link', { name: 'Continue with the list' }).click()
      await tab.getByText('250 claimed, 1 failed, 1 remaining').waitFor()
      await tab.getByRole('button', { name: 'Resume' }).click()
      await tab.getByText('250 claimed, 1 already claimed, 1 failed').waitFor()
    })
    const [claims] = await world.sql`
      select count(*)::int as count, count(distinct device_id)::int as devices from audit_events
      where type = 'device.claimed' and details ->> 'sn' = any(${devices.map(({ sn }) => sn)})`
    assert.deepEqual({ ...claims }, { count: 251, devices: 251 })
  })
})

let registered = 0

/** Registered, not claimed. */
async function register(count: number): Promise<{ mac: string; sn: string }[]> {
  const created = Array.from({ length: count }, () => {
    registered += 1
    const [high, low] = [registered >> 8, registered & 255].map((byte) => byte.toString(16).padStart(2, '0'))
    return { mac: `02:00:5f:00:${high}:${low}`, sn: `R-${registered}` }
  })
  // Few at a time: a busy machine would refuse some of hundreds at once.
  for (let from = 0; from < count; from += 20) {
    assert.ok((await Promise.all(created.slice(from, from + 20).map(registerOne))).every(Boolean))
  }
  return created
}

async function registerOne(device: { mac: string; sn: string }): Promise<boolean> {
  const { id: device_model, hardware_key } = world.model
  const response = await fetch(`${world.url}/v1/devices`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ device_model, hardware_key, firmware_version: '2.0.0', ...device }),
  })
  return response.ok
}
