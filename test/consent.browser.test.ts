// Sign-in and consent in a real browser, with the partner's application on its own origin.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { password } from './support/applications.ts'
import { violationsOf } from './support/axe.ts'
import { it } from './support/browser/browser.ts'
import { arrival, connect, signIn, startConsentWorld, untilAsked } from './support/consent-world.ts'
import { joinAlso } from './support/joining.ts'
import { sessionHeaders } from './support/organization.ts'

/** Requests that reached the application's redirect URI. */
let callbacks = 0
const world = await startConsentWorld((request, response) => {
  if (request.url?.startsWith('/callback')) callbacks += 1
  response.setHeader('content-type', 'text/html')
  response.end(
    `<!doctype html><title>Fleet Monitor</title><p id="arrived">${request.headers.referer ?? 'no referrer'}</p>`,
  )
})
const { service, portal, redirect_uri, client, acme, administrator, visit, authorizeUrl } = world
await service.sql`update partners set accent_color = '#7a3cff' where id = ${world.partner.id}`
const mary = { name: 'Mary Seacole', email: 'mary@acme.example', password }
await service.operator('POST', `/customers/${acme.id}/users`, { ...mary, role: 'member' })
const zoe = { ...administrator, name: 'Zoe', email: 'zoe@acme.example' }
for (const [name, role] of [
  ['Acme Hotels', 'administrator'],
  ['Globex Offices', 'member'],
  ['Initech Towers', 'member'],
] as const) {
  const id =
    name === 'Acme Hotels'
      ? acme.id
      : (await service.operator('POST', '/customers', { partner_id: world.partner.id, name })).body.id
  if (id === acme.id) await service.operator('POST', `/customers/${id}/users`, { ...zoe, role })
  else await joinAlso(service, id, zoe.email, role)
}

/** Where to leave pictures of every page, for people to look at; none are taken unless it is set. */
const pictures = process.env.LANDBRIDGE_TEST_PICTURES

