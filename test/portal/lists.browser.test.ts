// Working with many devices in the list, and what a list keeps when one leaves it.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { it } from '../support/browser/browser.ts'
import { axeViolations, createWorld } from '../support/portal-world.ts'
import { until } from '../support/until.ts'

const world = await createWorld()
const at = (path: string) => `/customer/${world.customer.id}${path}`
const asCustomer = { 'landbridge-customer': world.customer.id }
const call = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
  world.admin.call(method, `/core/v1/organization${path}`, body, asCustomer)
const devices = 1_500
await world.sql`
  with created as (
    insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, customer_id, name, claimed_at,
      status, status_at)
    select ('01980000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, ${world.partner.id}, ${world.model.id},
      regexp_replace(lpad(to_hex(n), 12, '0'), '(..)(?=.)', '\\1:', 'g'), 'LIST-' || lpad(n::text, 4, '0'), '1.0.0', now(),
      ${world.customer.id}, 'Room sensor ' || n, now(), case when n % 50 = 0 then 'offline' else 'never_seen' end, now()
    from generate_series(1, ${devices}::int) n
    returning id, number, customer_id, status)
  insert into device_states (bucket, device_id, number, customer_id, key_digest, status)
  select device_bucket(id), id, number, customer_id, '', status from created`

const rows = (page: Page) => page.getByRole('table', { name: 'Devices' }).locator('tbody tr[data-row]')
const row = (page: Page, name: string) => rows(page).filter({ has: page.getByRole('link', { name, exact: true }) })
const namesOf = (page: Page, count: number) =>
  rows(page)
    .locator('a')
    .evaluateAll((links, first) => links.slice(0, first).map((link) => link.textContent), count)
const firstIs = (page: Page, name: string) =>
  page.waitForFunction(
    (wanted) =>
      // biome-ignore lint/suspicious/noExplicitAny: runs in the browser
      (globalThis as any).document.querySelector('tbody tr[data-row="0"] a')?.textContent === wanted,
    name,
  )
const box = (page: Page) => page.getByRole('region', { name: 'Devices', exact: true })

async function choose(page: Page, filter: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: filter }).click()
  await page.getByRole('option', { name: option }).click()
}

