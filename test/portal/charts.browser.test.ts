import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { it } from '../support/browser/browser.ts'
import { axeViolations, createWorld } from '../support/portal-world.ts'
import { until } from '../support/until.ts'

const world = await createWorld()
const [device, second, third] = world.devices as [Device, Device, Device]
type Device = (typeof world.devices)[number]
const at = (path: string) => `/customer/${world.customer.id}/devices/${path}`
const hour = 3_600_000
const start = Date.now()

/** A day of messages every ten minutes, with 19 hours of silence before the last two; claimed long before. */
async function fillDay(): Promise<void> {
  await world.admin.call(
    'PUT',
    `/core/v1/partner/models/${world.model.id}/dictionary`,
    {
      data_points: [
        { key: 'temperature', type: 'number', label: 'Temperature', unit: '°C', decimals: 1, chart: true },
        { key: 'setpoint', type: 'number', label: 'Setpoint', unit: '°C' },
        {
          key: 'door',
          type: 'boolean',
          label: 'Door',
          chart: true,
          values: [
            { value: true, label: 'Open', alarm: true },
            { value: false, label: 'Closed' },
          ],
        },
      ],
    },
    { 'landbridge-partner': world.partner.id },
  )
  await world.sql`update devices set claimed_at = claimed_at - interval '8 days' where claimed_at is not null`
  await world.sql`delete from history`
  const minutes = [...times(24 * 60, 21 * 60), ...times(2 * 60, 0)]
  await sendAll(
    minutes.flatMap((before, index) =>
      [device, second, third].map(({ id, access_key }, offset) => ({
        ...{ id, access_key, status: 'online', timestamp: new Date(start - before * 60_000).toISOString() },
        telemetries: {
          temperature: 20 + offset + (index % 5) / 10,
          setpoint: 21,
          energy: 1_235_560 + index,
          leak: 0.0002 + index / 20_000,
          exact: 1234.567890123,
          door: before > 60 && before < 100,
          mode: index < 10 ? 'eco' : '=comfort',
          'a,b': 7,
        },
      })),
    ),
  )
  await world.sql`update history set received_at = timestamp`
  const [{ number }] = await world.sql<[{ number: number }]>`select number from devices where id = ${device.id}`
  await world.sql`delete from status_history where device_number = ${number}`
  await world.sql`
    insert into status_history (bucket, device_number, at, number, status, previous) values
      (device_bucket(${device.id}), ${number}, ${new Date(start - 21 * hour)}, 1000001, 'offline', 'online'),
      (device_bucket(${device.id}), ${number}, ${new Date(start - 2 * hour)}, 1000002, 'online', 'offline')`
}

function times(from: number, to: number): number[] {
  return Array.from({ length: (from - to) / 10 + 1 }, (_, index) => from - index * 10)
}

