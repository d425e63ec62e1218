import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { topicOf } from '../../portal/src/help/topics.ts'
import { version } from '../../server/src/platform/version.ts'
import { it } from '../support/browser/browser.ts'
import { axeViolations, createWorld } from '../support/portal-world.ts'
import { until } from '../support/until.ts'
import { bestPracticeViolations } from './best-practices.ts'
import { routes } from './pages.ts'

const world = await createWorld()
const at = (path: string) => `/customer/${world.customer.id}${path}`
const atPartner = (path: string) => `/partner/${world.partner.id}${path}`

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.LANDBRIDGE_TEST_PICTURES
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` })
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(world.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

describe('a member who can view devices', () => {
  it('sees devices and spaces once an administrator allows it, and is offered nothing that changes them', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/users'))
      await page.getByRole('button', { name: 'Actions for Ben Okri' }).click()
      await page.getByRole('menuitem', { name: 'Allow viewing devices' }).click()
      await page.getByText('Ben Okri can now view devices.').waitFor()
      await page
        .getByRole('row', { name: /Ben Okri/ })
        .getByText('Member, views devices')
        .waitFor()
    })
    await world.visit({ signedIn: false }, async (page) => {
      const changing = /claim|rename|move|remove|delete|replace|new |invite|edit|actions|create|save|add/i
      const offersNothing = async (where: string) => {
        const names = await page
          .locator('main')
          .getByRole('button')
          .evaluateAll((buttons) =>
            buttons.map((button) => `${button.getAttribute('aria-label') ?? ''} ${button.textContent}`),
          )
        assert.deepEqual(
          names.filter((name) => changing.test(name)),
          [],
          where,
        )
        assert.equal(await page.locator('main').getByRole('link', { name: /claim/i }).count(), 0, where)
      }
      const refused: string[] = []
      page.on('response', (response) => {
        if (response.status() === 403) refused.push(response.url())
      })
      await signIn(page, world.member.email)
      // What is broken, where, why and since when.
      const broken = page.getByRole('list', { name: 'Error', exact: true }).getByRole('listitem').first()
      await broken.getByRole('link', { name: 'Room 103' }).waitFor()
      assert.match((await broken.textContent())!, /Harbour Hotel Oslo \/ Ground floor.*Device reports an error/)
      assert.equal(await broken.getByRole('time').count(), 1)
      await page.getByText('View only').waitFor()
      const nav = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
      assert.deepEqual(await nav.allTextContents(), ['Overview', 'Devices', 'Spaces', 'Commands', 'Setting templates'])
      await offersNothing('the overview')
      await picture(page, 'viewer-overview')
      await page.getByRole('link', { name: 'Show in the list' }).click()
      const row = page.getByRole('row').filter({ hasText: 'Room 103' })
      await row.waitFor()
      assert.match((await row.textContent())!, /Error.*Device reports an error.*Harbour Hotel Oslo \/ Ground floor/)
      assert.equal(await page.getByRole('link', { name: 'Lobby' }).count(), 0, 'it is online')
      await page.getByRole('combobox', { name: 'Status: Offline, Error, Never seen' }).waitFor()
      await page.goto(at('/devices'))
      await page.getByRole('link', { name: 'Lobby' }).waitFor()
      await offersNothing('devices')
      await picture(page, 'viewer-devices')
      await page.getByRole('link', { name: 'Lobby' }).click()
      await page.getByText('temperature').first().waitFor()
      await offersNothing('a device')
      await page.goto(at('/spaces'))
      await page.getByRole('treeitem', { name: 'Ground floor' }).press('F2')
      assert.equal(await page.getByRole('dialog').count(), 0, 'no key changes anything either')
      await offersNothing('spaces')
      for (const path of ['/users', '/claim', '/settings/api-keys', '/settings/audit-log']) {
        await page.goto(at(path))
        await page.getByText('You have no access to this page').waitFor()
      }
      await page.keyboard.press('Control+k')
      const palette = page.getByRole('dialog', { name: 'Search' })
      await palette.getByRole('combobox').fill('claim')
      await palette.getByText('Nothing found').waitFor()
      assert.deepEqual(refused, [], 'the pages ask for nothing that is refused')
    })
  })
})

describe('decision 6.54: a member with a role in one space', () => {
  const floor = 'Harbour Hotel Oslo / Ground floor'
  it('is given it by an administrator, who sees on the page of access what it means', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/users'))
      await page.getByRole('button', { name: 'Actions for Ben Okri' }).click()
      await page.getByRole('menuitem', { name: 'Edit roles' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Remove the role in Everywhere' }).click()
      await dialog.getByText('No roles yet').waitFor()
      await dialog.getByRole('combobox', { name: 'Add a role' }).click()
      await page.getByRole('option', { name: 'Manager' }).click()
      await dialog.getByRole('combobox', { name: 'in the space' }).fill('ground')
      await page.getByRole('option', { name: floor }).click()
      await dialog.getByRole('list', { name: 'Roles' }).getByText(floor).waitFor()
      await picture(page, 'roles-dialog')
      assert.deepEqual(await axeViolations(page, 'colours'), [], 'an open dialog')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Roles of Ben Okri saved.').waitFor()
      await page.goto(at('/access'))
      const row = page.getByRole('row', { name: /Ben Okri/ })
      await row.getByRole('cell', { name: `Manager of ${floor}`, exact: true }).waitFor()
      await picture(page, 'access')
      await row.getByRole('link', { name: 'Ben Okri' }).click()
      await page.getByRole('list', { name: 'Reasons' }).getByText(`Manager of ${floor}`).waitFor()
      await picture(page, 'access-person')
      await page.goto(at(`/spaces/${world.site.id}`))
      await page.getByRole('button', { name: 'Access' }).click()
      await page.getByRole('cell', { name: 'Administrator', exact: true }).waitFor()
      assert.equal(await page.getByRole('row', { name: /Ben Okri/ }).count(), 0, 'it counts in the floor only')
    })
  })

  it('manages what is in it, sees no name of a space outside, and asks for nothing that is refused', async () => {
    await world.visit({ signedIn: false }, async (page) => {
      const refused: string[] = []
      page.on('response', (response) => {
        if (response.status() === 403) refused.push(response.url())
      })
      await signIn(page, world.member.email)
      await page.getByText('You see the space Ground floor.').waitFor()
      await page.getByText('Recent activity').waitFor()
      const nav = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
      assert.deepEqual(await nav.allTextContents(), [
        'Overview',
        'Devices',
        'Claim devices',
        'Spaces',
        'Commands',
        'Setting templates',
        'Audit log',
      ])
      await picture(page, 'manager-overview')
      await page.goto(at('/devices'))
      await page.getByRole('link', { name: 'Lobby' }).click()
      await page.getByRole('button', { name: 'Rename' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Lobby, left')
      await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
      await page.getByRole('heading', { name: 'Lobby, left' }).waitFor()
      await page.goto(at('/spaces'))
      await page.getByRole('treeitem', { name: /Ground floor/ }).waitFor()
      assert.equal(await page.getByRole('button', { name: 'New space' }).count(), 0, 'none at the top')
      await page.getByRole('button', { name: 'Actions for Ground floor' }).click()
      await page.getByRole('menuitem', { name: 'New space inside' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Pantry')
      await page.getByRole('dialog').getByRole('button', { name: 'Create space' }).click()
      await page.getByRole('treeitem', { name: /Pantry/ }).waitFor()
      assert.equal(await page.locator('main').getByText('Harbour Hotel Oslo').count(), 0)
      await picture(page, 'manager-spaces')
      await page.goto(at('/users'))
      await page.getByText('You have no access to this page').waitFor()
      assert.deepEqual(refused, [], 'the pages ask for nothing that is refused')
    })
  })
})

describe('the command palette', () => {
  it('is loaded when it is opened, and leads by keyboard to pages, devices, spaces, apps and actions', async () => {
    await world.visit({ fresh: true }, async (page) => {
      const loaded: string[] = []
      page.on('request', (request) => loaded.push(request.url()))
      await page.goto(at(''))
      await page.getByText('Recent activity').waitFor()
      assert.equal(loaded.filter((address) => address.includes('palette')).length, 0)
      await page.locator('body').press('/')
      const palette = page.getByRole('dialog', { name: 'Search' })
      const field = palette.getByRole('combobox')
      await field.waitFor()
      assert.equal(await field.inputValue(), '', 'the slash opens it and is not typed')
      assert.deepEqual(await axeViolations(page), [])
      const go = async (typed: string, option: string | RegExp) => {
        await page.keyboard.press('Control+k')
        await field.waitFor()
        await palette.locator('input:focus').waitFor()
        await page.keyboard.type(typed)
        assert.equal(await field.inputValue(), typed)
        const wanted = palette.getByRole('option', { name: option })
        await wanted.waitFor()
        while ((await wanted.getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown')
        await page.keyboard.press('Enter')
        await palette.waitFor({ state: 'detached' })
      }
      await page.keyboard.press('Escape')
      await palette.waitFor({ state: 'detached' })
      await go('groups', /^Groups/)
      await page.waitForURL(/\/groups$/)
      await go('kitchen', /^Kitchen/)
      await page.getByRole('heading', { name: 'Kitchen' }).waitFor()
      await go('okri', /^Ben Okri/)
      await page.waitForURL(/\/users\?search=ben/)
      await page.getByRole('row').filter({ hasText: 'Ben Okri' }).waitFor()
      await page.keyboard.press('Control+k')
      await palette.locator('input:focus').waitFor()
      await page.keyboard.type('floor')
      await palette.getByRole('option', { name: /^Ground floor/ }).waitFor()
      assert.deepEqual(await bestPracticeViolations(page), [])
      await page.keyboard.press('Escape')
      await palette.waitFor({ state: 'detached' })
      await go('ground floor', /^Ground floor/)
      await page.waitForURL(/space/)
      await go('insights', /^Northwind Insights/)
      await page.waitForURL(/connected-apps/)
      await go('invite', /^Invite user/)
      const invite = page.getByRole('dialog', { name: 'Invite user' })
      await invite.waitFor()
      await page.keyboard.press('Escape')
      await invite.waitFor({ state: 'detached' })
      await go('northwind controls partner', /^Northwind Controls Partner/)
      await page.waitForURL(new RegExp(atPartner('$')))
      // The address changes before the page: a palette opened meanwhile goes away with the page it was opened on.
      await page.getByText('Portal domain').waitFor()
      await go('T2-1001', /^Device T2-1001/)
      await page.waitForURL(/\/partner\/[^/]+\/devices\//)
      await go('northwind.example', /northwind\.example Person$/)
      await page.waitForURL(new RegExp(atPartner('/people$')))
      await page.keyboard.press('Control+k')
      await palette.locator('input:focus').waitFor()
      await page.keyboard.type('dark')
      await palette.getByRole('option', { name: /^Dark mode/ }).waitFor()
      await picture(page, 'palette')
      await page.keyboard.press('Enter')
      await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
      await palette.waitFor({ state: 'detached' })
      await page.keyboard.press('Control+k')
      await palette.getByRole('option').first().waitFor()
      await picture(page, 'palette-dark')
      assert.deepEqual(await axeViolations(page, 'colours'), [])
    })
  })
})

describe('help and first steps', () => {
  test('every page has a section in the guide, and every link of the guides leads somewhere', async () => {
    const folder = new URL('../../docs/', import.meta.url)
    const names = ['portals', 'integrate', 'mqtt', 'contract', 'operate']
    const texts = new Map<string, string>()
    for (const name of names) texts.set(name, await readFile(new URL(`${name}.md`, folder), 'utf8'))
    const idsOf = (text: string) =>
      [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
        heading!
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
          .trim()
          .replaceAll(/\s/g, '-'),
      )
    const sections = idsOf(texts.get('portals')!)
    assert.equal(new Set(sections).size, sections.length, 'headings differ')
    for (const route of await routes()) {
      const topic = topicOf(route.replaceAll(/:\w+/g, 'x'))
      assert.ok(topic && sections.includes(topic), `${route} → ${topic}`)
    }
    const files = await readdir(folder)
    for (const [name, text] of texts) {
      for (const [, file, hash] of text.matchAll(/\]\(([\w-]+\.md)?(?:#([^)]+))?\)/g)) {
        if (file) assert.ok(files.includes(file), `${name}.md → ${file}`)
        const target = file ? file.slice(0, -3) : name
        if (hash && texts.has(target))
          assert.ok(idsOf(texts.get(target)!).includes(hash), `${name}.md → ${file}#${hash}`)
      }
    }
  })

  it('help shows the section of the open page, follows to the next one, and leads to the guide, without signing in too', async () => {
    await world.visit({}, async (page) => {
      await page.goto(atPartner('/webhooks'))
      await page.getByRole('button', { name: 'Help' }).click()
      const help = page.getByRole('dialog', { name: 'Help' })
      await help.getByText('why a delivery waits').waitFor()
      await help.getByText(`Version ${version}.`).waitFor()
      await picture(page, 'help')
      assert.deepEqual(await axeViolations(page), [])
      // Waits: the frame moves its content over 200 ms.
      const isCovered = async (width: number, expected: boolean) => {
        await page.setViewportSize({ width, height: 800 })
        const covers = () =>
          page.evaluate<boolean>(`document.querySelector('main > *').getBoundingClientRect().right >
            document.querySelector('section.help-panel').getBoundingClientRect().left`)
        await until(async () => (await covers()) === expected, `help ${expected ? 'covers' : 'stands beside'} the page`)
      }
      await isCovered(1440, false)
      await isCovered(390, true)
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.getByRole('link', { name: 'People', exact: true }).click()
      await help.getByText('The last member cannot be removed').waitFor()
      await help.getByRole('link', { name: 'Open the guide' }).click()
      await page.getByRole('heading', { name: 'The portals, page by page' }).waitFor()
      assert.match(page.url(), /\/help\/portals#people$/)
    })
    await world.visit({ signedIn: false }, async (page) => {
      await page.goto('/help/portals#webhooks')
      await page.getByRole('link', { name: 'how to receive events' }).click()
      await page.getByRole('heading', { name: '3. Receive events' }).waitFor()
      await picture(page, 'guide-integrate')
    })
  })

  it('first steps are checked off by what there is, whoever does it, and are gone when all is done', async () => {
    await world.visit({}, async (page) => {
      const lab = `/customer/${world.partner.lab_customer_id}`
      await page.goto(lab)
      await page.getByText('0 of 4 done').waitFor()
      await picture(page, 'first-steps')
      const asLab = { 'landbridge-customer': world.partner.lab_customer_id }
      await world.admin.call('POST', '/core/v1/organization/spaces', { name: 'Bench' }, asLab)
      await page.reload()
      await page.getByText('1 of 4 done').waitFor()
      await page.getByRole('listitem').filter({ hasText: 'Arrange your spaces' }).getByLabel('Done').waitFor()
      await page.getByRole('button', { name: 'Hide' }).click()
      await page.getByText('Get started').waitFor({ state: 'detached' })
      await page.goto(at(''))
      await page.getByText('Recent activity').waitFor()
      assert.equal(await page.getByText('Get started').count(), 0, 'this organization has done them all')
      await page.goto(atPartner(''))
      await page.getByText('7 of 8 done').waitFor()
      await page.getByRole('link', { name: 'Invite person' }).click()
      await page.getByRole('dialog', { name: 'Invite person' }).waitFor()
    })
  })

  it('times are relative, exact on hover, and the time zone is shown', async () => {
    await world.visit({ timezoneId: 'Asia/Tokyo' }, async (page) => {
      await page.goto(atPartner('/people'))
      await page.getByText('Time zone: Asia/Tokyo').waitFor()
      await page.getByRole('cell').locator('time').first().hover()
      await page
        .getByRole('tooltip')
        .getByText(/^\d+ \w+ 20\d\d, \d\d:\d\d:\d\d (GMT\+9|JST)$/)
        .waitFor()
    })
  })
})