describe('device lists', () => {
  it('the total is counted; a search finds any part of a name and starts at the top; back returns to the place', async () => {
    const { total } = await call('GET', '/devices/total')
    await world.visit({ viewport: { width: 1280, height: 800 } }, async (page) => {
      await page.goto(at('/devices'))
      await page.getByText(`100 of ${total.toLocaleString('en')} devices`).waitFor()
      const scroll = () => box(page).evaluate((element) => element.scrollTo(0, element.scrollHeight))
      await scroll()
      await page.getByText(`200 of ${total.toLocaleString('en')} devices`).waitFor()
      await scroll()
      await page.getByText(`300 of ${total.toLocaleString('en')} devices`).waitFor()
      await box(page).evaluate((element) => element.scrollTo(0, 8_000))
      const link = rows(page).nth(14).getByRole('link')
      // The rows of this place are drawn after it is reached.
      await until(async () => {
        const [one, all] = await Promise.all([link.boundingBox(), box(page).boundingBox()])
        return one !== null && one.y > all!.y && one.y + one.height < all!.y + all!.height
      }, 'the rows in view')
      const name = (await link.textContent())!
      await link.click()
      await page.getByRole('heading', { name, exact: true }).waitFor()
      await page.goBack()
      await row(page, name).waitFor()
      const isBack = async () => Math.abs((await box(page).evaluate(({ scrollTop }) => scrollTop)) - 8_000) < 400
      await until(isBack, 'the list is where it was')
      // Through the path above the title too, with the filters as they were.
      await row(page, name).getByRole('link').click()
      await page.getByRole('heading', { name, exact: true }).waitFor()
      await page.getByRole('main').getByRole('link', { name: 'Devices' }).click()
      await row(page, name).waitFor()

      await page.getByLabel('Search devices').fill('sensor 7')
      await page.getByText('111 devices').waitFor()
      await firstIs(page, 'Room sensor 7')
      assert.equal(await box(page).evaluate(({ scrollTop }) => scrollTop), 0, 'a new search starts at the top')
      await page.getByLabel('Search devices').fill('OM SENSOR 1499')
      await page.getByText('1 device', { exact: true }).waitFor()
      await page.getByLabel('Search devices').fill('%_\\')
      await page.getByText('No matching devices').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByText(`of ${total.toLocaleString('en')} devices`).waitFor()
    })
  })

  it('a list is sorted by its headings, shows the chosen columns, and is saved as a view', async () => {
    await world.visit({ viewport: { width: 1280, height: 800 } }, async (page) => {
      await page.goto(at('/devices?search=room+sensor'))
      await firstIs(page, 'Room sensor 1')
      const heading = (name: string) => page.getByRole('columnheader', { name })
      const sortBy = (name: string) => heading(name).getByRole('button').click()
      await sortBy('Name')
      await page.locator('th[aria-sort=ascending]').waitFor()
      await sortBy('Name')
      await page.waitForURL(/sort=-name/)
      await firstIs(page, 'Room sensor 999')
      assert.equal(await heading('Name').getAttribute('aria-sort'), 'descending')
      await sortBy('Status')
      await page.waitForURL(/sort=status/)
      await firstIs(page, 'Room sensor 50')
      assert.deepEqual(await namesOf(page, 3), ['Room sensor 50', 'Room sensor 100', 'Room sensor 150'])

      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('checkbox', { name: 'MAC' }).click()
      await page.getByRole('checkbox', { name: 'Firmware' }).click()
      await page.keyboard.press('Escape')
      await heading('Firmware').waitFor()
      assert.equal(await heading('MAC').count(), 0)
      await choose(page, 'Status', 'Offline')
      await page.getByText('30 devices').waitFor()
      // Several statuses: one more, and away again.
      await page.getByRole('option', { name: 'Never seen' }).click()
      await page.getByText('of 1,500 devices').waitFor()
      await page.getByRole('option', { name: 'Never seen' }).click()
      await page.getByText('30 devices').waitFor()
      await page.getByRole('option', { name: 'Error' }).click()
      await page.waitForURL(/status=offline%2Cerror/)
      await page.keyboard.press('Escape')

      await page.getByRole('button', { name: 'Views' }).click()
      await page.getByRole('menuitem', { name: 'Save this view' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Offline sensors')
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.getByRole('button', { name: 'Offline sensors' }).waitFor()
      assert.deepEqual(await axeViolations(page), [])
    })
    // On the server: another browser has it too.
    await world.visit({ viewport: { width: 1280, height: 800 } }, async (page) => {
      await page.goto(at('/devices'))
      await page.getByRole('button', { name: 'Views' }).click()
      await page.getByRole('menuitem', { name: 'Offline sensors' }).click()
      await page.getByText('30 devices').waitFor()
      await firstIs(page, 'Room sensor 50')
      await page.getByRole('columnheader', { name: 'Firmware' }).waitFor()
      assert.equal(await page.getByRole('columnheader', { name: 'MAC' }).count(), 0)
      await page.getByRole('button', { name: 'Offline sensors' }).click()
      await page.getByRole('menuitem', { name: 'Delete “Offline sensors”' }).click()
      await page.getByRole('button', { name: 'Delete view' }).click()
      await page.getByRole('button', { name: 'Views' }).waitFor()
    })
  })

  it('rows are selected with keys and Shift; the selection is moved, renamed, exported and removed', async () => {
    const space = await call('POST', '/spaces', { name: 'Annex' })
    await world.visit({ viewport: { width: 1280, height: 800 } }, async (page) => {
      const selected = (count: number) => page.getByText(`${count} devices selected`).waitFor()
      const bar = page.getByRole('region', { name: 'Selected devices' })
      const dialog = page.getByRole('dialog')
      await page.goto(at('/devices?search=LIST-10&space_id=none'))
      await page.getByText('100 devices', { exact: true }).waitFor()
      const focused = (name: string) =>
        page.waitForFunction(
          // biome-ignore lint/suspicious/noExplicitAny: runs in the browser
          (wanted) => (globalThis as any).document.activeElement?.textContent === wanted,
          name,
        )
      await row(page, 'Room sensor 1000').getByRole('link').focus()
      await page.keyboard.press('ArrowDown')
      await focused('Room sensor 1001')
      await page.keyboard.press('ArrowUp')
      await focused('Room sensor 1000')
      await page.keyboard.press('Space')
      await page.getByText('1 device selected').waitFor()
      await page.keyboard.press('Shift+ArrowDown')
      await page.keyboard.press('Shift+ArrowDown')
      await selected(3)
      await focused('Room sensor 1002')
      await page.keyboard.press('Escape')
      await bar.waitFor({ state: 'detached' })
      await page.keyboard.press('End')
      await focused('Room sensor 1099')
      await page.keyboard.press('Home')
      await focused('Room sensor 1000')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Room sensor 1000', exact: true }).waitFor()
      await page.goBack()

      const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
      await box('Room sensor 1000').check()
      await box('Room sensor 1004').click({ modifiers: ['Shift'] })
      await selected(5)
      assert.deepEqual(await axeViolations(page), [])

      const download = page.waitForEvent('download')
      await bar.getByRole('button', { name: 'Export CSV' }).click()
      const csv = await readFile(await (await download).path(), 'utf8')
      assert.match(csv, /^\ufeffname,status,since,reason,alarm,last_seen_at,model,space,mac,serial_number,/)
      assert.equal(csv.trim().split('\r\n').length, 6)

      await bar.getByRole('button', { name: 'Rename' }).click()
      await dialog.getByLabel('Name', { exact: true }).fill('Annex {n}')
      await dialog.getByText('Annex 1, Annex 2, Annex 5').waitFor()
      await dialog.getByRole('button', { name: 'Rename' }).click()
      await page.getByText('5 devices renamed.').waitFor()
      await row(page, 'Annex 5').waitFor()

      await box('Annex 1').check()
      await box('Annex 5').click({ modifiers: ['Shift'] })
      await bar.getByRole('button', { name: 'Move', exact: true }).click()
      await dialog.getByRole('combobox', { name: 'Space' }).click()
      await page.getByRole('option', { name: 'Annex' }).click()
      await dialog.getByRole('button', { name: 'Move' }).click()
      await page.getByText('5 devices moved.').waitFor()
      await page.getByText('95 devices').waitFor()

      await page.goto(at(`/devices?space_id=${space.id}`))
      await page.getByText('5 devices', { exact: true }).waitFor()
      await page.getByRole('checkbox', { name: 'Select all loaded devices' }).check()
      await selected(5)
      await bar.getByRole('button', { name: 'Remove' }).click()
      const remove = dialog.getByRole('button', { name: 'Remove' })
      assert.ok(await remove.isDisabled(), 'until the number is typed')
      await dialog.getByRole('textbox').fill('5 devices')
      await remove.click()
      await page.getByText('5 devices removed.').waitFor()
      await page.getByText('No matching devices').waitFor()
    })
    const { items } = await call('GET', '/audit-events?type=device.removed&limit=100')
    assert.equal(items.length, 5, 'one event per device')
  })

  it('all that match are selected, in bounded calls; nothing moves; a click opens a row and its text can be selected', async () => {
    const space = await call('POST', '/spaces', { name: 'Warehouse' })
    await world.visit({ viewport: { width: 1280, height: 800 } }, async (page) => {
      await page.goto(at('/devices?search=LIST-'))
      const { total } = await call('GET', '/devices/total?search=LIST-')
      await firstIs(page, 'Room sensor 1')
      const foot = page.getByText(`100 of ${total.toLocaleString('en')} devices`)
      const before = await foot.boundingBox()
      await page.getByRole('checkbox', { name: 'Select all loaded devices' }).check()
      await page.getByText('100 devices selected').waitFor()
      const after = await foot.boundingBox()
      assert.ok(after!.y + after!.height <= 800 && Math.abs(after!.y - before!.y) < 20, 'the foot stays in view')
      await page.getByRole('button', { name: `Select all ${total.toLocaleString('en')} that match` }).click()
      await page.getByText(`${total.toLocaleString('en')} devices selected`).waitFor()
      assert.deepEqual(await axeViolations(page), [])
      const posts: number[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('/change-list')) posts.push(request.postDataJSON().devices.length)
      })
      await page.getByRole('button', { name: 'Move', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('combobox', { name: 'Space' }).click()
      await page.getByRole('option', { name: 'Warehouse' }).click()
      await dialog.getByRole('button', { name: 'Move' }).click()
      await page.getByText(`${total.toLocaleString('en')} devices moved.`).waitFor()
      assert.deepEqual(posts, [1_000, total - 1_000])
      assert.equal((await call('GET', `/devices/total?space_id=${space.id}`)).total, total)

      // The MAC is not cut, and a double click selects in it instead of opening the row.
      const first = rows(page).first()
      const mac = first.getByRole('cell').filter({ hasText: /^([0-9a-f]{2}:){5}/ })
      assert.ok(await mac.evaluate((cell) => cell.scrollWidth <= cell.clientWidth), 'the whole MAC')
      const { x, y, width, height } = (await mac.boundingBox())!
      await page.mouse.move(x + 14, y + height / 2)
      await page.mouse.down()
      await page.mouse.move(x + width - 4, y + height / 2, { steps: 5 })
      await page.mouse.up()
      // biome-ignore lint/suspicious/noExplicitAny: runs in the browser
      const text = () => page.evaluate(() => String((globalThis as any).getSelection()))
      assert.match(await text(), /([0-9a-f]{2}:){5}/)
      assert.match(page.url(), /\/devices\?search=/, 'selecting text opens nothing')
      await page.mouse.click(x + width / 2, y + height * 2.5)
      await page.waitForURL(/\/devices\/[0-9a-f-]{36}/)
    })
  })

  it('on paper every loaded row and every column is whole, without navigation, and dark pages are light', async () => {
    await world.visit({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }, async (page) => {
      await page.goto(at('/devices?search=LIST-'))
      await firstIs(page, 'Room sensor 1')
      const dispatch = (name: string) =>
        page.evaluate((type) => (globalThis as unknown as EventTarget).dispatchEvent(new Event(type)), name)
      // In the order of a browser that prints.
      await dispatch('beforeprint')
      await page.emulateMedia({ media: 'print' })
      await page.setViewportSize({ width: 1050, height: 800 })
      assert.equal(await rows(page).count(), 100, 'all that are loaded')
      assert.equal(await page.getByRole('navigation').count(), 0)
      assert.equal(await page.getByRole('button', { name: 'Claim devices' }).count(), 0)
      assert.equal(await page.getByRole('checkbox').count(), 0)
      for (const name of ['Name', 'Status', 'Since', 'Reason', 'Space', 'MAC', 'Model'])
        assert.ok(await page.getByRole('columnheader', { name }).isVisible(), name)
      const cut = await page.locator('td').evaluateAll((cells) => {
        // biome-ignore lint/suspicious/noExplicitAny: runs in the browser
        const width = (globalThis as any).innerWidth
        return cells.filter(
          (cell) => cell.scrollWidth > cell.clientWidth + 1 || cell.getBoundingClientRect().right > width,
        ).length
      })
      assert.equal(cut, 0)
      const table = page.getByRole('table', { name: 'Devices' })
      // biome-ignore lint/suspicious/noExplicitAny: runs in the browser
      const layout = await table.evaluate((element) => (globalThis as any).getComputedStyle(element).tableLayout)
      assert.equal(layout, 'auto', 'columns are as wide as their texts need')
      await page.setViewportSize({ width: 718, height: 1_040 })
      const reasons = (await rows(page).first().innerText()).match(/Has sent nothing yet/g)
      assert.equal(reasons?.length, 1, 'a sheet that is narrow has no second line for what is in a column')
      const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme')
      assert.equal(await scheme(), 'light')
      await dispatch('afterprint')
      assert.equal(await scheme(), 'dark')
      await page.emulateMedia({ media: 'screen' })
      await until(async () => (await rows(page).count()) < 100, 'only the rows on screen')
    })
  })

  it('tags and a note are written on the device page, filter the list, and are shown in a column', async () => {
    const [{ id, name }] = (await call('GET', '/devices?search=LIST-0777')).items
    await world.visit({ viewport: { width: 1280, height: 800 } }, async (page) => {
      await page.goto(at(`/devices/${id}`))
      await page.getByRole('heading', { name, exact: true }).waitFor()
      assert.equal(await page.getByText('Live', { exact: true }).count(), 0, 'no “Live” beside “Never seen”')
      await page.getByRole('button', { name: 'Edit tags and note' }).click()
      await page
        .getByRole('combobox', { name: 'Tags' })
        .or(page.getByRole('textbox', { name: 'Tags' }))
        .fill('Roof,Spare,')
      await page.getByRole('textbox', { name: 'Note' }).fill('Behind the chimney\nkey at the desk')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Tags and note saved.').waitFor()
      await page.getByText('Behind the chimney').waitFor()
      assert.deepEqual(await axeViolations(page), [])
      await page.getByRole('link', { name: 'roof' }).click()
      await page.getByText('1 device', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('checkbox', { name: 'Tags' }).click()
      await page.keyboard.press('Escape')
      await row(page, name).getByText('spare').waitFor()
    })
    assert.deepEqual((await call('GET', `/devices/${id}`)).tags, ['roof', 'spare'])
  })

  it('the partner’s fleet is counted, sorted and searched too', async () => {
    await world.visit({ viewport: { width: 1280, height: 800 } }, async (page) => {
      await page.goto(`/partner/${world.partner.id}/devices?search=ist-01`)
      await page.getByText('100 devices', { exact: true }).waitFor()
      const serial = page.getByRole('columnheader', { name: 'Serial' }).getByRole('button')
      await serial.click()
      await page.locator('th[aria-sort=ascending]').waitFor()
      await serial.click()
      await page.waitForURL(/sort=-sn/)
      await firstIs(page, 'LIST-0199')
      assert.deepEqual(await axeViolations(page), [])
    })
  })

  it('axe finds nothing in the dark and on a phone, with a selection; on a phone a long name wraps', async () => {
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      await world.visit({ viewport, colorScheme: 'dark' }, async (page) => {
        await page.goto(at('/devices'))
        await page.getByRole('checkbox', { name: 'Select Room sensor 1', exact: true }).check()
        await page.getByText('1 device selected').waitFor()
        assert.deepEqual(await axeViolations(page), [])
        const overflow = await page.evaluate(
          // biome-ignore lint/suspicious/noExplicitAny: runs in the browser
          () => (globalThis as any).document.documentElement.scrollWidth > (globalThis as any).innerWidth,
        )
        assert.ok(!overflow, 'nothing is wider than the screen')
        if (viewport.width > 390) return
        const name = 'Temperature controller of the conference room, north wing, upper floor, left'
        await world.sql`update devices set name = ${name} where sn = 'LIST-0002'`
        await page.reload()
        const cell = page.getByRole('cell').filter({ has: page.getByRole('link', { name }) })
        assert.ok(
          await cell.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth),
          'no name is cut where there is no tooltip',
        )
      })
    }
  })
})
