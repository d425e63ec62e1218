import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { it } from '../support/browser/browser.ts'
import { refusal, startMailServer } from '../support/mail-server.ts'
import { axeViolations, createWorld } from '../support/portal-world.ts'
import { until } from '../support/until.ts'

const server = await startMailServer()
server.onRecipient = (address) => {
  if (address.startsWith('nobody@')) throw refusal(550, '5.1.1 <nobody@example.com>: Recipient address rejected')
  if (address.startsWith('later@')) throw refusal(451, '4.7.1 Greylisted, please try again in 5 minutes')
}
const world = await createWorld({
  LANDBRIDGE_MAIL_URL: server.url,
  LANDBRIDGE_MAIL_FROM: 'Landbridge <no-reply@example.com>',
})

async function open(page: Page, path = '/operator/mails'): Promise<void> {
  await page.goto('/operator')
  await page.evaluate((key) => sessionStorage.setItem('landbridge.operator-key', key), world.operatorKey)
  await page.goto(path)
}

/** In light and dark. */
async function requireAccessible(page: Page): Promise<void> {
  assert.deepEqual(await axeViolations(page), [])
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  assert.deepEqual(await axeViolations(page, 'colours'), [])
  await page.emulateMedia({ colorScheme: 'light' })
}

const tooWide = async (page: Page) => Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))

describe('the operator’s page of mails', () => {
  it('a test is sent with the keyboard, and shows the words of the mail server', async () => {
    await world.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByRole('button', { name: 'Send a test' }).focus()
      await page.keyboard.press('Enter')
      await page.getByLabel('To').waitFor()
      await page.keyboard.type('operator@example.com')
      await page.keyboard.press('Enter')
      await page.getByText('The mail server took it').waitFor()
      await page.getByText('250 OK: message queued').waitFor()
      await requireAccessible(page)
      assert.deepEqual(server.got.at(-1)!.to, ['operator@example.com'])
      await page.getByRole('textbox', { name: 'To' }).fill('nobody@example.com')
      await page.getByRole('button', { name: 'Send again' }).click()
      await page.getByText('It was not sent').waitFor()
      await page.getByText('550 5.1.1').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'Test mail' }).first().waitFor()
    })
  })

  it('what failed, why, and when the next attempt is; a mail that waits is tried now; on a phone, too', async () => {
    const id = '01a1ece8-6741-7000-bc96-ed41a5f23e29'
    await world.sql`
      insert into mails (id, kind, recipient, subject, created_at, useful_until, urgent, state, attempts, attempted_at,
        next_attempt_at, failure, response)
      values (${id}, 'invitation', 'later@example.com', 'You are invited to Harbour Hotels', now(), now() + interval '1 day',
        false, 'queued', 3, now(), now() + interval '2 hours', 'The mail server does not take it now.',
        '451 4.7.1 Greylisted, please try again in 5 minutes')`
    await world.visit({ signedIn: false, viewport: { width: 390, height: 844 } }, async (page) => {
      await open(page, '/operator/mails?state=queued')
      await page.getByText('The mail server does not take it now.').waitFor()
      await page.getByText('Next attempt').waitFor()
      assert.ok((await tooWide(page)) <= 0, 'list')
      await requireAccessible(page)
      await page.getByRole('link', { name: 'You are invited' }).click()
      await page.getByText('451 4.7.1 Greylisted').waitFor()
      assert.ok((await tooWide(page)) <= 0, 'mail')
      await requireAccessible(page)
      await page.getByRole('button', { name: 'Try now' }).click()
      // Its content is none that was ever sealed.
      await page.getByText('sealed with another master key').waitFor()
      await until(async () => (await world.sql`select from mails where id = ${id} and state = 'failed'`).length === 1)
    })
  })

  it('a recipient is searched', async () => {
    await world.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByRole('textbox', { name: 'Recipient' }).fill('stranger@example.com')
      await page.getByText('No mail found').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.getByRole('link', { name: 'Test mail' }).first().waitFor()
    })
  })
})

describe('without a mail server', () => {
  it('the page names the variables', async () => {
    const none = await createWorld()
    await none.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByText('No mail server').waitFor()
      await page.getByText('LANDBRIDGE_MAIL_URL=smtps').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Send a test' }).count(), 0)
      await requireAccessible(page)
    })
  })

  it('in a lab, mails are read here', async () => {
    const lab = await createWorld({ LANDBRIDGE_LAB: 'true' })
    await lab.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByText('Mails of this lab are not sent').waitFor()
      await page.getByRole('link', { name: 'Test mail' }).first().click()
      await page.getByText('It works: this service can send mail.').waitFor()
      await page.getByRole('link', { name: 'Open its link' }).waitFor()
      await requireAccessible(page)
    })
  })
})
