// A forgotten password from the click to the new sign-in, a verified and a changed email, and an invitation for a taken
// one: in a real browser, with mails that a real SMTP server got.
import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { it } from '../support/browser/browser.ts'
import { startMailServer } from '../support/mail-server.ts'
import { axeViolations, createWorld } from '../support/portal-world.ts'
import { until } from '../support/until.ts'

const mailServer = await startMailServer()
const world = await createWorld({
  LANDBRIDGE_MAIL_URL: mailServer.url,
  LANDBRIDGE_MAIL_FROM: 'Landbridge <no-reply@landbridge.example>',
})
const own = 'mauve tractor lullaby'
/** For whoever wants to see the pages. */
const folder = process.env.EMAIL_PICTURES

async function mailTo(address: string, subject: RegExp) {
  const find = () => mailServer.got.findLast(({ to, raw }) => to.includes(address) && subject.test(raw))
  await until(async () => find() !== undefined, `a mail to ${address} about ${subject}`)
  return find()!
}
const codeOf = (text: string) => /\b(\d{4}) (\d{4})\b/.exec(text)!.slice(1).join('')

async function inspect(page: Page, name: string): Promise<void> {
  const found: string[] = []
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    const wide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
    if (wide) found.push(`${width} px: wider than the window`)
    found.push(...(await axeViolations(page)))
    if (folder) await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true })
  }
  await page.emulateMedia({ colorScheme: 'dark' })
  found.push(...(await axeViolations(page, 'colours')))
  if (folder) await page.screenshot({ path: `${folder}/${name}-dark.png`, fullPage: true })
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 844 })
  assert.deepEqual(found, [], name)
}

async function addPerson(name: string, email: string): Promise<void> {
  const response = await fetch(`${world.url}/core/v1/operator/customers/${world.customer.id}/users`, {
    method: 'POST',
    headers: { authorization: world.operatorKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name, email, password: world.password, role: 'member' }),
  })
  assert.equal(response.status, 201)
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL((url) => url.pathname !== '/sign-in')
}

async function choosePassword(page: Page): Promise<void> {
  for (const field of await page.locator('input[type=password]').all()) await field.fill(own)
}

describe('emails in the browser', () => {
  it('a forgotten password, from the click to the new sign-in', async () => {
    await addPerson('Femi Ade', 'femi@harbour.example')
    await world.visit({ signedIn: false }, async (page) => {
      await page.goto('/sign-in')
      await page.getByRole('link', { name: 'Forgot your password?' }).click()
      await inspect(page, 'forgotten')
      // With the keyboard alone: the field has the focus.
      await page.keyboard.type('femi@harbour.example')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()
      await inspect(page, 'forgotten-sent')
      const { text, to, raw } = await mailTo('femi@harbour.example', /Set a new password/)
      assert.deepEqual(to, ['femi@harbour.example'])
      assert.match(raw, /^Auto-Submitted: auto-generated/im)
      const link = /https?:\/\/\S+\/link\/[\w-]+/.exec(text)![0]
      await page.goto(link)
      await inspect(page, 'reset')
      await choosePassword(page)
      await page.getByRole('button', { name: 'Set password' }).click()
      await page.waitForURL((url) => !url.pathname.startsWith('/link'))
      await page.goto('/account')
      await page.getByText('· verified').waitFor()
    })
    await mailTo('femi@harbour.example', /password was changed/)
    await world.visit({ signedIn: false, fresh: true }, async (page) => {
      await signIn(page, 'femi@harbour.example', own)
    })
    await mailTo('femi@harbour.example', /New sign-in/)
  })

  it('an app is added after the email is verified, with the keyboard alone', async () => {
    await addPerson('Hal Oye', 'hal@harbour.example')
    await world.visit({ signedIn: false }, async (page) => {
      await signIn(page, 'hal@harbour.example', world.password)
      await page.goto('/account/authenticator')
      await page.getByRole('heading', { name: 'Verify your email first' }).waitFor()
      await inspect(page, 'verify-first')
      await page.getByRole('button', { name: 'Send a code' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Enter the code' }).waitFor()
      await page.keyboard.type(codeOf((await mailTo('hal@harbour.example', /code/)).text))
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Add an authenticator app' }).waitFor()
    })
  })

  it('an email is verified, then changed; mails are chosen', async () => {
    await addPerson('Gro Lie', 'gro@harbour.example')
    await world.visit({ signedIn: false }, async (page) => {
      await signIn(page, 'gro@harbour.example', world.password)
      await page.goto('/account')
      await inspect(page, 'account')
      await page.getByRole('button', { name: 'Verify email' }).click()
      await page.getByRole('heading', { name: 'Enter the code' }).waitFor()
      await page.getByLabel('Code').fill('00000000')
      await page.keyboard.press('Enter')
      await page.getByText('4 tries left').waitFor()
      await inspect(page, 'code')
      await page.getByLabel('Code').fill(codeOf((await mailTo('gro@harbour.example', /code/)).text))
      await page.keyboard.press('Enter')
      await page.getByText('Email verified.').waitFor()
      await page.getByRole('link', { name: 'Change email' }).click()
      await inspect(page, 'change')
      await page.getByLabel('New email').fill('gro.lie@harbour.example')
      await page.getByRole('button', { name: 'Send a code' }).click()
      await page.getByLabel('Code').fill(codeOf((await mailTo('gro.lie@harbour.example', /code/)).text))
      await page.getByRole('button', { name: 'Confirm' }).click()
      await page.getByText('Email changed.').waitFor()
      await mailTo('gro@harbour.example', /email of your account was changed/)
      await page.getByLabel('API keys that are about to expire').uncheck()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved which mails you get.').waitFor()
      assert.equal(await page.getByLabel('API keys that are about to expire').isChecked(), false)
    })
  })

  it('an invitation is mailed, and leads to an account although somebody else had taken the email', async () => {
    await addPerson('Somebody', 'hana@harbour.example')
    const url = `${world.url}/core/v1/operator/partners/${world.partner.id}/invitations`
    const invited = await fetch(url, {
      method: 'POST',
      headers: { authorization: world.operatorKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'hana@harbour.example' }),
    })
    assert.equal(invited.status, 201)
    const link = /https?:\/\/\S+\/link\/[\w-]+/.exec((await mailTo('hana@harbour.example', /invited/)).text)![0]
    await world.visit({ signedIn: false }, async (page) => {
      await page.goto(link)
      await page.getByLabel('Your name').fill('Hana Sato')
      await choosePassword(page)
      await page.getByRole('button', { name: 'Create an account and join' }).click()
      await inspect(page, 'taken')
      await page.getByRole('button', { name: 'Send a code to' }).click()
      await page.getByText('We sent a code to').waitFor()
      await inspect(page, 'claim')
      await page.getByLabel('Code').fill(codeOf((await mailTo('hana@harbour.example', /code/)).text))
      await page.getByLabel('Your name').fill('Hana Sato')
      await choosePassword(page)
      await page.getByRole('button', { name: 'Create an account and join' }).click()
      await page.waitForURL((url) => !url.pathname.startsWith('/link'))
    })
  })
})