for (const javaScriptEnabled of [true, false]) {
  describe(`4.1 in a real browser, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () => {
    it('4.1 sign in, choose, connect: back at the application on another origin with code, state and iss', async () => {
      await visit({ javaScriptEnabled }, async (page) => {
        await page.goto(authorizeUrl())
        await signIn(page, administrator)
        await page.getByRole('heading', { name: 'Connect Fleet Monitor to Acme Hotels?' }).waitFor()
        assert.ok(await page.getByRole('radio', { name: /Acme Hotels/ }).isChecked())
        await page.getByRole('button', { name: connect }).click()
        await page.waitForURL(`${redirect_uri}?**`)
        assert.ok(callbacks > 0)
        const { code, ...rest } = arrival(page)
        assert.match(code!, /^lbc_/)
        assert.deepEqual(rest, { state: 'state/of the client&', iss: `http://${portal}` })
        assert.equal(await page.textContent('#arrived'), 'no referrer')
      })
    })

    it('7.2 decline: back at the application with access_denied', async () => {
      await visit({ javaScriptEnabled }, async (page) => {
        await page.goto(authorizeUrl())
        await signIn(page, zoe)
        await page.getByRole('button', { name: 'Decline' }).click()
        await page.waitForURL(`${redirect_uri}?**`)
        assert.deepEqual(arrival(page), {
          error: 'access_denied',
          state: 'state/of the client&',
          iss: `http://${portal}`,
        })
      })
    })

    it('back button after the decision: nothing to decide any more, and a way back to the application', async () => {
      await visit({ javaScriptEnabled }, async (page) => {
        await page.goto(authorizeUrl())
        await signIn(page, administrator)
        await page.getByRole('button', { name: connect }).click()
        await page.waitForURL(`${redirect_uri}?**`)
        const first = arrival(page)
        await page.goBack()
        // A browser shows the page from its cache, or loads it again.
        const decide = page.getByRole('button', { name: connect })
        const wayBack = page.getByRole('button', { name: 'Return to Fleet Monitor' })
        await decide.or(wayBack).first().waitFor()
        await decide.or(wayBack).first().click()
        await page.waitForURL(`${redirect_uri}?**`)
        const second = arrival(page)
        assert.notEqual(second.code, first.code)
        assert.equal(await world.exchange(second.code!), 200)
      })
    })

    it('two tabs: the decision stays, and the same one redirects again', async () => {
      await visit({ javaScriptEnabled }, async (page, context) => {
        await page.goto(authorizeUrl())
        await signIn(page, administrator)
        await untilAsked(page)
        const [second, third] = [await context.newPage(), await context.newPage()]
        for (const tab of [second, third]) await tab.goto(page.url())
        await page.getByRole('button', { name: connect }).click()
        await page.waitForURL(`${redirect_uri}?**`)
        await second.getByRole('button', { name: 'Decline' }).click()
        await second.getByRole('heading', { name: 'You have already decided' }).waitFor()
        await third.getByRole('button', { name: connect }).click()
        await third.waitForURL(`${redirect_uri}?**`)
        assert.equal(await world.exchange(arrival(third).code!), 200)
      })
    })

    it('a request that expired: a clear page, and nothing reaches the application', async () => {
      await visit({ javaScriptEnabled }, async (page) => {
        await page.goto(authorizeUrl())
        await signIn(page, administrator)
        await untilAsked(page)
        const before = callbacks
        service.clock.forward(15 * 60)
        await page.getByRole('button', { name: connect }).click()
        await page.getByText(/request has expired/).waitFor()
        assert.equal(new URL(page.url()).host, portal)
        assert.equal(callbacks, before)
      })
    })

    it('an application disabled while the screen is open: a clear page, no code', async () => {
      await visit({ javaScriptEnabled }, async (page) => {
        await page.goto(authorizeUrl())
        await signIn(page, administrator)
        await untilAsked(page)
        const before = callbacks
        await service.operator('PATCH', `/applications/${client.client_id}`, { enabled: false })
        await page.getByRole('button', { name: connect }).click()
        await page.getByText('invalid_client').waitFor()
        assert.equal(new URL(page.url()).host, portal)
        assert.equal(callbacks, before)
        await service.operator('PATCH', `/applications/${client.client_id}`, { enabled: true })
      })
    })

    it('signed out in another tab: sign in again, then decide', async () => {
      await visit({ javaScriptEnabled }, async (page, context) => {
        await page.goto(authorizeUrl())
        await signIn(page, administrator)
        await untilAsked(page)
        const second = await context.newPage()
        await second.goto(`http://${portal}/sign-out`)
        await second.getByRole('button', { name: 'Sign out' }).click()
        await second.getByText('You are signed out.').waitFor()
        await page.getByRole('button', { name: connect }).click()
        await signIn(page, administrator)
        await untilAsked(page)
        await page.getByRole('button', { name: connect }).click()
        await page.waitForURL(`${redirect_uri}?**`)
        assert.ok(arrival(page).code)
      })
    })

    it('another account: the screen is for the person who signs in', async () => {
      await visit({ javaScriptEnabled }, async (page) => {
        await page.goto(authorizeUrl())
        await signIn(page, administrator)
        await page.getByRole('link', { name: 'Use another account' }).click()
        await signIn(page, zoe)
        await page.getByText(`Signed in as ${zoe.email}`).waitFor()
      })
    })

    it('with the keyboard alone', async () => {
      await visit({ javaScriptEnabled }, async (page) => {
        await page.goto(authorizeUrl({ login_hint: administrator.email }))
        await page.locator('input[name=password]:focus').waitFor()
        await page.keyboard.type(password)
        await page.keyboard.press('Enter')
        await untilAsked(page)
        await page.keyboard.press('Tab')
        await page.keyboard.press('Tab')
        await page.keyboard.press('Enter')
        await page.waitForURL(`${redirect_uri}?**`)
        assert.ok(arrival(page).code)
      })
    })
  })
}

describe('a foreign page', () => {
  it('cannot frame the consent screen, nor submit it', async () => {
    await visit({}, async (page, context) => {
      await page.goto(authorizeUrl())
      await signIn(page, administrator)
      await untilAsked(page)
      const consent = page.url()
      const evil = await context.newPage()
      await evil.goto(redirect_uri)
      const refused = evil.waitForEvent('console', {
        predicate: (message) => /frame-ancestors|X-Frame-Options/.test(message.text()),
      })
      await evil.setContent(`<iframe src="${consent}"></iframe>`)
      await refused
      assert.equal(await evil.frameLocator('iframe').getByText('Connect Fleet Monitor').count(), 0)
      const request = new URL(consent).searchParams.get('request')
      await evil.goto(redirect_uri)
      await evil.setContent(`<form method="post" action="http://${portal}/consent">
        <input name="request" value="${request}"><input name="customer_id" value="${acme.id}">
        <input name="decision" value="approve"><button>Win a prize</button></form>`)
      await evil.getByRole('button').click()
      await evil.waitForURL(`http://${portal}/consent`)
      assert.match(await evil.content(), /foreign_origin|Sign in/)
    })
  })
})

