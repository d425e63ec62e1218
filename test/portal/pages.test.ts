import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { it } from '../support/browser/browser.ts'
import { axeViolations, createWorld } from '../support/portal-world.ts'
import { until } from '../support/until.ts'
import { bestPracticeViolations } from './best-practices.ts'
import { pagesOf, routes } from './pages.ts'

const world = await createWorld()

describe('every page of the three portals', () => {
  test('is in the list of the next test', async () => {
    const paths = pagesOf(world).map(({ path }) => path.split('?')[0]!)
    const wanted = await routes()
    assert.ok(wanted.length > 30, 'the router was parsed')
    const missing = wanted.filter((route) => {
      const pattern = new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`)
      return !paths.some((path) => pattern.test(path))
    })
    assert.deepEqual(missing, [])
  })

  it('on a phone, in light and dark: fits the width, follows its policy and best practices, and axe finds nothing but minor issues', async () => {
    await world.visit({ viewport: { width: 390, height: 844 }, colorScheme: 'light' }, async (page) => {
      await page.goto('/operator')
      await page.evaluate((key) => sessionStorage.setItem('landbridge.operator-key', key), world.operatorKey)
      await page.reload()
      const problems: string[] = []
      for (const { name, path, ready } of pagesOf(world)) {
        // Navigates as a click would, so that the portal is loaded only once; another test loads every address.
        await page.evaluate(`history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`)
        await ready(page)
        await until(async () => (await page.locator('[aria-busy=true]').count()) === 0, `${name} has loaded`)
        const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        if (Number(tooWide) > 0) problems.push(`${name} is ${tooWide} px too wide`)
        const found = [...(await bestPracticeViolations(page)), ...(await axeViolations(page))]
        problems.push(...found.map((problem) => `${name}: ${problem}`))
        await page.emulateMedia({ colorScheme: 'dark' })
        await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
        problems.push(...(await axeViolations(page, 'colours')).map((problem) => `${name}, dark: ${problem}`))
        await page.emulateMedia({ colorScheme: 'light' })
        await page.locator('html[data-mantine-color-scheme=light]').waitFor()
      }
      assert.deepEqual(problems, [])
    })
  })
})

describe('how the portal is served', () => {
  it('the first page is interactive with at most 250 KiB of compressed JavaScript', async () => {
    await world.visit({}, async (page) => {
      const scripts: Promise<number>[] = []
      page.on('requestfinished', (request) => {
        if (request.resourceType() !== 'script') return
        // A script cut off by the end of the visit does not belong to the first page.
        const size = request.sizes().then(
          ({ responseBodySize }) => responseBodySize,
          () => 0,
        )
        scripts.push(size)
      })
      await page.goto(`/customer/${world.customer.id}`)
      await page.getByText('Recent activity').waitFor()
      await page.getByRole('link', { name: 'Devices', exact: true }).waitFor()
      const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0)
      assert.ok(bytes > 50 * 1024, `${bytes} bytes: is it measured at all?`)
      assert.ok(bytes <= 250 * 1024, `${Math.round(bytes / 1024)} KiB`)
    })
  })

  test("decision 10.2: the page has a strict policy with a nonce per response and without 'unsafe-inline'; its files are immutable", async () => {
    const get = (path: string, headers: Record<string, string> = {}) => fetch(`${world.url}${path}`, { headers })
    const [one, two] = [await get('/'), await get('/customer/devices')]
    const nonceOf = (response: Response) =>
      /'nonce-([^']+)'/.exec(response.headers.get('content-security-policy')!)?.[1]
    assert.notEqual(nonceOf(one), nonceOf(two))
    const policy = one.headers.get('content-security-policy')!
    assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval/)
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.equal(one.headers.get('cache-control'), 'no-store')
    const html = await one.text()
    assert.doesNotMatch(html, /__NONCE__|<!--brand-->/)
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(html)![1]!
    const asset = await get(script, { 'accept-encoding': 'br' })
    assert.match(asset.headers.get('cache-control')!, /immutable/)
    assert.equal(asset.headers.get('content-encoding'), 'br')
  })

  test('decision 10.2: every page of the portal, and the pages beside it, have a strict policy', async () => {
    const otherPages = ['/', '/sign-in', '/sign-out', '/account', '/consent?request=gone', '/link/gone', '/docs']
    const problems: string[] = []
    for (const path of [...pagesOf(world).map((page) => page.path), ...otherPages]) {
      const response = await fetch(world.url + path, { headers: { accept: 'text/html' }, redirect: 'manual' })
      // Without a session, it redirects to sign-in.
      if (response.status === 303) continue
      const policy = response.headers.get('content-security-policy') ?? ''
      if (!/default-src 'none'/.test(policy) || /unsafe-(inline|eval)/.test(policy)) problems.push(`${path}: ${policy}`)
      if (response.headers.get('x-content-type-options') !== 'nosniff') problems.push(`${path}: no nosniff`)
      if (!response.headers.has('referrer-policy')) problems.push(`${path}: no referrer-policy`)
    }
    assert.deepEqual(problems, [])
  })

  it('decision 10.2: in /docs an operation is found, opened and tried', async () => {
    await world.visit({}, async (page) => {
      await page.goto('/docs')
      await page.getByPlaceholder('Filter by tag or path').fill('healthz')
      await page.locator('#operations-tag-devices').waitFor({ state: 'detached' })
      await page.locator('#operations-tag-health').click()
      await page.locator('.opblock-summary-control').first().click()
      await page.getByRole('button', { name: 'Try it out' }).click()
      await page.getByRole('button', { name: 'Execute' }).click()
      await page.locator('.live-responses-table').getByText('"alive"').waitFor()
    })
  })

  it('an unknown address shows a browser a page with a way on', async () => {
    await world.visit({}, async (page) => {
      const response = await page.goto('/no/such/place')
      assert.equal(response!.status(), 404)
      await page.getByRole('heading', { name: 'Page not found' }).waitFor()
      assert.deepEqual(await axeViolations(page), [])
      await page.getByRole('link', { name: 'Go to the start page' }).click()
      await page.waitForURL((url) => url.pathname !== '/no/such/place')
    })
  })

  test('a deep link is a page for a browser and a 404 for other clients; APIs keep their own 404', async () => {
    const json = await fetch(`${world.url}/customer/x`, { headers: { accept: 'application/json' } })
    assert.equal(json.status, 404)
    for (const path of ['/core/v1/nothing', '/oauth/nothing', '/v1/nothing', '/assets/nothing.js']) {
      const response = await fetch(`${world.url}${path}`, { headers: { accept: 'text/html' } })
      assert.equal(response.status, 404, path)
      assert.doesNotMatch(await response.text(), /id="portal"/, path)
    }
  })

  it("the portal has the partner's name and accent colour on its domain", async () => {
    await world.sql`update partners set accent_color = '#7a3cff' where id = ${world.partner.id}`
    await world.visit({}, async (page) => {
      await page.goto(`/customer/${world.customer.id}`)
      await page.getByRole('link', { name: 'Northwind Controls: home' }).waitFor()
      const accent = await page.evaluate<string>(
        "getComputedStyle(document.documentElement).getPropertyValue('--accent')",
      )
      assert.match(accent.trim(), /^#[0-9a-f]{6}$/)
    })
  })
})
