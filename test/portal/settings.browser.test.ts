import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { callApi } from '../../server/src/cli/simulate/portal-session.ts'
import { it } from '../support/browser/browser.ts'
import { createWorld, findNothing } from '../support/portal-world.ts'

const world = await createWorld()
const device = world.devices[0]!
const at = (path: string) => `/customer/${world.customer.id}${path}`
const model = `/partner/${world.partner.id}/models/${world.model.id}`
const config = (method: 'GET' | 'POST', body?: object) =>
  callApi(`${world.url}/v1/devices/${device.id}/config`, method, body, { authorization: device.access_key })

const phone = { width: 390, height: 844 }
const line = (page: Page, key: string) => page.locator(`[data-setting="${key}"]`)
const save = (page: Page) => page.getByRole('button', { name: 'Save settings' }).click()

describe('settings', () => {
  it('become settable in the data dictionary', async () => {
    const dictionary = [
      { key: 'setpoint', label: 'Setpoint', type: 'number', unit: '°C', decimals: 1, min: 5, max: 35 },
      {
        key: 'mode',
        label: 'Mode',
        type: 'text',
        values: ['comfort', 'eco'].map((value) => ({ value })),
        settable: true,
      },
      { key: 'lock', label: 'Child lock', type: 'boolean', settable: true },
    ]
    const path = `/core/v1/partner/models/${world.model.id}/dictionary`
    await world.admin.call('PUT', path, { data_points: dictionary }, { 'landbridge-partner': world.partner.id })
    await world.visit({ colorScheme: 'light' }, async (page) => {
      await page.goto(`${model}?tab=dictionary`)
      await page.getByRole('button', { name: 'Edit Setpoint' }).click()
      await page.getByRole('dialog').getByLabel('Customers can set it').check()
      await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.getByText('Data dictionary saved.').first().waitFor()
      await page
        .getByRole('row', { name: /Setpoint/ })
        .getByText('Can be set')
        .waitFor()
    })
  })

  it('are wanted, applied and refused by the device, undone, and changed at the device meanwhile', async () => {
    await world.visit({ colorScheme: 'light' }, async (page) => {
      await page.goto(at(`/devices/${device.id}?tab=settings`))
      await line(page, 'setpoint').getByLabel('Setpoint (°C)').fill('40')
      await save(page)
      await line(page, 'setpoint').getByText('Enter 35 or less').waitFor()
      await line(page, 'setpoint').getByLabel('Setpoint (°C)').fill('22.5')
      await line(page, 'lock').getByRole('combobox').or(line(page, 'lock').getByRole('textbox')).click()
      await page.getByRole('option', { name: 'Yes' }).click()
      await save(page)
      await line(page, 'setpoint').getByText('Waiting for the device').waitFor()
      const wanted = await config('GET')
      assert.deepEqual(wanted.config, { setpoint: 22.5, lock: true })
      const details = [{ key: 'lock', message: 'Locked by the installer' }]
      await config('POST', { version: wanted.version, result: 'rejected', details })
      await line(page, 'lock').getByText('Locked by the installer').waitFor()
      await line(page, 'lock').getByText('Refused by the device').waitFor()
      await findNothing(page, 'device-settings')
      await page.setViewportSize(phone)
      await findNothing(page, 'device-settings-phone')
      await page.setViewportSize({ width: 1280, height: 800 })

      await line(page, 'setpoint').getByLabel('Setpoint (°C)').fill('24')
      const { version } = await config('GET')
      await config('POST', { base_version: version, values: { setpoint: 19 } })
      await save(page)
      await page.getByText('These settings were changed at the device meanwhile').waitFor()
      await page.getByRole('row', { name: 'Setpoint 24.0 °C 19.0 °C' }).waitFor()
      await findNothing(page, 'settings-conflict')
      await page.getByRole('button', { name: 'Save mine' }).click()
      await page.getByText('Settings saved.').first().waitFor()
      assert.equal((await config('GET')).config.setpoint, 24)
      await page.getByRole('button', { name: 'Undo' }).last().click()
      await page.getByText('Undone.').first().waitFor()
      assert.equal((await config('GET')).config.setpoint, 19)
    })
  })

  it('come from a template, which finds the devices that differ and changes them', async () => {
    await world.visit({ colorScheme: 'light' }, async (page) => {
      await page.goto(at('/setting-templates'))
      await page.getByText('No templates yet').waitFor()
      await findNothing(page, 'no-templates')
      await page.getByRole('button', { name: 'New template' }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog
        .getByRole('combobox', { name: 'Model' })
        .or(dialog.getByRole('textbox', { name: 'Model' }))
        .click()
      await page.getByRole('option', { name: 'Thermostat T2' }).click()
      await dialog.getByLabel('Setpoint (°C)').fill('20')
      await findNothing(page, 'template-new')
      await dialog.getByRole('button', { name: 'Create template' }).click()
      await page.getByRole('row', { name: /Thermostat T2 Everywhere Setpoint 20.0/ }).waitFor()
      await findNothing(page, 'templates')
      await page.setViewportSize(phone)
      await findNothing(page, 'templates-phone')
      await page.setViewportSize({ width: 1280, height: 800 })

      await page.goto(at(`/devices/${device.id}?tab=settings`))
      await line(page, 'setpoint').getByText('Differs from the template: 20.0').waitFor()
      await page.goto(at('/devices'))
      await page
        .getByRole('combobox', { name: 'Settings' })
        .or(page.getByRole('textbox', { name: 'Settings' }))
        .click()
      await page.getByRole('option', { name: 'Differs from template' }).click()
      await page.getByText('7 devices').waitFor()
      await findNothing(page, 'devices-differ')

      await page.goto(at('/setting-templates'))
      await page.getByRole('button', { name: /^Apply/ }).click()
      await dialog.getByText('7 devices differ').waitFor()
      await findNothing(page, 'template-apply')
      await dialog.getByRole('button', { name: 'Apply to 7 devices' }).click()
      await page.getByText('Template applied to 7 devices.').first().waitFor()
      assert.equal((await config('GET')).config.setpoint, 20)
    })
  })
})
