import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { transaction } from '../../server/src/platform/database/database.ts'
import { it } from '../support/browser/browser.ts'
import { createWorld } from '../support/portal-world.ts'

const world = await createWorld()
const at = (path: string) => `/customer/${world.customer.id}${path}`

async function confirmByName(page: Page, name: string, verb: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  const button = dialog.getByRole('button', { name: verb })
  assert.ok(await button.isDisabled(), 'disabled until the name is typed')
  await dialog.getByRole('textbox').fill(name)
  await button.click()
  await dialog.waitFor({ state: 'detached' })
}

describe('customer portal', () => {
  it('a deep link leads to sign-in and then to that page', async () => {
    await world.visit({ signedIn: false }, async (page) => {
      await page.goto(at('/devices?status=error'))
      await page.getByLabel('Email').fill(world.admin.email)
      await page.getByLabel('Password').fill(world.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL((url) => url.pathname + url.search === at('/devices?status=error'))
      await page.getByRole('link', { name: 'Room 103' }).waitFor()
      assert.equal(await page.getByRole('link', { name: 'Lobby' }).count(), 0)
    })
  })

  it('a member sees what they can do here, and no organization of others', async () => {
    await world.visit({ signedIn: false }, async (page) => {
      await page.goto('/')
      await page.getByLabel('Email').fill(world.member.email)
      await page.getByLabel('Password').fill(world.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('You are a member of Harbour Hotels').waitFor()
      const whom = page
        .getByText(/Ask .+ to give you one/)
        .getByRole('link')
        .first()
      assert.match((await whom.getAttribute('href'))!, /^mailto:.+@/)
      await page.goto(`/customer/${world.partner.lab_customer_id}`)
      await page.getByText('You have no access to this organization').waitFor()
    })
  })

  it('a device is renamed, moved and drawn, shows its raw messages, and is removed by typing its name', async () => {
    const device = world.devices[5]!
    await world.visit({}, async (page) => {
      await page.goto(at(`/devices/${device.id}`))
      await page.getByRole('button', { name: 'Rename' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Sky bar')
      await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
      await page.getByRole('heading', { name: 'Sky bar' }).waitFor()
      await page.getByRole('button', { name: 'Move' }).click()
      await page.getByRole('dialog').getByRole('combobox', { name: 'Space' }).click()
      await page.getByRole('option', { name: 'Harbour Hotel Bergen' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
      await page.getByText('Device moved.').waitFor()
      await page.getByText('Harbour Hotel Bergen', { exact: true }).waitFor()
      await page.getByLabel('temperature').click()
      await page.getByRole('img', { name: /Chart.*temperature/ }).waitFor()
      await page.getByRole('tab', { name: 'Raw messages' }).click()
      await page.getByText('"mode": "').first().waitFor()
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Remove device' }).click()
      await confirmByName(page, 'Sky bar', 'Remove device')
      await page.waitForURL((url) => url.pathname === at('/devices'))
      await page.getByRole('link', { name: 'Lobby' }).waitFor()
      await page.getByRole('link', { name: 'Sky bar' }).waitFor({ state: 'detached' })
    })
  })

  it('1.5 a device is made ready for replacement: new hardware registers in its place and keeps its id', async () => {
    const { id, mac, sn } = world.devices[1]!
    assert.equal(await registerAs({ mac, sn }), null, 'not before')
    await world.visit({}, async (page) => {
      await page.goto(at(`/devices/${id}`))
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Replace hardware' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Allow for one hour' }).click()
      await page.getByText('Ready for replacement').waitFor()
      assert.equal(await registerAs({ mac, sn }), id)
      await page.reload()
      await page.getByRole('tab', { name: 'Raw messages' }).waitFor()
      assert.equal(await page.getByText('Ready for replacement').count(), 0)
    })
  })

  it('1.6 spaces move by drag and by keyboard, with undo; one that was synced meanwhile stays, and the page says why', async () => {
    const headers = { authorization: `Bearer ${world.tokens.access_token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'Cloud room', synced: true })
    await fetch(`${world.url}/core/v1/organization/spaces`, { method: 'POST', headers, body })
    await world.visit({}, async (page) => {
      await page.goto(at('/spaces'))
      const item = (name: string) => page.getByRole('treeitem', { name })
      const level = (name: string) => item(name).getAttribute('aria-level')
      // The response is delayed, so that the optimistic update can be seen.
      const held = Promise.withResolvers<void>()
      await page.route('**/organization/spaces/*', async (route) => {
        await held.promise
        await route.continue()
      })
      await item('Ground floor').dragTo(item('Cloud room'))
      await item('Cloud room').and(page.locator('[aria-expanded=true]')).waitFor()
      assert.equal(
        await page.getByText('Ground floor moved').count(),
        0,
        'moved on the page, but no notification before the response',
      )
      held.resolve()
      await page.getByText('Ground floor moved to Cloud room.').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Undone.').waitFor()
      await item('Cloud room').and(page.locator(':not([aria-expanded])')).waitFor()

      await item('First floor').focus()
      await page.keyboard.press('m')
      const dialog = page.getByRole('dialog', { name: 'Move First floor' })
      await dialog.getByRole('combobox', { name: 'Move to' }).click()
      await page.getByRole('option', { name: 'Top level' }).click()
      await dialog.getByRole('button', { name: 'Move' }).click()
      await page.getByText('First floor moved to the top level.').waitFor()
      // The dialog returned the focus to the tree.
      await page.locator('[role=treeitem]:focus').waitFor()
      await page.keyboard.press('Home')
      await page.keyboard.press('F2')
      await page
        .getByRole('dialog', { name: /^Rename / })
        .getByRole('button', { name: 'Close' })
        .click()

      const { items } = await world.admin.call(
        'GET',
        '/core/v1/organization/spaces/search?search=first+floor',
        undefined,
        {
          'landbridge-customer': world.customer.id,
        },
      )
      const inside = JSON.stringify({ name: 'Cloud corner', parent_id: items[0].id, synced: true })
      await fetch(`${world.url}/core/v1/organization/spaces`, { method: 'POST', headers, body: inside })
      await item('First floor').dragTo(item('Harbour Hotel Bergen'))
      await page.getByText('First floor was not moved').waitFor()
      await page.getByText('is synced with another cloud').waitFor()
      assert.equal(await level('First floor'), '1', 'back where it was')
    })
  })

  it('an API key is shown once, works, is narrowed and rotated, and fails once it is revoked', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/settings/api-keys'))
      await page.getByRole('button', { name: 'New API key' }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Nightly export')
      await dialog.getByLabel('Used by').fill('Ben Okri')
      await page.getByRole('button', { name: 'Create key' }).click()
      const secret = () => page.getByText(/^lbk_[\w-]{49}$/).textContent()
      const key = (await secret())!
      const ask = async (with_: string, path = 'info') =>
        (await fetch(`${world.url}/core/v1/organization/${path}`, { headers: { authorization: with_ } })).status
      assert.equal(await ask(key), 200)
      await page.getByRole('button', { name: 'I have copied it' }).click()
      const choose = async (action: string) => {
        await page.getByRole('button', { name: 'Actions for Nightly export' }).first().click()
        await page.getByRole('menuitem', { name: action }).click()
      }
      await choose('Change')
      await dialog.getByLabel('Custom').check()
      await dialog.getByRole('combobox', { name: 'People' }).click()
      await page.getByRole('option', { name: 'No access' }).click()
      await dialog.getByLabel('Only in some spaces').check()
      await dialog.getByRole('combobox', { name: 'Add a space' }).fill('Bergen')
      await page.getByRole('option', { name: 'Harbour Hotel Bergen', exact: true }).click()
      await dialog.getByRole('button', { name: 'Remove Harbour Hotel Bergen' }).waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'hidden' })
      assert.deepEqual([await ask(key), await ask(key, 'users')], [200, 403])
      await choose('Rotate')
      await page.getByRole('button', { name: 'Create the new key' }).click()
      await page.getByText('works until').waitFor()
      const next = (await secret())!
      assert.deepEqual([await ask(key), await ask(next), await ask(next, 'users')], [200, 200, 403])
      await page.getByRole('button', { name: 'I have copied it' }).click()
      await page.getByText('Rotated, ends').waitFor()
      const gone = '01900000-0000-7000-8000-000000000000'
      await world.sql`update api_keys set within = within || ${gone}::uuid where name = 'Nightly export'`
      await page.reload()
      await page.getByText('A deleted space covers nothing').first().waitFor()
      await page.getByText('Harbour Hotel Bergen').first().waitFor()
      await world.sql`update api_keys set within = array[${gone}::uuid] where name = 'Nightly export'`
      await page.reload()
      await page.getByText('Nowhere: a deleted space covers nothing').first().waitFor()
      await choose('Revoke')
      await confirmByName(page, 'Nightly export', 'Revoke key')
      assert.equal(await ask(key), 401)
    })
  })

  it('the overview warns of an API key that expires soon, and leads to its rotation', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/settings/api-keys?new'))
      await page.getByRole('dialog').getByLabel('Name').fill('Short')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('button', { name: 'I have copied it' }).click()
      await world.sql`update api_keys set expires_at = now() + interval '9 days' where name = 'Short'`
      await page.goto(at(''))
      await page.getByText('API key “Short” expires in 9 days').waitFor()
      await page.getByRole('link', { name: 'Rotate Short' }).click()
      await page.getByRole('dialog', { name: 'Rotate “Short”' }).waitFor()
      await page.getByRole('button', { name: 'Create the new key' }).click()
      await page.getByText('works until').waitFor()
    })
  })

  it('decision 6.50: a connected app may only look, and only in one space; its token follows at once', async () => {
    const ask = async () => {
      const headers = { authorization: `Bearer ${world.tokens.access_token}` }
      const response = await fetch(`${world.url}/core/v1/organization/permissions`, { headers })
      return (await response.json()) as {
        reach: { permissions: { devices: string }; within: { name: string }[] | null }[]
      }
    }
    await world.visit({}, async (page) => {
      await page.goto(at('/settings/connected-apps'))
      const card = page.getByRole('article', { name: 'Northwind Insights' })
      await card.getByText('Everywhere').waitFor()
      await card.getByRole('button', { name: 'What it may do' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Read only').check()
      await dialog.getByLabel('Only in some spaces').check()
      assert.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled(), 'until a space is chosen')
      await dialog.getByRole('combobox', { name: 'Add a space' }).fill('Bergen')
      await page.getByRole('option', { name: 'Harbour Hotel Bergen', exact: true }).click()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await card.getByText('Read only').waitFor()
      const [own] = (await ask()).reach
      assert.deepEqual([own!.permissions.devices, own!.within?.length], ['read', 1])
      await card.getByRole('button', { name: 'What it may do' }).click()
      await dialog.getByLabel('Everything', { exact: true }).check()
      await dialog.getByLabel('Everywhere in this organization').check()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await card.getByText('Everywhere').waitFor()
      const [again] = (await ask()).reach
      assert.deepEqual([again!.permissions.devices, again!.within], ['manage', null])
    })
  })

  it('3 a connected app is limited to a group, then revoked by typing its name: its token fails at once', async () => {
    const ask = async () => {
      const headers = { authorization: `Bearer ${world.tokens.access_token}` }
      return (await fetch(`${world.url}/core/v1/organization/users`, { headers })).status
    }
    await world.visit({}, async (page) => {
      await page.goto(at('/settings/connected-apps'))
      await page.getByRole('button', { name: 'Who may sign in' }).click()
      await page.getByLabel('One group').check()
      await page.getByRole('combobox', { name: 'Group' }).click()
      await page.getByRole('option', { name: 'Facility team' }).click()
      await page.getByText('Tokens already issued stay valid').waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Administrators and the group Facility team').waitFor()
      assert.equal(await ask(), 200)

      await page.getByRole('button', { name: 'Revoke' }).click()
      await page.getByText('every token Northwind Insights holds for this organization').waitFor()
      await confirmByName(page, 'Northwind Insights', 'Revoke application')
      await page.getByText('No connected apps').waitFor()
      assert.equal(await ask(), 401)
    })
  })

  it('Back and Forward walk through pages and filters', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/devices'))
      await page.getByRole('link', { name: 'Lobby' }).click()
      await page.getByRole('heading', { name: 'Lobby' }).waitFor()
      await page.goBack()
      await page.getByRole('link', { name: 'Kitchen' }).waitFor()
      await page.goForward()
      await page.getByRole('heading', { name: 'Lobby' }).waitFor()
    })
  })

  it('more devices than are counted: the table scrolls and filters, no response has over 200 rows, and few rows exist at once', async () => {
    await fillFleet(20_000)
    await world.visit({ viewport: { width: 1280, height: 800 } }, async (page) => {
      const sizes: number[] = []
      page.on('response', async (response) => {
        if (!new URL(response.url()).pathname.endsWith('/organization/devices')) return
        // A request cancelled by the next search has no body.
        const body = await response.json().catch(() => null)
        if (body) sizes.push(body.items.length)
      })
      await page.goto(at('/devices'))
      await page.getByText('100 of 10,000+ devices').waitFor()
      const table = page.getByRole('region', { name: 'Devices' })
      for (let turn = 1; turn <= 8; turn += 1) {
        await table.evaluate((element) => element.scrollTo(0, element.scrollHeight))
        await page.getByText(`${(100 + 100 * turn).toLocaleString('en')} of 10,000+ devices`).waitFor()
      }
      assert.ok((await table.getByRole('row').count()) < 80)
      await page.getByLabel('Search devices').fill('BULK-01999')
      await page.getByRole('link', { name: 'Device BULK-019999' }).waitFor()
      await page.getByText('10 devices', { exact: true }).waitFor()
      await page.getByLabel('Search devices').fill('')
      await page.getByRole('combobox', { name: 'Space' }).click()
      await page.getByRole('option', { name: 'First floor', exact: true }).click()
      await page.waitForURL(/space_id=/)
      await page.getByRole('link', { name: 'Kitchen' }).waitFor()
      assert.ok(sizes.length >= 10)
      assert.ok(Math.max(...sizes) <= 200, `a response of ${Math.max(...sizes)} rows`)
    })
  })

  it('models and spaces of the second page of a list can be chosen too', async () => {
    const { admin, partner, customer } = world
    const asPartner = { 'landbridge-partner': partner.id }
    const asCustomer = { 'landbridge-customer': customer.id }
    const names = Array.from({ length: 120 }, (_, index) => `Zone ${index + 1}`)
    // One after the other: those of one tenant take turns, and hundreds at once would wait for longer than a request may.
    for (const name of names) {
      await Promise.all([
        admin.call('POST', '/core/v1/organization/spaces', { name }, asCustomer),
        admin.call(
          'POST',
          '/core/v1/partner/models',
          { name, authentication_method: 'MAC & Serial Number' },
          asPartner,
        ),
      ])
    }
    const lastOf = async (path: string) => {
      const list = `/core/v1/organization${path}?limit=100`
      const { next } = await admin.call('GET', list, undefined, asCustomer)
      const { items } = await admin.call('GET', `${list}&after=${next}`, undefined, asCustomer)
      return items.at(-1) as { id: string; name: string }
    }
    const [model, space] = [await lastOf('/models'), await lastOf('/spaces')]
    await world.visit({}, async (page) => {
      const choose = async (label: string, name: string) => {
        await page.getByRole('combobox', { name: label }).fill(name)
        await page.getByRole('option', { name, exact: true }).click()
      }
      await page.goto(at('/claim'))
      await choose('Model', model.name)
      await choose('Space', space.name)
      await page.goto(at('/devices'))
      await choose('Model', model.name)
      await page.waitForURL(new RegExp(`model_id=${model.id}`))
      await choose('Space', space.name)
      await page.waitForURL(new RegExp(`space_id=${space.id}`))
      // A large tree is closed from the first page of its spaces on, and not only once all are there.
      const held = Promise.withResolvers<void>()
      await page.route('**/organization/spaces?*after=*', async (route) => {
        await held.promise
        await route.continue()
      })
      await page.goto(at('/spaces'))
      const site = page.getByRole('treeitem', { name: 'Harbour Hotel Oslo' })
      await site.waitFor()
      assert.equal(await site.getAttribute('aria-expanded'), 'false')
      held.resolve()
      await page.getByRole('treeitem', { name: space.name, exact: true }).waitFor()
      assert.equal(await site.getAttribute('aria-expanded'), 'false')
    })
  })
})

/** Its id, or null where it was refused. */
async function registerAs(device: { mac: string; sn: string }): Promise<string | null> {
  const { id: device_model, hardware_key } = world.model
  const response = await fetch(`${world.url}/v1/devices`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ device_model, hardware_key, firmware_version: '2.0.0', ...device }),
  })
  return response.ok ? ((await response.json()) as { id: string }).id : null
}

/** In order of their ids, and without the triggers, which would write the texts of all. */
async function fillFleet(count: number): Promise<void> {
  await transaction(world.sql, async (sql) => {
    await sql`alter table devices disable trigger user`
    await sql`
      with created as (
        insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, customer_id, claimed_at, status_at)
        select ('01980000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, ${world.partner.id}, ${world.model.id},
          regexp_replace(lpad(to_hex(n), 12, '0'), '(..)(?=.)', '\\1:', 'g'), 'BULK-' || lpad(n::text, 6, '0'), '1.0.0', now(),
          ${world.customer.id}, now(), now()
        from generate_series(0, ${count - 1}) n
        returning id, number)
      insert into device_states (bucket, device_id, number, customer_id, key_digest)
      select device_bucket(id), id, number, ${world.customer.id}, '' from created`
    // Only of those that are searched for: their index would take most of the time.
    await sql`
      insert into device_texts
      select id, partner_id, device_text(null, mac, sn), customer_id, device_text(name, mac, sn)
      from devices where sn like 'BULK-019%'`
    await sql`alter table devices enable trigger user`
  })
}