async function sendAll(devices: object[]): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${world.url}/v1/devices/telemetry`, {
    ...{ method: 'POST', headers, body: JSON.stringify({ devices }) },
  })
  assert.equal(response.status, 200)
}

const cursor = (page: Page) => page.getByRole('slider', { name: 'Time in the chart' })
const valueText = (page: Page) => cursor(page).getAttribute('aria-valuetext')
const labels = (page: Page, side: 'left' | 'right') => page.locator(`.chart-label-${side}`).allTextContents()

async function drag(page: Page, from: number, to: number): Promise<void> {
  const { x, y, width } = (await cursor(page).boundingBox())!
  await page.mouse.move(x + width * from, y + 60)
  await page.mouse.down()
  await page.mouse.move(x + width * ((from + to) / 2), y + 60)
  await page.mouse.move(x + width * to, y + 60)
  await page.mouse.up()
}

describe('device pages', () => {
  it('charts: whole numbers on the axis, an axis per unit, gaps, timelines, a tooltip; all of it in the address', async () => {
    await fillDay()
    await world.visit({ locale: 'de-DE', timezoneId: 'Europe/Berlin' }, async (page) => {
      await page.goto(at(device.id))
      // What the partner chose: a number and a boolean.
      await page.getByRole('img', { name: /^Chart\. Temperature: \d+ points, from 20 °C/ }).waitFor()
      await page.getByRole('img', { name: /^Timeline\. Door: .*Closed/ }).waitFor()
      await page.getByRole('img', { name: /^Timeline\. Status: 1 periods, mostly Online/ }).waitFor()
      await page.getByText('1,234.56789').waitFor()

      // Another axis for another unit, and none for what shares it; a text is a timeline.
      await page.getByRole('checkbox', { name: 'Setpoint' }).click()
      await page.getByRole('checkbox', { name: 'energy' }).click()
      await page.getByRole('checkbox', { name: 'mode' }).click()
      await page.locator('label', { hasText: '24 h' }).click()
      await page.getByRole('img', { name: /^Timeline\. mode: .*last =comfort/ }).waitFor()
      await page.getByRole('img', { name: /^Chart\. Temperature.*Setpoint.*energy/ }).waitFor()
      assert.ok((await labels(page, 'right')).includes('1,235,590'), 'a large number is whole')
      const [left] = await Promise.all([labels(page, 'left')])
      assert.equal(new Set(left).size, left.length, 'no label is repeated')
      const inside = await page
        .locator('.chart-label-right')
        .evaluateAll((all) =>
          (all as unknown as { getBoundingClientRect(): { right: number }; closest(selector: string): never }[]).every(
            (label) =>
              label.getBoundingClientRect().right <=
              (label.closest('.chart') as { getBoundingClientRect(): { right: number } }).getBoundingClientRect().right,
          ),
        )
      assert.ok(inside, 'none is cut off')
      await page.getByRole('checkbox', { name: 'energy' }).click()
      await page.getByRole('checkbox', { name: 'leak' }).click()
      await page.getByRole('img', { name: /leak/ }).waitFor()
      const small = await labels(page, 'right')
      assert.equal(new Set(small).size, small.length, small.join(' '))

      // At the pointer: the values; in the gap, only what lasted through it.
      const { x, y, width } = (await cursor(page).boundingBox())!
      await page.mouse.move(x + width * 0.99, y + 60)
      await until(async () =>
        /Temperature 20\.\d\s°C.*Door Closed.*mode =comfort.*Status Online/.test((await valueText(page)) ?? ''),
      )
      await page.locator('.chart-tooltip').getByText('Temperature').waitFor()
      await page.mouse.move(x + width * 0.5, y + 60)
      await until(async () => /Status Offline$/.test((await valueText(page)) ?? ''), 'nothing is made up in a gap')
      assert.doesNotMatch((await valueText(page))!, /Temperature|Door|mode/)
      // With the keyboard too.
      await cursor(page).focus()
      await page.keyboard.press('Home')
      const first = await valueText(page)
      await page.keyboard.press('ArrowRight')
      assert.notEqual(await valueText(page), first)
      assert.match(first!, /^\d+ \w+ \d{4}, \d\d:\d\d:\d\d/, 'one locale, whatever the browser has')

      // A zoom is a step of the browser's history; a reload shows the same.
      await drag(page, 0.92, 0.98)
      await page.waitForURL((url) => url.searchParams.has('from') && url.searchParams.has('to'))
      const zoomed = new URL(page.url())
      const span = Date.parse(zoomed.searchParams.get('to')!) - Date.parse(zoomed.searchParams.get('from')!)
      assert.ok(span > hour && span < 2 * hour, `${span}`)
      assert.deepEqual(zoomed.searchParams.getAll('keys'), ['temperature', 'door', 'setpoint', 'mode', 'leak'])
      await page.reload()
      await page.getByRole('img', { name: /^Timeline\. Door: .*Open/ }).waitFor()
      assert.equal(page.url(), zoomed.href)
      await page.getByRole('button', { name: 'Zoom out' }).click()
      await page.waitForURL((url) => url.href !== zoomed.href)
      await page.goBack()
      await page.waitForURL(zoomed.href)
      await page.goBack()
      await page.waitForURL((url) => url.searchParams.get('range') === '24h')
      // An own range.
      await page.getByRole('button', { name: 'Custom' }).click()
      await page.getByLabel('From', { exact: true }).fill('2026-01-02T00:00')
      await page.getByLabel('To', { exact: true }).fill('2026-01-01T00:00')
      await page.getByText('Choose a time after the start.').waitFor()
      await page.getByLabel('To', { exact: true }).fill('2026-01-03T00:00')
      await page.getByRole('button', { name: 'Show' }).click()
      await page.waitForURL((url) => url.searchParams.get('from') === '2026-01-01T23:00:00.000Z')
      await page.getByRole('img', { name: /Temperature: no values in this range/ }).waitFor()
    })
  })

  it('a browser that names its language wrongly has charts, too', async () => {
    await world.visit({}, async (page) => {
      await page.addInitScript("Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' })")
      await page.goto(at(device.id))
      await page.getByRole('img', { name: /^Chart\. Temperature: \d+ points/ }).waitFor()
      assert.equal(await page.evaluate('navigator.language'), 'en-GB')
    })
  })

  it('the shown range as CSV, cells that a spreadsheet would run made harmless; names with commas', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at(`${device.id}?range=24h&keys=mode&keys=a,b`))
      await page.getByRole('img', { name: /^Chart\. a,b: \d+ points, from 7 to 7/ }).waitFor()
      await page.getByRole('button', { name: 'Export CSV' }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'Data points in the chart' }).click(),
      ])
      assert.match(download.suggestedFilename(), /^[\w-]+_Lobby_\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d\.csv$/)
      const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
      assert.match(lines[0]!, /,mode,"a,b"$/)
      assert.ok(lines.length > 20)
      assert.match(lines.at(-1)!, /,'=comfort,7$/)
    })
  })

  it('status: uptime and periods, also after a live change; the status says since when, not when it was last seen', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at(`${device.id}?tab=status`))
      const table = page.getByRole('table', { name: 'Status history' })
      await table.getByText('Offline').waitFor()
      await table.getByText('19 h', { exact: true }).waitFor()
      await page.getByText(/^20\.\d+%$/).waitFor()
      await page.getByText('Live', { exact: true }).waitFor()
      const { id, access_key } = device
      await sendAll([{ id, access_key, status: 'error', telemetries: { temperature: 1 } }])
      await page.getByText('Error since').waitFor()
      await table.getByText('Error').waitFor()
      const since = page.locator('.facts time').nth(1)
      const changed = await since.getAttribute('datetime')
      await sendAll([{ id, access_key, status: 'error', telemetries: { temperature: 2 } }])
      const seen = page.locator('.facts time').first()
      await until(async () => (await seen.getAttribute('datetime'))! > changed!)
      assert.equal(await since.getAttribute('datetime'), changed)
    })
  })

  it('raw messages arrive on the open page; without a line that was there before', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at(`${device.id}?tab=messages`))
      await page.getByText('Live', { exact: true }).waitFor()
      const lines = page.locator('pre')
      await until(async () => (await lines.count()) === 25)
      await sendAll([{ id: device.id, access_key: device.access_key, status: 'online', telemetries: { fresh: 'one' } }])
      await page.getByText('{ "fresh": "one" }').waitFor()
      assert.match((await lines.first().textContent())!, /fresh/)
      // With many pages open, they wait for a click.
      for (let pages = 2; pages <= 4; pages += 1) {
        const button = page.getByRole('button', { name: 'Show older' })
        if ((await button.count()) === 0) break
        await button.click()
        await until(async () => (await lines.count()) > 25 * (pages - 1))
      }
    })
  })

  it('up to six devices are compared, from the address; numbers as lines, others as timelines', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at(`${device.id}?tab=compare`))
      const others = page.getByRole('combobox', { name: /other devices/ })
      await others.click()
      await page.getByRole('option', { name: second.name }).click()
      await page.getByRole('img', { name: new RegExp(`^Chart. .*${second.name}: \\d`) }).waitFor()
      await others.fill(third.name)
      await page.getByRole('option', { name: third.name }).click()
      await page.waitForURL((url) => url.searchParams.getAll('with').length === 2)
      await page
        .getByRole('img', { name: new RegExp(`^Chart. ${device.name}: .*${second.name}: .*${third.name}: \\d`) })
        .waitFor()
      await page.reload()
      await page
        .getByRole('img', { name: new RegExp(`^Chart. ${device.name}: .*${second.name}: .*${third.name}: \\d`) })
        .waitFor()
      // Addresses that nobody would write: of the others, only what is a device of ours.
      const strange = ['../../users', second.id, second.id, world.devices.at(-1)!.id].map(
        (id) => `with=${encodeURIComponent(id)}`,
      )
      await page.goto(at(`${device.id}?tab=compare&key=mode&${strange.join('&')}`))
      await page.getByRole('img', { name: new RegExp(`^Timeline. ${second.name}: `) }).waitFor()
      await page.getByText('Some of these devices could not be read').waitFor()
    })
    // The partner's page has the same, without the customer's names.
    await world.visit({}, async (page) => {
      await page.goto(`/partner/${world.partner.id}/devices/${device.id}?tab=compare&with=${second.id}&key=temperature`)
      await page.getByRole('img', { name: new RegExp(`^Chart. ${device.sn}: .*${second.sn}: \\d`) }).waitFor()
      assert.equal(await page.getByText(second.name).count(), 0)
    })
  })

  it('on a phone: a touch shows the values, nothing is too wide, and axe finds nothing in both themes', async () => {
    await world.visit({ viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: 'light' }, async (page) => {
      const keys = ['temperature', 'energy', 'leak', 'door', 'mode'].map((key) => `keys=${key}`).join('&')
      for (const path of [
        `${device.id}?range=24h&${keys}`,
        `${device.id}?tab=status`,
        `${device.id}?tab=compare&with=${second.id}`,
      ]) {
        await page.goto(at(path))
        await page
          .getByRole('img', { name: /^(Chart|Timeline)\./ })
          .first()
          .waitFor()
        const { width } = (await cursor(page).boundingBox())!
        await cursor(page).tap({ position: { x: width * 0.95, y: 40 } })
        await page.locator('.chart-tooltip').waitFor()
        assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0, path)
        assert.deepEqual(await axeViolations(page), [], path)
        await page.emulateMedia({ colorScheme: 'dark' })
        await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
        assert.deepEqual(await axeViolations(page), [], `${path}, dark`)
        await page.emulateMedia({ colorScheme: 'light' })
        await page.locator('html[data-mantine-color-scheme=light]').waitFor()
      }
    })
  })
})
