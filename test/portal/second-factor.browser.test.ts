import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { it } from '../support/browser/browser.ts'
import { axeViolations, createWorld } from '../support/portal-world.ts'

const world = await createWorld()
const { sql, customer } = world
const at = (path: string) => `/customer/${customer.id}${path}`
/** Where pictures go, for whoever wants to look: LANDBRIDGE_PICTURES=folder. */
const pictures = process.env.LANDBRIDGE_PICTURES

async function picture(page: Page, name: string): Promise<void> {
  if (!pictures) return
  await mkdir(pictures, { recursive: true })
  await page.screenshot({ path: `${pictures}/${name}.png` })
}

async function look(page: Page, name: string): Promise<void> {
  assert.deepEqual(await axeViolations(page), [], name)
  await picture(page, name)
}

describe('decision 6.66 in the portal', () => {
  it('an administrator requires a second factor with the keyboard; the page says how many have none', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/settings/sign-in'))
      await page.getByText('Who has one').waitFor()
      await look(page, 'policy')
      await page.getByRole('radio', { name: 'Optional' }).focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByText('Saved.').waitFor()
      await page.getByRole('link', { name: /users? needs? one and (has|have) none/ }).waitFor()
      await page.reload()
      await page.getByText('requires a second factor. 7 days are left.').waitFor()
      await look(page, 'policy-set')
      await page.getByRole('link', { name: /users? needs? one/ }).click()
      await page.getByRole('cell', { name: /^None/ }).first().waitFor()
      await page.getByText('although this organization requires one').waitFor()
      await look(page, 'users')
    })
  })

  it('users with their factors, dark and on a phone; a reset is asked for, shown and cancelled', async () => {
    const [ben] = await sql<{ id: string }[]>`select id from users where name = 'Ben Okri'`
    await sql`
      insert into totp_factors (user_id, secret, last_step, created_at, enabled_at)
      values (${ben!.id}, '\\x00', 0, now(), now())`
    await world.visit({ colorScheme: 'dark' }, async (page) => {
      await page.goto(at('/users'))
      await page.getByRole('cell', { name: 'App', exact: true }).waitFor()
      await look(page, 'users-dark')
      await page.getByRole('button', { name: 'Actions for Ben Okri' }).click()
      await page.getByRole('menuitem', { name: 'Reset second factors' }).click()
      await page.getByRole('dialog').getByText('signed out everywhere').waitFor()
      await look(page, 'reset-dark')
      await page.getByRole('button', { name: 'Reset in 24 hours' }).click()
      await page.getByText('Reset pending').waitFor()
      await page.getByRole('button', { name: 'Actions for Ben Okri' }).click()
      await page.getByRole('menuitem', { name: 'Reset second factors' }).click()
      await page.getByText('A second administrator can confirm it earlier').waitFor()
      await look(page, 'reset-pending-dark')
      await page.getByRole('button', { name: 'Cancel the reset' }).click()
      await page.getByText('Reset pending').waitFor({ state: 'detached' })
    })
    await world.visit({ viewport: { width: 390, height: 844 } }, async (page) => {
      for (const path of ['/settings/sign-in', '/users']) {
        await page.goto(at(path))
        await page.getByText('7 days are left').waitFor()
        await page.getByRole('heading', { level: 1 }).waitFor()
        const width = await page.evaluate('document.documentElement.scrollWidth')
        assert.ok(Number(width) <= 390, `${path} is ${width} wide`)
        await look(page, `phone${path.replaceAll('/', '-')}`)
      }
    })
  })

  it('after the grace the organization opens only with one: the page leads to the account', async () => {
    const long = new Date(Date.now() - 30 * 86_400_000)
    await sql`
      update customers set second_factor_administrators_since = ${long}, second_factor_all_since = ${long}
      where id = ${customer.id}`
    await sql`update memberships set created_at = ${long} where customer_id = ${customer.id}`
    await world.visit({}, async (page) => {
      await page.goto(at('/users'))
      const link = page.getByRole('link', { name: 'Set up a second factor' })
      await link.waitFor()
      await look(page, 'overdue')
      await link.click()
      await page.getByRole('heading', { name: 'Your account' }).waitFor()
    })
    await sql`
      update customers set second_factor_administrators_since = null, second_factor_all_since = null
      where id = ${customer.id}`
  })
})
