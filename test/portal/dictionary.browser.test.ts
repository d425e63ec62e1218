import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { it } from '../support/browser/browser.ts'
import { axeViolations, createWorld } from '../support/portal-world.ts'

const world = await createWorld()
const model = `/partner/${world.partner.id}/models/${world.model.id}`
const device = world.devices[0]!
const asPartner = { 'landbridge-partner': world.partner.id }
const path = `/core/v1/partner/models/${world.model.id}/dictionary`

const saved = async () => (await world.admin.call('GET', path, undefined, asPartner)).data_points
const replace = (data_points: object[]) => world.admin.call('PUT', path, { data_points }, asPartner)
const keysOf = (entries: { key: string }[]) => entries.map(({ key }) => key)
const rows = (page: Page) => page.getByRole('table', { name: 'Data points' }).locator('tbody tr')
const keysShown = (page: Page) => rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-key')))
const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Data dictionary saved.').first().waitFor()
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' })
}
const findNothing = async (page: Page) => {
  assert.deepEqual(await axeViolations(page), [])
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  assert.deepEqual(await axeViolations(page, 'colours'), [])
  await page.emulateMedia({ colorScheme: 'light' })
  await page.locator('html[data-mantine-color-scheme=light]').waitFor()
}
const picture = async (page: Page, name: string) => {
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${name}.png` })
}

describe('the data dictionary of a model', () => {
  it('starts with suggestions, is edited by keyboard and dialog, and is saved as a whole', async () => {
    await world.visit({ colorScheme: 'light' }, async (page) => {
      await page.goto(`${model}?tab=dictionary`)
      await page.getByText('No data points described yet').waitFor()
      await picture(page, 'empty')
      await page.getByRole('button', { name: 'Suggest from devices' }).click()
      const suggestions = page.getByRole('dialog')
      await suggestions.getByRole('checkbox', { name: 'Temperature' }).waitFor()
      await picture(page, 'suggestions')
      await suggestions.getByRole('checkbox', { name: 'Setpoint' }).uncheck()
      await suggestions.getByRole('button', { name: /^Add \d+ data points$/ }).click()
      await page.getByText('Unsaved changes').waitFor()
      const proposed = await keysShown(page)
      assert.ok((await page.locator('[aria-label^="Open the chart with"]:checked').count()) > 0)
      assert.ok(proposed.includes('temperature') && !proposed.includes('setpoint'), String(proposed))
      assert.deepEqual(await saved(), [], 'nothing is saved yet')

      // What is not saved survives another tab.
      await page.getByRole('tab', { name: 'Settings' }).click()
      await page.getByRole('tab', { name: 'Data dictionary' }).click()
      await page.getByRole('button', { name: 'Edit Temperature' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Label').fill('Room temperature')
      await dialog.getByLabel('Decimals').fill('1')
      await dialog.getByLabel('Minimum').fill('50')
      await dialog.getByLabel('Maximum').fill('35')
      await dialog.getByRole('button', { name: 'Apply' }).click()
      await dialog.getByText('Less than the minimum').waitFor()
      await dialog.getByLabel('Minimum').fill('5')
      await dialog.getByText('Less than the minimum').waitFor({ state: 'hidden' })
      await dialog.getByText('Shown as 20.0').waitFor()
      await picture(page, 'entry')
      await findNothing(page)
      await dialog.getByRole('button', { name: 'Apply' }).click()

      await page.getByRole('button', { name: 'Edit Heating' }).click()
      await dialog.getByLabel('Meaning of true').fill('Heating fault')
      await dialog.getByLabel('Alarm at true').check()
      await dialog.getByLabel('Meaning of false').fill('Off')
      await picture(page, 'boolean')
      await dialog.getByRole('button', { name: 'Apply' }).click()
      await rows(page).getByText('Heating fault').waitFor()

      await page.getByRole('button', { name: 'Add data point' }).click()
      await dialog.getByLabel('Key, as devices send it').fill('temperature')
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      await dialog.getByText('This key is already in the dictionary').waitFor()
      await dialog.getByLabel('Key, as devices send it').fill('code')
      await dialog.getByRole('button', { name: 'Add value' }).click()
      await dialog.getByLabel('Value 1', { exact: true }).fill('7')
      await dialog.getByLabel('Meaning of 7').fill('Overheated')
      await dialog.getByLabel('Position').fill('1')
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      assert.equal((await keysShown(page))[0], 'code')

      // The handle keeps the focus, so that the key can be pressed again.
      await page.getByRole('button', { name: 'Move code' }).press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      assert.equal((await keysShown(page))[2], 'code')
      await page.getByRole('button', { name: 'Move code' }).dragTo(rows(page).first())
      assert.equal((await keysShown(page))[0], 'code')
      await picture(page, 'table')
      await save(page)
      const entries = await saved()
      assert.deepEqual(keysOf(entries), await keysShown(page))
      assert.deepEqual(entries.find(({ key }: { key: string }) => key === 'heating').values, [
        { value: true, label: 'Heating fault', alarm: true },
        { value: false, label: 'Off' },
      ])
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Undone.').waitFor()
      assert.deepEqual(await saved(), [])
    })
  })

  it('imports JSON with errors by line and key, exports it, and shows 120 data points with a search', async () => {
    const many = Array.from({ length: 120 }, (_, index) => ({
      key: `register_${index}`,
      type: 'number',
      label: `Register ${index}`,
      unit: 'kWh',
      ...(index === 77 ? { decimals: 11 } : {}),
    }))
    await world.visit({ colorScheme: 'light' }, async (page) => {
      await page.goto(`${model}?tab=dictionary`)
      await page.getByRole('button', { name: 'Import JSON' }).click()
      const dialog = page.getByRole('dialog')
      const text = dialog.getByLabel('JSON document')
      await text.fill('{"data_points": [\n{"key": "a"\n"type": "text"}]}')
      await dialog.getByRole('button', { name: 'Import and save' }).click()
      await dialog.getByText('Line 3: A comma or } is missing.').waitFor()
      await text.fill(`{"data_points": [\n${many.map((entry) => JSON.stringify(entry)).join(',\n')}\n]}`)
      await dialog.getByRole('button', { name: 'Import and save' }).click()
      await dialog.getByText('Line 79, register_77: decimals must be 10 or less.').waitFor()
      await picture(page, 'import')
      await findNothing(page)
      delete many[77]!.decimals
      await text.fill(JSON.stringify({ data_points: many }))
      await dialog.getByRole('button', { name: 'Import and save' }).click()
      await dialog.waitFor({ state: 'hidden' })
      assert.equal((await saved()).length, 120)

      await page.getByText('120 data points').waitFor()
      await page.getByLabel('Search data points').fill('register 11')
      await page.getByText('11 of 120 data points').waitFor()
      assert.equal(await rows(page).count(), 11)
      assert.equal(await page.getByRole('button', { name: /^Move / }).count(), 0, 'part of a list has no order')
      await picture(page, 'many')
      await page.getByRole('button', { name: 'More actions' }).click()
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'Export JSON' }).click(),
      ])
      assert.deepEqual(JSON.parse(await readFile(await file.path(), 'utf8')), { data_points: many })
      await page.getByRole('button', { name: 'More actions' }).click()
      const [document] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'Download OpenAPI document' }).click(),
      ])
      assert.equal(JSON.parse(await readFile(await document.path(), 'utf8')).openapi, '3.1.0')
    })
  })

  it('what someone else saved meanwhile is not overwritten unless the person says so', async () => {
    await replace([{ key: 'temperature', type: 'number', label: 'Temperature' }])
    await world.visit({}, async (page) => {
      await page.goto(`${model}?tab=dictionary`)
      await page.getByLabel('Open the chart with Temperature').check()
      await replace([{ key: 'mode', type: 'text', label: 'Mode' }])
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.getByText('Someone else changed this dictionary').waitFor()
      assert.deepEqual(keysOf(await saved()), ['mode'])
      await page.getByRole('button', { name: 'Show the other version' }).click()
      await page.getByRole('button', { name: 'Edit Mode' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await replace([])
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.getByRole('button', { name: 'Save mine' }).click()
      await page.getByText('Data dictionary saved.').waitFor()
    })
  })

  it('customer, partner and simulator show what it says; a boolean has no colour of its own', async () => {
    await replace([
      { key: 'heating', type: 'boolean', label: 'Heating', values: [{ value: true, label: 'Stuck', alarm: true }] },
      { key: 'temperature', type: 'number', label: 'Room', unit: '°C', decimals: 1, min: 30, max: 40, chart: true },
      { key: 'mode', type: 'text', label: 'Mode', values: [{ value: 'comfort', label: 'Comfort' }] },
    ])
    await fetch(`${world.url}/v1/devices/${device.id}/telemetry`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: device.access_key },
      body: JSON.stringify({
        status: 'online',
        telemetries: {
          temperature: 21.26,
          heating: true,
          mode: 'comfort',
          window_open: true,
          uptime: 1235590.123456789,
        },
      }),
    })
    await world.visit({ colorScheme: 'light' }, async (page) => {
      const value = (key: string) => page.getByRole('table', { name: 'Latest values' }).locator(`[data-key="${key}"]`)
      for (const address of [
        `/customer/${world.customer.id}/devices/${device.id}`,
        `/partner/${world.partner.id}/devices/${device.id}`,
      ]) {
        await page.goto(address)
        await value('temperature').getByText('21.3 °C').waitFor()
        await value('temperature').getByText('Out of range: 30 to 40 °C').waitFor({ state: 'attached' })
        await value('heating').getByText('Stuck').waitFor()
        await value('heating').getByText('Alarm').waitFor({ state: 'attached' })
        await value('mode').getByText('Comfort').waitFor()
        await value('uptime').getByText('1,235,590.123457').waitFor()
        const keys = await page.locator('[data-key]').evaluateAll((cells) => cells.map((cell) => cell.dataset.key))
        assert.deepEqual(keys.slice(0, 3), ['heating', 'temperature', 'mode'], 'the partner’s order')
        assert.ok(await page.getByRole('checkbox', { name: 'Room' }).isChecked(), 'the chart opens with it')
        const colour = (key: string) =>
          value(key)
            .getByText(/^(true|Stuck|Comfort)$/)
            .evaluate((text) => text.ownerDocument.defaultView!.getComputedStyle(text).color)
        assert.equal(await colour('window_open'), await colour('mode'), 'true has no colour')
        assert.notEqual(await colour('heating'), await colour('mode'))
        await picture(page, address.includes('customer') ? 'device' : 'fleet-device')
      }
      await findNothing(page)

      await page.goto(`/partner/${world.partner.id}/simulator`)
      await page.getByRole('button', { name: 'Register simulated device' }).click()
      await page.getByLabel('Heating: false').check()
      await page.getByLabel('Room').fill('31')
      await page.getByRole('switch', { name: 'Vary numbers a little' }).uncheck()
      await page.getByRole('button', { name: 'Send once' }).click()
      await page.getByText('"temperature": 31').waitFor()
      await page.getByText('"heating": true').waitFor()
      await page.getByText('"mode": "comfort"').waitFor()
      await picture(page, 'simulator')
      await findNothing(page)

      await page.goto(model)
      await page.getByText('"telemetries":{"heating":false,"temperature":35,"mode":"comfort"}').waitFor()
      await page.setViewportSize({ width: 390, height: 844 })
      await page.goto(`${model}?tab=dictionary`)
      await page.getByRole('button', { name: 'Edit Room' }).waitFor()
      assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
      await picture(page, 'phone')
      await findNothing(page)
      await page.getByRole('button', { name: 'Edit Heating' }).click()
      await page.getByRole('dialog').getByLabel('Meaning of true').waitFor()
      await picture(page, 'phone-entry')
    })
  })
})
