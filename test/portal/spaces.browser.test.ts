import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Space } from '../../portal/src/api/organization.ts'
import { treeOf } from '../../portal/src/customer/space-tree.ts'
import { it } from '../support/browser/browser.ts'
import { axeViolations, createWorld } from '../support/portal-world.ts'

const world = await createWorld()
const at = (path: string) => `/customer/${world.customer.id}${path}`
const asCustomer = { 'landbridge-customer': world.customer.id }
const organization = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
  world.admin.call(method, `/core/v1/organization${path}`, body, asCustomer)

// On a busy machine, the test may last longer than a device may be silent.
await world.sql`update models set offline_after_seconds = 604800`
// A customer sees history from its claim on: the telemetry of the scene is three hours long.
await world.sql`update devices set claimed_at = claimed_at - interval '4 hours' where claimed_at is not null`

const rowOf = (page: Page, table: string, name: string) =>
  page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: name })

const attentionOf = (page: Page, reason: string) =>
  page.getByRole('list', { name: reason, exact: true }).getByRole('listitem').first()

describe('spaces', () => {
  test('those of one level are in the order of their numbers', () => {
    const spaces = ['Floor 10', 'Floor 2', 'floor 1'].map((name) => ({
      id: name,
      name,
      parent_id: null,
      synced: false,
    }))
    assert.deepEqual(
      treeOf(spaces as Space[]).map(({ name }) => name),
      ['floor 1', 'Floor 2', 'Floor 10'],
    )
  })

  it('from the tree to a space: counts with everything below, a chart of all devices, and what needs attention', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/spaces'))
      await page.getByRole('link', { name: 'Harbour Hotel Oslo' }).click()
      await page.getByRole('heading', { name: 'Harbour Hotel Oslo' }).waitFor()
      await page.getByText('7 devices in this space and the 2 spaces below it.').waitFor()
      await page.getByRole('link', { name: 'Online 5' }).waitFor()
      await page.getByRole('link', { name: 'Error 1' }).waitFor()
      await page.getByRole('link', { name: 'Never seen 1' }).waitFor()

      await attentionOf(page, 'Error').getByRole('link', { name: 'Room 103' }).waitFor()
      await attentionOf(page, 'Never seen').getByRole('link', { name: 'Boiler room' }).waitFor()

      const ground = rowOf(page, 'Spaces inside', 'Ground floor')
      assert.deepEqual((await ground.getByRole('cell').allTextContents()).slice(0, 3), ['Ground floor', '4', '2'])
      await ground.getByRole('img', { name: 'Online 2, Error 1, Never seen 1' }).waitFor()

      await page.getByRole('combobox', { name: 'Data point' }).click()
      await page.getByRole('option', { name: 'temperature' }).click()
      await page.getByRole('img', { name: /temperature, average/ }).waitFor()
      await page.getByText(/The average of 6 devices, every 15 minutes/).waitFor()
      await page.getByText('Sum', { exact: true }).click()
      await page.getByText('6 h', { exact: true }).click()
      await page.getByText(/The last values of 6 devices added up, every 4 minutes/).waitFor()
      await page.waitForURL(/key=temperature&show=sum&range=6h/)
      await page.reload()
      await page.getByRole('img', { name: /temperature, sum/ }).waitFor()

      await ground.getByRole('link').click()
      await page.getByRole('heading', { name: 'Ground floor' }).waitFor()
      await page.getByText('4 devices in this space.').waitFor()
      await page.getByText('No spaces inside this one.').waitFor()
      await page.getByRole('button', { name: 'Show devices' }).click()
      await page.waitForURL(/devices\?space_id=/)
      await page.goBack()
      await page.getByRole('link', { name: 'Harbour Hotel Oslo' }).click()
      await page.getByRole('heading', { name: 'Harbour Hotel Oslo' }).waitFor()
    })
  })

  it('a space is created, renamed, moved with undo, and deleted on its page; an empty one says so', async () => {
    const parent = await organization('POST', '/spaces', { name: 'Harbour Hotel Tromsø' })
    await world.visit({}, async (page) => {
      await page.goto(at(`/spaces/${parent.id}`))
      await page.getByText('0 devices in this space.').waitFor()
      await page.getByText('A chart appears once there are devices here.').waitFor()
      await page.getByText('No devices here yet.').waitFor()
      await page.getByRole('button', { name: 'New space' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Sauna')
      await page.getByRole('dialog').getByRole('button', { name: 'Create space' }).click()
      await page.getByRole('table', { name: 'Spaces inside' }).getByRole('link', { name: 'Sauna' }).click()
      await page.getByRole('heading', { name: 'Sauna' }).waitFor()

      const act = async (name: string) => {
        await page.getByRole('button', { name: /^Actions for / }).click()
        await page.getByRole('menuitem', { name }).click()
      }
      await act('Rename')
      await page.getByRole('dialog').getByLabel('Name').fill('Spa')
      await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
      await page.getByRole('heading', { name: 'Spa', exact: true }).waitFor()

      await act('Move')
      await page.getByRole('combobox', { name: 'Move to' }).fill('oslo ground')
      await page.getByRole('option', { name: 'Harbour Hotel Oslo / Ground floor' }).click()
      assert.equal(await page.getByRole('option', { name: 'Spa' }).count(), 0, 'not into itself')
      await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
      await page.getByText('Spa moved to Harbour Hotel Oslo / Ground floor.').waitFor()
      await page.getByRole('link', { name: 'Ground floor' }).waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('link', { name: 'Harbour Hotel Tromsø' }).waitFor()

      await act('Delete')
      await page.getByRole('dialog').getByRole('button', { name: 'Delete space' }).click()
      await page.getByRole('heading', { name: 'Harbour Hotel Tromsø' }).waitFor()
      await page.getByText('No spaces inside this one.').waitFor()
      await page.goto(at('/spaces/01955210-0a00-7d41-8f0e-6c1b2a3d4e5f'))
      await page.getByText('It may have been removed, or you may not have access to it.').waitFor()
    })
  })

  it('spaces are imported from a list after a preview, found by a search in the tree, and imported again without doubles', async () => {
    const rooms = Array.from({ length: 60 }, (_, n) => `Bodø;Floor ${n % 3};${301 + n}`)
    await world.visit({}, async (page) => {
      await page.goto(at('/spaces'))
      const dialog = page.getByRole('dialog', { name: 'Import spaces' })
      const open = async (text: string) => {
        await page.getByRole('button', { name: 'Import', exact: true }).click()
        await dialog.getByLabel('One space per line').fill(text)
      }
      await open(['Site;Floor;Room', ...rooms, 'harbour hotel oslo / Cellar', '/', 'x'.repeat(201)].join('\n'))
      await dialog.getByText('63 lines, 65 new spaces, 2 lines left out until corrected').waitFor()
      await dialog.getByText('New, with 2 above it').first().waitFor()
      await dialog.getByText('No name').waitFor()
      assert.deepEqual(await axeViolations(page), [])
      await dialog.getByRole('button', { name: 'Create 65 spaces' }).click()
      await page.getByText('65 spaces created.').waitFor()
      await open(rooms.join('\n'))
      await dialog.getByText('60 lines, 0 new spaces').waitFor()
      assert.ok(await dialog.getByRole('button', { name: 'Create spaces' }).isDisabled())
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })

      const search = page.getByRole('searchbox', { name: 'Search spaces' })
      await search.fill('bodø 311')
      await page.getByText('1 space', { exact: true }).waitFor()
      const names = () =>
        page.getByRole('treeitem').evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label')))
      assert.deepEqual(await names(), ['Bodø', 'Floor 1', '311'])
      await search.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: '311' }).waitFor()
      await page.goBack()
      await search.fill('nowhere')
      await page.getByText('No space has this name').waitFor()
      await search.press('Escape')
      await page.getByRole('treeitem', { name: 'Harbour Hotel Oslo' }).waitFor()
      await search.fill('nowhere')
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByRole('treeitem', { name: 'Harbour Hotel Oslo' }).waitFor()
      assert.equal(await search.inputValue(), '')
    })
  })

  it('1.6 a synced space offers no move: not in its menus, not by key, not by drag; nor does one with a synced space inside', async () => {
    const headers = { authorization: `Bearer ${world.tokens.access_token}`, 'content-type': 'application/json' }
    const outer = await organization('POST', '/spaces', { name: 'Annex' })
    const body = JSON.stringify({ name: 'Server room', parent_id: outer.id, synced: true })
    const created = await fetch(`${world.url}/core/v1/organization/spaces`, { method: 'POST', headers, body })
    const { id } = (await created.json()) as { id: string }
    await world.visit({}, async (page) => {
      await page.goto(at('/spaces'))
      for (const name of ['Annex', 'Server room, synced']) {
        const item = page.getByRole('treeitem', { name, exact: true })
        assert.equal(await item.getAttribute('draggable'), 'false', name)
        await item.focus()
        await page.keyboard.press('m')
        await item.getByRole('button', { name: /^Actions for/ }).click()
        await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
        assert.equal(await page.getByRole('menuitem', { name: 'Move' }).count(), 0, name)
        assert.equal(await page.getByRole('dialog').count(), 0, name)
        await page.keyboard.press('Escape')
      }
      await page.goto(at(`/spaces/${id}`))
      await page.getByText('Synced', { exact: true }).waitFor()
      for (const space of [{ id, name: 'Server room' }, outer]) {
        await page.goto(at(`/spaces/${space.id}`))
        await page.getByRole('button', { name: `Actions for ${space.name}` }).click()
        await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
        assert.equal(await page.getByRole('menuitem', { name: 'Move' }).count(), 0, space.name)
      }
    })
  })

  it('with 5,000 devices ten levels down: counted, charted with fewer points, and readable on a phone in dark', async () => {
    let parent_id: string | undefined
    let top = ''
    for (let level = 1; level <= 10; level += 1) {
      const body = { name: `Level ${level} of a campus with a rather long name`, ...(parent_id ? { parent_id } : {}) }
      parent_id = (await organization('POST', '/spaces', body)).id as string
      top ||= parent_id
    }
    await world.sql`
      with device as (
        insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, customer_id, space_id,
          claimed_at, status, status_at)
        select gen_random_uuid(), ${world.partner.id}, ${world.model.id}, gen_random_uuid(), 'CAMPUS-' || number, '2.0.0',
          now(), ${world.customer.id}, ${parent_id!}, '2020-01-01', case when number % 100 = 0 then 'offline' else 'online' end,
          now() - number * interval '1 minute'
        from generate_series(1, 5000) number returning id, number, status
      ), state as (
        insert into device_states (bucket, device_id, number, key_digest, status, latest_at, latest)
        select device_bucket(id), id, number, '', status, now(), '{"power": 2.5}' from device
      )
      insert into history (device_number, sequence, timestamp, received_at, bucket, status, telemetries)
      select number, hour, now() - hour * interval '1 hour', now(), device_bucket(id), 'online', '{"power": 2.5}'
      from device, generate_series(1, 5) hour`
    await world.visit({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' }, async (page) => {
      await page.goto(at(`/spaces/${top}`))
      await page.getByText('5,000 devices in this space and the 9 spaces below it.').waitFor()
      await page.getByText(/The average of 5,000 devices, every 72 minutes/).waitFor()
      await page.getByText('Sum', { exact: true }).click()
      await page.getByRole('img', { name: /power, sum.*12,500/ }).waitFor()
      const first = attentionOf(page, 'Offline')
      assert.match((await first.textContent())!, /^Device CAMPUS-100(?:2 hours|1 hour) ago/, 'the latest')
      assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
      assert.deepEqual(await axeViolations(page), [])
      await page.goto(at(`/spaces/${parent_id}`))
      await page.getByRole('link', { name: /^Level 9/ }).waitFor()
      assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
    })
  })
})