describe('menus and tooltips, which are loaded with the first one', () => {
  it('a menu of the header opens with the keyboard, and returns the focus to its button', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at(''))
      const button = page.getByRole('button', { name: 'Your account' })
      await button.focus()
      assert.equal(await button.getAttribute('aria-haspopup'), 'menu')
      assert.equal(await button.getAttribute('aria-expanded'), 'false')
      for (const round of ['first', 'second']) {
        await page.keyboard.press('Enter')
        const item = page.getByRole('menuitem', { name: 'Account and password' })
        await item.waitFor()
        assert.equal(await button.getAttribute('aria-expanded'), 'true', round)
        await page.keyboard.press('ArrowDown')
        await until(() => item.evaluate((element) => element.matches(':focus')), `the ${round} menu has the focus`)
        await page.keyboard.press('Escape')
        await item.waitFor({ state: 'detached' })
        await until(() => button.evaluate((element) => element.matches(':focus')), `it is back, ${round} time`)
      }
      await page.getByRole('button', { name: 'switch' }).click()
      await page.getByRole('menuitem', { name: 'Northwind Controls', exact: true }).click()
      await page.getByRole('heading', { name: 'Northwind Controls', level: 1 }).waitFor()
    })
  })

  it('a tooltip describes what has the focus or the mouse, and goes with Escape, the mouse, or its element', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at(''))
      const tooltip = page.getByRole('tooltip')
      const help = page.getByRole('button', { name: 'Help' })
      await page.getByRole('button', { name: 'Search' }).focus()
      await page.keyboard.press('Tab')
      await tooltip.getByText('Help', { exact: true }).waitFor()
      const describedBy = await help.getAttribute('aria-describedby')
      assert.equal(await page.locator(`[id="${describedBy}"]`).textContent(), 'Help')
      await page.keyboard.press('Escape')
      await tooltip.waitFor({ state: 'detached' })
      assert.equal(await help.getAttribute('aria-describedby'), null)
      const scheme = page.getByRole('button', { name: 'Dark mode' })
      await scheme.hover()
      await tooltip.getByText('Dark mode').waitFor()
      await scheme.click()
      await tooltip.getByText('Light mode').waitFor()
      await page.mouse.move(640, 700)
      await tooltip.waitFor({ state: 'detached' })
      await page.locator('main time').first().hover()
      await tooltip.getByText(/20\d\d/).waitFor()
      await page.evaluate("history.pushState(null, '', '/help'); dispatchEvent(new PopStateEvent('popstate'))")
      await tooltip.waitFor({ state: 'detached' })
    })
  })
})
