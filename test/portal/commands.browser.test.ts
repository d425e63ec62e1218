import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { callApi } from '../../server/src/cli/simulate/portal-session.ts'
import { it } from '../support/browser/browser.ts'
import type { SceneDevice } from '../support/portal-scene.ts'
import { createWorld, findNothing } from '../support/portal-world.ts'

const world = await createWorld()
const device = world.devices[0]!
const asCustomer = { 'landbridge-customer': world.customer.id }
const at = (path: string) => `/customer/${world.customer.id}${path}`
const model = `/partner/${world.partner.id}/models/${world.model.id}`
const organization = (method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: object) =>
  world.admin.call(method, `/core/v1/organization${path}`, body, asCustomer)

/** What the device gets. */
const fetchCommand = ({ id, access_key }: SceneDevice) =>
  callApi(`${world.url}/v1/devices/${id}/command`, 'GET', undefined, { authorization: access_key })
const report = ({ id, access_key }: SceneDevice, body: object) =>
  callApi(`${world.url}/v1/devices/${id}/command`, 'POST', body, { authorization: access_key })

const phone = { width: 390, height: 844 }
const history = (page: Page) => page.getByRole('list', { name: 'Commands of this device' }).locator('> li')

describe('commands', () => {
  it('are declared for a model, with problems at their fields', async () => {
    await world.visit({ colorScheme: 'light' }, async (page) => {
      await page.goto(`${model}?tab=commands`)
      await page.getByText('No commands yet').waitFor()
      await page.getByRole('button', { name: 'Add command' }).press('Enter')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name, as devices get it').fill('Set temperature')
      await dialog.getByRole('button', { name: 'Add parameter' }).click()
      const parameter = dialog.getByRole('group', { name: 'Parameter 1' })
      await parameter.getByLabel('Minimum').fill('35')
      await parameter.getByLabel('Maximum').fill('5')
      await dialog.getByRole('textbox', { name: 'Time to execute' }).fill('1')
      await dialog.getByRole('button', { name: 'Add command' }).click()
      await dialog.getByText('Use small letters, digits and _').waitFor()
      const focused = 'document.activeElement.getAttribute("data-path")'
      assert.equal(await page.evaluate(focused), 'name', 'the first problem has the focus')
      await parameter.getByText('Required').first().waitFor()
      await parameter.getByText('Less than the minimum').waitFor()
      await findNothing(page, 'model-command-problems')
      await dialog.getByLabel('Name, as devices get it').fill('set_temperature')
      await dialog.getByLabel('Label of the button').fill('Set temperature')
      await parameter.getByLabel('Key').fill('celsius')
      await parameter.getByLabel('Label').fill('Temperature')
      await parameter.getByLabel('Minimum').fill('5')
      await parameter.getByLabel('Maximum').fill('35')
      await parameter.getByLabel('Required').check()
      await dialog.getByRole('button', { name: 'Add parameter' }).click()
      const pin = dialog.getByRole('group', { name: 'Parameter 2' })
      await pin.getByLabel('Key').fill('pin')
      await pin
        .getByRole('combobox', { name: 'Type' })
        .or(pin.getByRole('textbox', { name: 'Type' }))
        .click()
      await page.getByRole('option', { name: 'Text' }).click()
      await pin.getByLabel(/^Secret/).check()
      await dialog.getByRole('button', { name: 'Add command' }).click()
      await page.getByText('Commands saved.').first().waitFor()
      await page.getByRole('row', { name: /Set temperature.*Temperature, pin \(secret\)/ }).waitFor()

      const declare = async (name: string, label: string, check?: string) => {
        await page.getByRole('button', { name: 'Add command' }).click()
        await dialog.getByLabel('Name, as devices get it').fill(name)
        await dialog.getByLabel('Label of the button').fill(label)
        if (check) await dialog.getByLabel(check).check()
        await dialog.getByRole('button', { name: 'Add command' }).click()
        await dialog.waitFor({ state: 'hidden' })
        await page.getByRole('button', { name: `Edit ${label}` }).waitFor()
      }
      await declare('restart', 'Restart', 'Ask for confirmation')
      await declare('identify', 'Identify')
      await declare('update', 'Update', 'Only while the device is online')
      await declare('legacy', 'Legacy')
      await page.getByRole('button', { name: 'Actions for Legacy' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByRole('button', { name: 'Delete command' }).click()
      await page.getByRole('button', { name: 'Edit Legacy' }).waitFor({ state: 'hidden' })
      await page.setViewportSize(phone)
      await findNothing(page, 'model-commands-phone')
      await page.getByRole('button', { name: 'Edit Set temperature' }).click()
      await dialog.getByRole('group', { name: 'Parameter 2' }).waitFor()
      await findNothing(page, 'model-command-phone')
    })
    const path = `/core/v1/partner/models/${world.model.id}/commands`
    const saved = await world.admin.call('GET', path, undefined, { 'landbridge-partner': world.partner.id })
    assert.deepEqual(
      saved.commands.map(({ name }: { name: string }) => name),
      ['set_temperature', 'restart', 'identify', 'update'],
    )
  })

  it('are sent to a device with a form, and what becomes of them is shown as it happens', async () => {
    await world.visit({ colorScheme: 'light' }, async (page) => {
      await page.goto(at(`/devices/${device.id}`))
      await page.getByRole('tab', { name: 'Commands' }).click()
      await page.getByRole('button', { name: 'Set temperature…' }).press('Enter')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Temperature').fill('36')
      await dialog.getByRole('button', { name: 'Set temperature' }).click()
      await dialog.getByText('Enter 35 or less').waitFor()
      await findNothing(page, 'device-command-form')
      await dialog.getByLabel('Temperature').fill('21.5')
      await dialog.getByLabel('pin', { exact: true }).fill('1234')
      await dialog.getByRole('button', { name: 'Set temperature' }).dblclick()
      await dialog.waitFor({ state: 'hidden' })
      await history(page).first().getByText('Waiting').waitFor()
      assert.equal(await history(page).count(), 1, 'a double click sends one')
      assert.match((await history(page).first().textContent()) ?? '', /Temperature: 21.5, pin: •••/)

      const got = await fetchCommand(device)
      assert.deepEqual(got.parameters, { celsius: 21.5, pin: '1234' })
      await history(page).first().getByText('The device has received it.').waitFor()
      await report(device, { id: got.id, status: 'in_progress', message: 'Heating up' })
      await history(page).first().getByText('Heating up').waitFor()
      await report(device, { id: got.id, status: 'done', result: { celsius: 21.5 } })
      await history(page).first().getByText('Done', { exact: true }).waitFor()
      await history(page)
        .first()
        .getByRole('button', { name: /^Details/ })
        .press('Enter')
      await history(page).first().getByText('"celsius": 21.5').waitFor()

      // Without a form, a double click is one click.
      const button = page.getByRole('button', { name: 'Identify', exact: true })
      await button.click()
      await history(page).nth(1).waitFor()
      await button.dispatchEvent('click', { detail: 2 })
      await page.getByRole('button', { name: 'Restart…' }).click()
      await dialog.getByText('Send this command to Lobby?').waitFor()
      await dialog.getByRole('button', { name: 'Restart' }).click()
      await dialog.waitFor({ state: 'hidden' })
      await history(page).nth(2).waitFor()
      assert.equal(await history(page).count(), 3)
      await history(page).first().getByRole('button', { name: 'Cancel Restart' }).click()
      await history(page).first().getByText('Canceled', { exact: true }).waitFor()
      const identify = await fetchCommand(device)
      await report(device, { id: identify.id, status: 'failed', message: 'No light' })
      await history(page).nth(1).getByText('No light').waitFor()
      await findNothing(page, 'device-commands')
      await page.setViewportSize(phone)
      await findNothing(page, 'device-commands-phone')
    })
  })

  it('say beforehand that a device is offline, and are only listed for those who may not send them', async () => {
    const away = world.devices[6]!
    await world.visit({ colorScheme: 'light' }, async (page) => {
      await page.goto(at(`/devices/${away.id}?tab=commands`))
      await page.getByText('Not possible now: Update.').waitFor()
      await page.getByRole('button', { name: 'Update…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('only accepted while it is online').waitFor()
      assert.ok(await dialog.getByRole('button', { name: 'Update' }).isDisabled())
      await findNothing(page, 'device-offline')
    })
    const { items } = await organization('GET', '/users?limit=100')
    const member = items.find(({ email }: { email: string }) => email === world.member.email)
    await organization('PUT', `/users/${member.id}/roles`, { roles: [{ role: 'viewer', space_id: null }] })
    await world.visit({ signedIn: false }, async (page) => {
      await page.goto('/sign-in')
      await page.getByLabel('Email').fill(world.member.email)
      await page.getByLabel('Password').fill(world.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(/\/customer\//)
      await page.goto(at(`/devices/${device.id}?tab=commands`))
      await page.getByText('No light').waitFor()
      await page.getByText('your role does not allow you to send any').waitFor()
      assert.equal(await page.getByRole('button', { name: /^(Restart…|Identify|Cancel )/ }).count(), 0)
    })
  })

  it('are sent to a selection and to a space, with their progress, and listed for the organization', async () => {
    await world.visit({ colorScheme: 'light' }, async (page) => {
      await page.goto(at('/devices'))
      await page.getByRole('checkbox', { name: 'Select all loaded devices' }).check()
      await page.getByRole('button', { name: 'Send command' }).click()
      const dialog = page.getByRole('dialog')
      const choose = async (name: string) => {
        await dialog
          .getByRole('combobox', { name: 'Command' })
          .or(dialog.getByRole('textbox', { name: 'Command' }))
          .click()
        await page.getByRole('option', { name }).click()
      }
      await choose('Restart')
      await dialog.getByText('Send this command to 7 devices?').waitFor()
      await dialog.getByText('1 device is offline').waitFor()
      await findNothing(page, 'many')
      await dialog.getByRole('button', { name: 'Send to 7 devices' }).dblclick()
      await dialog.getByText('0 of 7 have ended.').waitFor()
      for (const [index, one] of world.devices.slice(0, 6).entries()) {
        const { id } = await fetchCommand(one)
        await report(one, index === 2 ? { id, status: 'failed', message: 'Door is open' } : { id, status: 'done' })
      }
      await dialog.getByText('6 of 7 have ended.').waitFor()
      await dialog.getByText('5 done').waitFor()
      await dialog.getByText('Failed. Door is open').waitFor()
      await findNothing(page, 'many-progress')
      await dialog.getByRole('link', { name: 'Show in Commands' }).click()
      await page.getByRole('heading', { name: 'Sent together' }).waitFor()
      await page.getByText('7 commands').waitFor()
      await findNothing(page, 'commands-batch')
      await page.getByRole('button', { name: 'Show all commands' }).click()
      await page.getByRole('combobox', { name: 'State' }).click()
      await page.getByRole('option', { name: 'Failed' }).click()
      await page.keyboard.press('Escape')
      await page.getByText('2 commands').waitFor()
      await page.setViewportSize(phone)
      await findNothing(page, 'commands-phone')
      await page.setViewportSize({ width: 1280, height: 800 })

      await page.goto(at(`/spaces/${world.site.id}`))
      await page.getByRole('button', { name: 'Send command' }).click()
      await choose('Update')
      await dialog.getByText('this command is refused there').waitFor()
      await dialog.getByRole('button', { name: 'Send to 7 devices' }).click()
      await dialog.getByText('Not sent to 1 device').waitFor()
      await dialog.getByText('0 of 6 have ended.').waitFor()
      await page.setViewportSize(phone)
      await findNothing(page, 'space-progress-phone')
    })
  })
})