describe('overviews', () => {
  it('the customer: alarms and offline devices first, the trend of the last day, and what is new', async () => {
    const values = [{ value: true, label: 'Yes', alarm: true }]
    const data_points = [{ key: 'leak', type: 'boolean', label: 'Water on the floor', values }]
    await world.sql`update models set dictionary = ${world.sql.json(data_points)} where id = ${world.model.id}`
    const { id, access_key } = world.devices[0]!
    await world.sql`update device_states set alarming = array['{"leak": true}']::jsonb[] where device_id = ${id}`
    const message = { status: 'online', telemetries: { leak: true } }
    await fetch(`${world.url}/v1/devices/${id}/telemetry`, {
      method: 'POST',
      headers: { authorization: access_key, 'content-type': 'application/json' },
      body: JSON.stringify(message),
    })
    await world.sql`
      insert into device_trends select ${world.customer.id}, now() - hour * interval '1 hour', 0, hour, 3, 2
      from generate_series(1, 20) hour on conflict do nothing`
    await world.visit({}, async (page) => {
      await page.goto(at(''))
      await attentionOf(page, 'Alarm').getByText('Water on the floor: Yes').waitFor()
      await attentionOf(page, 'Alarm').locator('time').waitFor()
      const reasons = await page.getByRole('heading', { level: 3 }).allTextContents()
      assert.deepEqual(reasons, ['Alarm', 'Error', 'Offline', 'Never seen'])
      await page.getByRole('img', { name: /^From 20 to 4,955 in 20 hours/ }).waitFor()
      await page.getByText('+47 in 20 hours').waitFor()
      await page.getByText('−1 in 20 hours').waitFor()
      await page.getByRole('link', { name: 'All 50 Offline' }).waitFor()
      await page
        .getByText(/Ada Byron/)
        .first()
        .waitFor()
      await attentionOf(page, 'Alarm').getByRole('link', { name: 'Lobby' }).click()
      await page.getByRole('heading', { name: 'Lobby' }).waitFor()
    })
  })

  it('the partner: the fleet by status, model and firmware version', async () => {
    await world.visit({}, async (page) => {
      await page.goto(`/partner/${world.partner.id}`)
      await page.getByRole('link', { name: 'Offline 50' }).waitFor()
      const model = rowOf(page, 'Devices by model', 'Thermostat T2')
      assert.equal(await model.getByRole('cell').nth(1).textContent(), '5,008')
      const versions = page.getByRole('table', { name: 'Devices by firmware version' })
      await versions.getByRole('row').filter({ hasText: 'Thermostat T2 · 2.0.0' }).getByText('5,000').waitFor()
      await versions.getByRole('row').filter({ hasText: 'Thermostat T2 · 1.4.2' }).getByText('8').waitFor()
      await model.getByRole('link').click()
      await page.waitForURL(new RegExp(`/devices\\?model_id=${world.model.id}`))
      await page.getByRole('combobox', { name: 'Model' }).waitFor()
    })
  })
})
