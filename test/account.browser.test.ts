// Passkeys, authenticator apps and recovery codes in a real browser, with Chromium's virtual authenticator.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { codeOfStep, stepOf } from '../server/src/directory/accounts/factors/totp.ts'
import { violationsOf } from './support/axe.ts'
import { it } from './support/browser/browser.ts'
import { signIn, startConsentWorld } from './support/consent-world.ts'
import { until } from './support/until.ts'

const {
  service,
  portal,
  administrator: grace,
  visit,
  acme,
} = await startConsentWorld((_request, response) => response.end())
const account = `http://${portal}/account`

/** Where to leave pictures of every page, for people to look at; none are taken unless it is set. */
const pictures = process.env.LANDBRIDGE_TEST_PICTURES

async function newPerson(name: string) {
  const person = { ...grace, name, email: `${name.toLowerCase()}@acme.example` }
  await service.operator('POST', `/customers/${acme.id}/users`, { ...person, role: 'member' })
  return person
}

interface VirtualAuthenticator {
  cdp: CDPSession
  authenticatorId: string
}

/** As the fingerprint reader of a laptop: it asks for nothing, and says yes. */
async function addAuthenticator(page: Page, more: object = {}): Promise<VirtualAuthenticator> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
    ...more,
  } as const
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
  return { cdp, authenticatorId }
}

/** Without automatic presence, the browser's offer at the email field waits, as it does for a person. */
async function setPresent({ cdp, authenticatorId }: VirtualAuthenticator, enabled: boolean): Promise<void> {
  await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.goto(`${account}/passkeys/new`)
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create a passkey' }).click()
}

/**
 * By the button, unless the authenticator has taken the browser's own offer already. Of this page only: a click that waits
 * for a button would find that of the next one, too.
 */
async function choosePasskey(page: Page, leadsTo: string): Promise<void> {
  const isThere = () => new URL(page.url()).pathname === leadsTo
  const button = await page
    .getByRole('button', { name: 'Use a passkey' })
    .elementHandle({ timeout: 5_000 })
    .catch(() => null)
  if (!isThere()) await button?.click().catch(() => {})
  await page.waitForURL(isThere)
}

async function signOut(page: Page): Promise<void> {
  await page.goto(`http://${portal}/sign-out`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
}

async function inspect(page: Page, name: string, text: string): Promise<void> {
  await page.getByText(text).first().waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const [width, size] of Object.entries({
      wide: { width: 1100, height: 800 },
      phone: { width: 390, height: 844 },
    })) {
      await page.setViewportSize(size)
      const tooWide = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
      assert.ok(tooWide <= 0, `${name}, ${width}: ${tooWide} px too wide`)
      if (pictures)
        await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`), fullPage: true })
    }
    assert.deepEqual(await violationsOf(page), [], `${name}, ${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: null })
}

