// Decisions 6.15 and 10.3 in a real browser: whatever the application's callback does, the person gets back to it.
import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Route } from 'playwright-core'
import { it } from './support/browser/browser.ts'
import { arrival, connect, signIn, startConsentWorld, startSite, untilAsked } from './support/consent-world.ts'

/** The callback leads on to a second origin, that one to a third, and only there is a page. */
const lastPort = await startSite((_request, response) => {
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>Fleet Monitor</title><p>Connected.</p>')
})
const secondPort = await startSite((request, response) => {
  response.writeHead(302, { location: `http://fleet.localhost:${lastPort}${request.url}` }).end()
})

/** In a popup the callback reports to the window that opened it, and closes itself. */
const popupPage = `<!doctype html><title>Callback</title><script>
opener.postMessage(location.search, '*')
window.close()
</script>`
const openerPage = `<!doctype html><title>Fleet Monitor</title><button>Connect</button><p id="reported"></p><script>
addEventListener('message', ({ data }) => { reported.textContent = data })
document.querySelector('button').onclick = () => { popup = open(decodeURIComponent(location.hash.slice(1)), 'connect', 'popup') }
</script>`

const world = await startConsentWorld((request, response) => {
  const { pathname, search, searchParams } = new URL(request.url!, 'http://application')
  const page = (markup: string) => response.setHeader('content-type', 'text/html').end(markup)
  if (pathname === '/opener') return page(openerPage)
  if (searchParams.get('state') === 'popup') return page(popupPage)
  return response.writeHead(302, { location: `http://127.0.0.1:${secondPort}/next${search}` }).end()
})
const { application, administrator, portal, visit, authorizeUrl, exchange } = world
const last = `http://fleet.localhost:${lastPort}/next?**`

for (const javaScriptEnabled of [true, false]) {
  describe(`the way back, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () => {
    it('decision 10.3 connect: a callback that redirects over three origins is followed to its end, with a code that works', async () => {
      await visit({ javaScriptEnabled }, async (page) => {
        await page.goto(authorizeUrl())
        await signIn(page, administrator)
        await page.getByRole('button', { name: connect }).click()
        await page.waitForURL(last)
        await page.getByText('Connected.').waitFor()
        assert.equal(arrival(page).state, 'state/of the client&')
        assert.equal(await exchange(arrival(page).code!), 200)
      })
    })

    it('decision 10.3 decline: the same way, with access_denied', async () => {
      await visit({ javaScriptEnabled }, async (page) => {
        await page.goto(authorizeUrl())
        await signIn(page, administrator)
        await page.getByRole('button', { name: 'Decline' }).click()
        await page.waitForURL(last)
        assert.equal(arrival(page).error, 'access_denied')
      })
    })

    it('decision 6.15 a double click on Connect ends at the application, with a code that works', async () => {
      await visit({ javaScriptEnabled }, async (page) => {
        await page.goto(authorizeUrl())
        await signIn(page, administrator)
        await untilAsked(page)
        await page.getByRole('button', { name: connect }).dblclick({ noWaitAfter: true })
        await page.waitForURL(last)
        assert.equal(await exchange(arrival(page).code!), 200)
      })
    })

    it('decision 6.15 the response to the first click is lost: the second click redirects', async () => {
      await visit({ javaScriptEnabled }, async (page) => {
        await page.goto(authorizeUrl())
        await signIn(page, administrator)
        await untilAsked(page)
        const lostResponse = new Promise<number>((resolve) => {
          const dropResponse = async (route: Route) => {
            const response = await route.fetch({ maxRedirects: 0 })
            // The browser stays where it is.
            await route.fulfill({ status: 204 })
            resolve(response.status())
          }
          void page.route('**/consent', dropResponse, { times: 1 })
        })
        await page.getByRole('button', { name: connect }).click({ noWaitAfter: true })
        assert.equal(await lostResponse, 303, 'the service gave a code')
        await page.getByRole('button', { name: connect }).click()
        await page.waitForURL(last)
        assert.equal(await exchange(arrival(page).code!), 200)
      })
    })
  })
}

describe('decision 10.3 the consent page is not opened to other forms', () => {
  it('a form to another origin is blocked by its policy, also when it is the application’s own', async () => {
    await visit({}, async (page, context) => {
      await page.goto(authorizeUrl())
      await signIn(page, administrator)
      await untilAsked(page)
      const consent = page.url()
      for (const target of [`http://127.0.0.1:${secondPort}/steal`, `${application}/callback`]) {
        const tab = await context.newPage()
        await tab.goto(consent)
        const blocked = tab.waitForEvent('console', { predicate: (message) => /form-action/.test(message.text()) })
        // As markup that slipped through would do it: only the policy blocks it.
        await tab.evaluate(`(() => {
          const form = document.querySelector('form')
          form.action = ${JSON.stringify(target)}
          form.querySelector('button[value=approve]').click()
        })()`)
        await blocked
        assert.equal(tab.url(), consent)
        await tab.close()
      }
    })
  })

  it('a client that is not a browser gets a plain 303 to redirect_uri', async () => {
    const headers = { origin: `http://${portal}` }
    const credentials = { email: administrator.email, password: administrator.password, return_to: '/' }
    const signedIn = await fetch(`http://${portal}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: new URLSearchParams(credentials),
    })
    const cookie = signedIn.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    const sent = await fetch(authorizeUrl(), { redirect: 'manual' })
    const page = await fetch(sent.headers.get('location')!, { headers: { cookie } })
    const text = await page.text()
    const request = /name="request" value="([^"]+)"/.exec(text)![1]!
    const customer_id = /name="customer_id" value="([^"]+)"/.exec(text)![1]!
    const response = await fetch(`http://${portal}/consent`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...headers, cookie },
      body: new URLSearchParams({ request, customer_id, decision: 'approve' }),
    })
    assert.equal(response.status, 303)
    assert.match(response.headers.get('location')!, new RegExp(`^${world.redirect_uri}\\?code=lbc_`))
  })
})