describe('every page in light and dark, wide and narrow', () => {
  const options = { deviceScaleFactor: pictures ? 2 : 1 }
  const widths = { wide: { width: 1100, height: 800 }, phone: { width: 360, height: 740 } }

  it('axe finds nothing, and nothing is wider than the screen', async () => {
    await visit(options, async (page) => {
      await page.goto(authorizeUrl())
      await inspect(page, 'sign-in', 'to Northwind Sensors')
      await signIn(page, { ...mary, password: 'wrong' })
      await inspect(page, 'sign-in-wrong', 'This email and password do not match')
      await signIn(page, zoe)
      await inspect(page, 'consent-several', `Signed in as ${zoe.email}`)
      await page.getByRole('link', { name: 'Use another account' }).click()
      await inspect(page, 'sign-in-again', 'To continue, confirm your identity')
      await signIn(page, administrator)
      await inspect(page, 'consent-one', `Signed in as ${administrator.email}`)
      service.clock.forward(1)
      await page.goto(authorizeUrl({ prompt: 'select_account' }))
      await inspect(page, 'choose-account', 'Which account?')
      await page.goto(authorizeUrl({ redirect_uri: 'https://evil.example/' }))
      await inspect(page, 'error-page', 'invalid_request')
      await page.goto(`http://${portal}/consent?request=gone`)
      await inspect(page, 'gone', 'This request is no longer open')
      await inspectWayBack(page)
      await page.goto(`http://${portal}/account`)
      await inspect(page, 'account', 'Your account')
      await page.goto(`http://${portal}/sign-out`)
      await inspect(page, 'sign-out', 'Sign out?')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await inspect(page, 'signed-out', 'You are signed out.')
    })
    await visit(options, async (page) => {
      await service.sql`delete from approvals`
      await page.goto(authorizeUrl())
      await signIn(page, mary)
      await inspect(page, 'nothing-to-choose', 'You cannot connect Fleet Monitor yet')
      assert.equal(await page.getByRole('button').count(), 0)
    })
    await visit(options, async (page) => {
      const invitation = { email: 'nia@acme.example', role: 'member' }
      await page.goto(await linkFor('/invitations', invitation))
      await inspect(page, 'invitation', 'Acme Hotels')
      const [person] = await service.sql`select id from users where email = ${mary.email}`
      await page.goto(await linkFor(`/users/${person!.id}/password-reset`))
      await inspect(page, 'reset', mary.email)
    })
  })

  /** In all four looks, once the page shows this text; a colour scheme can change nothing but colours. */
  async function inspect(page: Page, name: string, text: string): Promise<void> {
    await page.getByText(text).first().waitFor()
    for (const [width, viewport] of Object.entries(widths)) {
      await page.setViewportSize(viewport)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const look = `${name}-${width}-${colorScheme}`
        if (pictures) await page.screenshot({ path: join(pictures, `${look}.png`), fullPage: true })
        assert.deepEqual(await violationsOf(page, colorScheme === 'dark' ? ['color-contrast'] : undefined), [], look)
      }
      const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
      assert.ok(Number(overflow) <= 0, `${name} is ${overflow} px too wide: ${width}`)
    }
  }

  /** What is left on the screen when the application does not open, and what the back button shows after it. */
  async function inspectWayBack(page: Page): Promise<void> {
    await page.route(`${redirect_uri}?**`, (route) => route.fulfill({ status: 204 }))
    await page.goto(authorizeUrl())
    const consentUrl = page.url()
    await page.getByRole('button', { name: connect }).click()
    await inspect(page, 'returning', 'Returning to Fleet Monitor')
    await page.unroute(`${redirect_uri}?**`)
    await page.goto(consentUrl)
    await inspect(page, 'decided', 'You have already decided')
    await page.goto(authorizeUrl({ prompt: 'login' }))
    await service.sql`
      update authorization_requests set login_hint = ${mary.email}, hinted_user_id = u.id
      from users u where u.email = ${mary.email} and decided_at is null`
    await signIn(page, administrator)
    await inspect(page, 'wrong-person', 'Another account is needed')
  }

  async function linkFor(path: string, payload?: object): Promise<string> {
    const headers = await sessionHeaders(service, administrator)
    const url = `/core/v1/organization${path}`
    const response = await service.app.inject({ method: 'POST', url, headers, ...(payload ? { payload } : {}) })
    return response.json().link
  }
})
