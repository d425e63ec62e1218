import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { it } from '../support/browser/browser.ts'
import { operatorAt } from '../support/calls.ts'
import { Browser } from '../support/form-browser.ts'
import { axeViolations, createWorld } from '../support/portal-world.ts'

const world = await createWorld()
const phone = { width: 390, height: 844 }
const folder = process.env.LANDBRIDGE_SHOTS

async function addPerson(email: string, password: string) {
  const person = { name: 'Grace Hopper', email, password, role: 'member' }
  const { status } = await operatorAt(world.url, 'POST', `/customers/${world.customer.id}/users`, person)
  assert.equal(status, 201)
  return person
}

async function signIn(page: Page, { email, password }: { email: string; password: string }, returnTo = '/account') {
  await page.goto(`/sign-in?return_to=${encodeURIComponent(returnTo)}`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
}

/** Light, dark and on a phone, where nothing is too wide and every button is large enough for a finger. */
async function requireAccessible(page: Page, name: string): Promise<void> {
  const picture = async (kind: string) =>
    folder && (await page.screenshot({ path: `${folder}/${name}-${kind}.png`, fullPage: true }))
  await picture('light')
  assert.deepEqual(await axeViolations(page), [], name)
  await page.emulateMedia({ colorScheme: 'dark' })
  await picture('dark')
  assert.deepEqual(await axeViolations(page, 'colours'), [], `${name}, dark`)
  await page.emulateMedia({ colorScheme: 'light' })
  const size = page.viewportSize()
  await page.setViewportSize(phone)
  await picture('phone')
  assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, `${name} on a phone`)
  const small = await page.evaluate<string[]>(`[...document.querySelectorAll('button, .button')]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 40).map((one) => one.outerHTML)`)
  assert.deepEqual(small, [], `${name} on a phone`)
  if (size) await page.setViewportSize(size)
}

describe('the account page', () => {
  it('shows where a person is signed in; one session is ended with the keyboard, then all others', async () => {
    const grace = await addPerson('grace.sessions@example.com', 'correct horse battery')
    const others = await Promise.all(
      [1, 2, 3].map(async () => {
        const other = new Browser('network')
        other.host = new URL(world.url).host
        assert.equal((await other.signIn(grace)).status, 303)
        return other
      }),
    )
    const isIn = async (browser: Browser) => (await browser.get('/account')).status === 200
    await world.visit({ signedIn: false, fresh: true }, async (page) => {
      await signIn(page, grace)
      await page.getByRole('heading', { name: 'Where you are signed in' }).waitFor()
      await page.getByText('This browser').waitFor()
      await page.getByText('Chrome on Linux').waitFor()
      assert.equal(await page.locator('.rows li').count(), 4)
      await requireAccessible(page, 'account')
      await page
        .getByRole('button', { name: /^End the session of/ })
        .first()
        .focus()
      await page.keyboard.press('Enter')
      await page.getByText('The session has ended.').waitFor()
      assert.equal((await Promise.all(others.map(isIn))).filter(Boolean).length, 2)
      await page.getByRole('button', { name: 'End all other sessions' }).click()
      await page.getByText('2 other sessions have ended.').waitFor()
      assert.equal((await Promise.all(others.map(isIn))).filter(Boolean).length, 0)
      assert.equal(await page.locator('.rows li').count(), 1)
    })
  })

  it('a weak password is asked for after signing in; a weak new one is refused with a reason, a strong one leads on', async () => {
    const weak = await addPerson('grace.weak@example.com', 'password1234')
    await world.visit({ signedIn: false, fresh: true }, async (page) => {
      await signIn(page, weak, '/approval-requests')
      await page.getByRole('heading', { name: 'Choose a stronger password' }).waitFor()
      await requireAccessible(page, 'stronger-password')
      const fill = async (password: string) => {
        await page.getByLabel('New password', { exact: false }).first().fill(password)
        await page.getByLabel('Repeat new password').fill(password)
        await page.keyboard.press('Enter')
      }
      await fill('gracehopper1')
      await page.getByRole('alert').getByText('your name, your email').waitFor()
      await requireAccessible(page, 'stronger-password-refused')
      await fill('three lamps under water')
      await page.waitForURL((url) => url.pathname === '/approval-requests')
    })
    await world.visit({ signedIn: false, fresh: true }, async (page) => {
      await signIn(page, { ...weak, password: 'three lamps under water' }, '/approval-requests')
      await page.waitForURL((url) => url.pathname === '/approval-requests')
    })
  })

  it('an administrator signs a member out everywhere', async () => {
    const grace = await addPerson('grace.out@example.com', 'correct horse battery')
    const browser = new Browser('network')
    browser.host = new URL(world.url).host
    await browser.signIn(grace)
    await world.visit({}, async (page) => {
      await page.goto(`/customer/${world.customer.id}/users?search=grace.out`)
      await page.getByRole('button', { name: 'Actions for Grace Hopper' }).click()
      await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('can sign in again').waitFor()
      if (folder) await page.screenshot({ path: `${folder}/end-sessions.png` })
      assert.deepEqual(await axeViolations(page), [])
      await dialog.getByRole('button', { name: 'Sign out everywhere' }).click()
      await page.getByText('Grace Hopper is signed out of 1 browser.').waitFor()
    })
    assert.equal((await browser.get('/account')).status, 303)
  })

  it('whoever signed in longer ago confirms first who they are, and comes back', async () => {
    await world.sql`update sessions set signed_in_at = signed_in_at - interval '11 minutes', proved_at = null`
    await world.visit({}, async (page) => {
      await page.goto(`/customer/${world.customer.id}/users?search=grace.out`)
      await page.getByRole('button', { name: 'Actions for Grace Hopper' }).click()
      await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
      await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
      await page.getByLabel('Password').fill(world.password)
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/users\?search=grace\.out/)
    })
  })
})