describe('decision 10.3 a browser that sends no Sec-Fetch headers, as over plain http to a real host', () => {
  it('follows the same callback over three origins', async () => {
    const port = await startSite((request, response) => {
      for (const name of Object.keys(request.headers)) if (name.startsWith('sec-fetch')) delete request.headers[name]
      world.service.app.routing(request, response)
    })
    const portal_domain = `localhost:${port}`
    await world.service.operator('PATCH', `/partners/${world.partner.id}`, { portal_domain })
    await visit({}, async (page) => {
      await page.goto(authorizeUrl())
      assert.equal(new URL(page.url()).host, portal_domain)
      await signIn(page, administrator)
      await page.getByRole('button', { name: connect }).click()
      await page.waitForURL(last)
      assert.equal(await exchange(arrival(page).code!), 200)
    })
    await world.service.operator('PATCH', `/partners/${world.partner.id}`, { portal_domain: portal })
  })
})

describe('decision 10.3 connecting in a popup', () => {
  it('sign-in and consent stay connected to the window that opened them: the callback reports to it', async () => {
    await visit({}, async (page) => {
      await page.goto(`${application}/opener#${encodeURIComponent(authorizeUrl({ state: 'popup' }))}`)
      const opened = page.waitForEvent('popup')
      await page.getByRole('button', { name: connect }).click()
      const popup = await opened
      const stillOpen = async (where: string) => assert.equal(await page.evaluate('popup.closed'), false, where)
      await signIn(popup, { ...administrator, password: 'wrong' })
      await popup.getByText('do not match').waitFor()
      await stillOpen('sign-in')
      await signIn(popup, administrator)
      await untilAsked(popup)
      await stillOpen('consent')
      await popup.getByRole('button', { name: connect }).click()
      await page.getByText('code=').waitFor()
      const reported = new URLSearchParams((await page.textContent('#reported'))!)
      assert.equal(await exchange(reported.get('code')!), 200)
    })
  })

  it('a refusal in the popup does not look closed to the window that opened it', async () => {
    await visit({}, async (page) => {
      const refused = authorizeUrl({ redirect_uri: 'https://not.registered.example/' })
      await page.goto(`${application}/opener#${encodeURIComponent(refused)}`)
      const opened = page.waitForEvent('popup')
      await page.getByRole('button', { name: connect }).click()
      const popup = await opened
      await popup.getByText('invalid_request').waitFor()
      assert.equal(await page.evaluate('popup.closed'), false)
    })
  })
})