describe('passkeys in a real browser', () => {
  it('added, signed in with alone in three requests, used as second factor, removed', async () => {
    const person = await newPerson('Ida')
    await visit({}, async (page) => {
      const authenticator = await addAuthenticator(page)
      await setPresent(authenticator, false)
      await page.goto(account)
      await signIn(page, person)
      await inspect(page, 'account-without', 'Add a passkey')
      await page.getByRole('link', { name: 'Add a passkey' }).click()
      await inspect(page, 'passkey-new', 'Create a passkey')
      await setPresent(authenticator, true)
      await addPasskey(page, 'Work laptop')
      await inspect(page, 'recovery-codes', 'Save your recovery codes')
      assert.equal(await page.locator('.codes code').count(), 10)
      await page.getByRole('link', { name: 'I have saved them' }).click()
      await page.getByText('Work laptop').waitFor()
      await setPresent(authenticator, false)
      await signOut(page)
      await inspect(page, 'sign-in-passkey', 'Use a passkey')

      const requests: string[] = []
      page.on('request', (request) => {
        const { pathname } = new URL(request.url())
        if (request.resourceType() === 'document' || request.resourceType() === 'fetch') {
          requests.push(`${request.method()} ${pathname}`)
        }
      })
      await page.goto(`http://${portal}/sign-in?return_to=/account`)
      await setPresent(authenticator, true)
      await choosePasskey(page, '/account')
      await page.getByText('Work laptop').waitFor()
      assert.deepEqual(requests, ['GET /sign-in', 'POST /sign-in/passkey', 'GET /account'])
      await inspect(page, 'account-passkey', 'Work laptop')

      await setPresent(authenticator, false)
      await signOut(page)
      await page.goto(`http://${portal}/sign-in?return_to=/account`)
      await signIn(page, person)
      await inspect(page, 'second-factor-passkey', 'Confirm your sign-in')
      await setPresent(authenticator, true)
      // A page that was asked while no authenticator was present may go on waiting for one.
      await page.reload()
      await choosePasskey(page, '/account')
      await page.getByText('Work laptop').waitFor()

      service.clock.forward(601)
      await page.goto(`${account}/passkeys/new`)
      await inspect(page, 'prove-passkey', 'Confirm that it is you')
      await page.getByRole('button', { name: 'Use a passkey' }).click()
      await page.getByRole('button', { name: 'Create a passkey' }).click()
      await page.getByText('This device already has a passkey for your account.').waitFor()

      await page.goto(account)
      await page.locator('summary', { hasText: 'Remove' }).click()
      await inspect(page, 'passkey-removing', 'Remove this passkey')
      await page.getByRole('button', { name: 'Remove this passkey' }).click()
      await page.getByText('The passkey is removed.').waitFor()
      assert.equal(await page.getByText('Work laptop').count(), 0)
      await setPresent(authenticator, false)
      await signOut(page)
      await setPresent(authenticator, true)
      // Offered at the email field or by the button: it is no longer known, and not sent again and again.
      await page.reload()
      await choosePasskey(page, '/sign-in/passkey')
      await inspect(page, 'passkey-unknown', 'This passkey was not accepted')
    })
  })

  it('offered at the email field: signed in without pressing a button', async () => {
    const person = await newPerson('Una')
    await visit({}, async (page) => {
      await addAuthenticator(page)
      await page.goto(account)
      await signIn(page, person)
      await addPasskey(page, 'Phone')
      await page.getByText('Save your recovery codes').waitFor()
      await page.goto(`http://${portal}/sign-out`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      // The virtual authenticator chooses the passkey as soon as the browser offers it.
      await page.waitForURL((url) => url.pathname === '/')
      await page.goto(account)
      await page.getByText(person.email).waitFor()
    })
  })

  it('a person who declines stays on the page, and is told what to do', async () => {
    const person = await newPerson('Pia')
    await visit({}, async (page) => {
      const authenticator = await addAuthenticator(page, { isUserVerified: false })
      await page.goto(account)
      await signIn(page, person)
      await addPasskey(page, 'x')
      await page.getByText('No passkey was created.').waitFor()
      await inspect(page, 'passkey-declined', 'No passkey was created.')
      const { cdp, authenticatorId } = authenticator
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
      await page.getByRole('button', { name: 'Create a passkey' }).click()
      await page.getByText('Save your recovery codes').waitFor()
    })
  })
})

describe('an authenticator app in a real browser', () => {
  for (const javaScriptEnabled of [true, false]) {
    it(`with the keyboard alone, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const person = await newPerson(javaScriptEnabled ? 'Kim' : 'Lou')
      await visit({ javaScriptEnabled }, async (page) => {
        const press = async (key: string, times = 1) => {
          for (let n = 0; n < times; n += 1) await page.keyboard.press(key)
        }
        await page.goto(`${account}/authenticator`)
        await signIn(page, person)
        await page.locator('summary').focus()
        await press('Enter')
        const shown = await page.locator('details code').textContent()
        const secret = shown!.replaceAll(' ', '')
        const code = (steps = 0) => codeOfStep(secret, stepOf(service.clock.now()) + steps)
        if (javaScriptEnabled) await inspect(page, 'authenticator', 'Add an authenticator app')
        await press('Tab', 2)
        await page.keyboard.type('000000')
        await press('Enter')
        await page.getByText('This code is not right.').waitFor()
        await page.locator('input[name=totp]:focus').waitFor()
        await page.keyboard.type(code())
        await press('Enter')
        await page.getByText('Save your recovery codes').waitFor()
        const recovery = await page.locator('.codes code').first().textContent()
        await page.goto(account)
        if (javaScriptEnabled) await inspect(page, 'account-app', 'Authenticator app')
        await signOut(page)
        await page.goto(`http://${portal}/sign-in?return_to=/account`)
        await signIn(page, person)
        await page.locator('input[name=totp]:focus').waitFor()
        if (javaScriptEnabled) await inspect(page, 'second-factor-app', 'Code from your authenticator app')
        await page.keyboard.type('111111')
        await press('Enter')
        await page.getByText('This code is not right, or was used before.').waitFor()
        if (javaScriptEnabled) await inspect(page, 'second-factor-wrong', 'This code is not right')
        await page.keyboard.type(code(1))
        await press('Enter')
        await page.getByText('10 codes are left.').waitFor()
        await signOut(page)
        await page.goto(`http://${portal}/sign-in?return_to=/account`)
        await signIn(page, person)
        await page.locator('summary').focus()
        await press('Enter')
        await press('Tab')
        await page.keyboard.type(recovery!)
        if (javaScriptEnabled) await inspect(page, 'second-factor-recovery', 'Recovery code')
        await page.getByLabel('Recovery code').press('Enter')
        await page.getByText('9 codes are left.').waitFor()
        service.clock.forward(601)
        await page.getByRole('link', { name: 'Add a passkey' }).click()
        if (javaScriptEnabled) await inspect(page, 'prove-app', 'Confirm that it is you')
        await until(async () => (await page.locator('input[name=totp]').count()) === 1, 'the code is asked for')
        await page.locator('input[name=totp]').fill(code())
        await press('Enter')
        await page.getByRole('heading', { name: 'Add a passkey' }).waitFor()
        // The browser of the test is told not to run scripts after it has read the page as one that does.
        assert.match(await page.content(), /<noscript>.*allow JavaScript on this page/)
      })
    })
  }

  it('the QR code is large enough to be scanned', async () => {
    const person = await newPerson('Max')
    await visit({}, async (page) => {
      await page.goto(`${account}/authenticator`)
      await signIn(page, person)
      await page.locator('svg.qr').waitFor()
      const size = await page.locator('svg.qr').boundingBox()
      assert.ok(size && size.width >= 160 && size.width === size.height)
    })
  })

  it('confirming with a password, few codes left', async () => {
    const person = await newPerson('Eli')
    await visit({}, async (page) => {
      await page.goto(account)
      await signIn(page, person)
      service.clock.forward(601)
      await page.goto(`${account}/authenticator`)
      await inspect(page, 'prove-password', 'Confirm that it is you')
      await page.keyboard.type(person.password)
      await page.keyboard.press('Enter')
      const secret = (await page.locator('details code').textContent())!.replaceAll(' ', '')
      await page.getByLabel('Code that the app shows').fill(codeOfStep(secret, stepOf(service.clock.now())))
      await page.keyboard.press('Enter')
      await page.getByText('Save your recovery codes').waitFor()
      await service.sql`
        update recovery_codes set used_at = now() where digest in (
          select digest from recovery_codes join users on users.id = user_id where email = ${person.email} limit 9)`
      await page.goto(account)
      await inspect(page, 'account-few-codes', 'One code is left.')
    })
  })
})
