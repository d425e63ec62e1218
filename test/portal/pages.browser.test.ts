import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { it } from '../support/browser/browser.ts'
import { startMailServer } from '../support/mail-server.ts'
import { axeViolations, createWorld } from '../support/portal-world.ts'
import { until } from '../support/until.ts'
import { bestPracticeViolations } from './best-practices.ts'
import { pagesOf, routes } from './pages.ts'

const mails = await startMailServer()
const world = await createWorld({ LANDBRIDGE_MAIL_URL: mails.url, LANDBRIDGE_MAIL_FROM: 'no-reply@example.com' })

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
        await follow(page, path)
        await ready(page)
        await until(async () => (await page.locator('[aria-busy=true]').count()) === 0, `${name} has loaded`)
        const tooWide = await pixelsTooWide(page)
        if (tooWide > 0) problems.push(`${name} is ${tooWide} px too wide`)
        const found = [
          ...(await tooSmall(page)),
          ...(await bestPracticeViolations(page)),
          ...(await axeViolations(page)),
        ]
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

/**
 * Navigates as a click would, so that the portal is loaded only once; another test loads every address. The page before
 * stays until the next one has come, and often has the same words: what counts is a heading that was not there.
 */
async function follow(page: Page, path: string): Promise<void> {
  const isAnother = new URL(path, page.url()).pathname !== new URL(page.url()).pathname
  await page.evaluate(`{
    for (const heading of document.querySelectorAll('h1')) heading.dataset.before = ''
    history.pushState(null, '', '${path}')
    dispatchEvent(new PopStateEvent('popstate'))
  }`)
  if (isAnother) await page.locator('h1:not([data-before])').waitFor()
}

/** A page that has just come may still move: what is too wide is asked once more. */
async function pixelsTooWide(page: Page): Promise<number> {
  const measure = async () => Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
  if ((await measure()) === 0) return 0
  await page.waitForTimeout(1_000)
  return await measure()
}

/** Buttons and fields that a finger would miss. */
async function tooSmall(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`[...document.querySelectorAll(
      '.mantine-Button-root, .mantine-ActionIcon-root, .mantine-Input-input, .mantine-NavLink-root')]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))
    .filter((element) => {
      const isCut = getComputedStyle(element).overflow !== 'visible'
      const touched = isCut ? 0 : parseFloat(getComputedStyle(element, '::after').height) || 0
      return Math.max(element.getBoundingClientRect().height, touched) < 40
    })
    .map((element) => 'too small: ' + element.outerHTML.slice(0, 120))`)
}

describe('how the portal is served', () => {
  it('decision 9.8: a first visit makes at most 12 requests until the page shows its data, and none of them twice', async () => {
    const { customer, partner } = world
    const starts = [
      { path: `/customer/${customer.id}`, shown: 'No device reports|Room 103', also: 'Ada Byron' },
      { path: `/partner/${partner.id}`, shown: 'Portal domain', also: 'Partner kit' },
      { path: '/operator', shown: 'Ready', also: 'Ada Byron' },
    ]
    for (const { path, shown, also } of starts) {
      await world.visit({ fresh: true }, async (page) => {
        // Inside the page: what it loads afterwards does not count.
        await page.addInitScript(`
          sessionStorage.setItem('landbridge.operator-key', ${JSON.stringify(world.operatorKey)})
          const look = () => requestAnimationFrame(() => {
            const text = document.querySelector('main')?.textContent ?? ''
            if (/${shown}/.test(text) && /${also}/.test(text))
              window.loadedUntilShown = performance.getEntriesByType('resource').map(({ name }) => name)
            else look()
          })
          look()`)
        const sent = new Set<string>()
        page.on('request', (request) => sent.add(request.url()))
        await page.goto(path)
        const loaded = () => page.evaluate<string[] | undefined>('window.loadedUntilShown')
        await until(async () => (await loaded()) !== undefined, `${path} shows its data`)
        // The page itself is one more.
        const requests = [path, ...(await loaded())!]
        assert.ok(requests.length >= 5 && requests.length <= 12, requests.join('\n'))
        // A first read that differs from the page's own is sent for nothing; the page's own repeat after seconds.
        const reads = [...sent].filter((address) => address.includes('/core/v1/'))
        assert.equal(new Set(reads.map((address) => address.split('?')[0])).size, reads.length, reads.join('\n'))
      })
    }
  })

  it('decision 8.26: a read that came before the main file is in the first picture; one that comes later has a placeholder until then', async () => {
    const path = `/customer/${world.customer.id}`
    const reads = ['session', 'info', 'audit-events', 'attention']
    const watch = `new MutationObserver(() => {
      if (document.querySelector('[aria-busy=true]')) window.placeholderSeen = true
    }).observe(document, { subtree: true, childList: true })`
    const placeholderSeen = (page: Page) => page.evaluate<boolean>('window.placeholderSeen === true')
    await world.visit({}, async (page) => {
      await page.addInitScript(watch)
      const arrived = reads.map((name) => page.waitForEvent('requestfinished', (one) => one.url().includes(`/${name}`)))
      await page.route('**/assets/index-*.js', async (route) => {
        await Promise.all(arrived)
        await route.continue()
      })
      await page.goto(path)
      await page.getByText('Recent activity').waitFor()
      await page.getByRole('main').getByText('Ada Byron').first().waitFor()
      assert.equal(await placeholderSeen(page), false)
    })
    await world.visit({}, async (page) => {
      await page.addInitScript(watch)
      const { promise, resolve } = Promise.withResolvers<void>()
      await page.route('**/core/v1/organization/info', async (route) => {
        await promise
        await route.continue()
      })
      await page.goto(path)
      await until(() => placeholderSeen(page), 'the page shows that it is loading')
      resolve()
      await page.getByRole('heading', { name: world.customer.name, level: 1 }).waitFor()
    })
  })

  test('decision 9.8: the page names its files, each exists compressed and immutable, and the icon of every page exists', async () => {
    const html = await (await fetch(world.url)).text()
    const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, address]) => address!)
    assert.equal(files.length, 3, files.join(' '))
    let bytes = 0
    for (const address of files) {
      const response = await fetch(world.url + address, { headers: { 'accept-encoding': 'br' } })
      assert.equal(response.status, 200, address)
      assert.equal(response.headers.get('content-encoding'), 'br', address)
      assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      bytes += Number(response.headers.get('content-length'))
    }
    // Every 10 kB are 50 ms on a line of 1.6 Mbit/s; the menus and dialogs of the library would be 40 kB.
    assert.ok(bytes > 50_000 && bytes < 140_000, `${bytes} bytes before the first picture`)
    assert.match(html, /<script type="module" async [^>]*src="\/assets\/first-/, 'it does not wait for the main file')
    for (const path of ['/', '/sign-in', '/docs']) {
      const page = await fetch(world.url + path, { headers: { accept: 'text/html' } })
      const icon = /<link rel="icon"[^>]* href="([^"]+)"/.exec(await page.text())?.[1]
      assert.ok(icon, `${path} has an icon`)
      assert.equal((await fetch(world.url + icon)).headers.get('content-type'), 'image/svg+xml')
    }
    assert.equal((await fetch(`${world.url}/favicon.ico`)).status, 200)
  })

  test('the stylesheets have every component of the library that the scripts use', async () => {
    const folder = new URL('../../portal/dist/assets/', import.meta.url)
    const textOf = async (ending: string) => {
      const names = (await readdir(folder)).filter((name) => name.endsWith(ending))
      return (await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')))).join('')
    }
    const classesIn = (text: string) => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g))
    const { resolve } = createRequire(new URL('../../portal/package.json', import.meta.url))
    const styled = classesIn(await readFile(resolve('@mantine/core/styles.css'), 'utf8'))
    const sent = classesIn(await textOf('.css'))
    const used = [...classesIn(await textOf('.js'))].filter((name) => styled.has(name))
    assert.ok(used.length > 100, 'they are found at all')
    assert.deepEqual(
      used.filter((name) => !sent.has(name)),
      [],
      'import the stylesheet of the new component in portal/src/more-styles.css',
    )
  })

  it('decision 9.9: the chosen scheme is in the page before any script runs, and kept on the pages beside the portal', async () => {
    await world.visit({ colorScheme: 'light' }, async (page) => {
      await page.goto(`/customer/${world.customer.id}`)
      await page.getByRole('button', { name: 'Dark mode' }).click()
      await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
      const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
      const chosen = await background()
      await page.goto('/account')
      assert.equal(await background(), 'rgb(18, 21, 23)')
      // Without its scripts, the portal is already dark.
      await page.route('**/assets/*.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
      await page.goto(`/customer/${world.customer.id}`)
      assert.equal(await background(), chosen)
    })
  })

  it('the first page is interactive with at most 150 KiB of compressed JavaScript', async () => {
    await world.visit({ fresh: true }, async (page) => {
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
      assert.ok(bytes <= 150 * 1024, `${Math.round(bytes / 1024)} KiB`)
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

  it('decision 10.2: in /docs an operation is found by its words, read, and tried', async () => {
    await world.visit({}, async (page) => {
      await page.goto('/docs')
      const search = page.getByRole('textbox', { name: 'Search operations' })
      await search.fill('supervisor process')
      await page.locator('#operations-tag-devices').waitFor({ state: 'detached' })
      await page.locator('.opblock-summary-control').first().click()
      await page.getByRole('button', { name: 'Try it out' }).click()
      await page.getByRole('button', { name: 'Execute' }).click()
      await page.locator('.live-responses-table').getByText('"alive"').waitFor()

      await search.fill('spaces.create')
      await page.locator('.opblock-summary-control', { hasText: 'Create a space' }).click()
      const samples = page.getByRole('region', { name: 'Code samples' })
      await samples.getByText("curl -X POST 'http").waitFor()
      await samples.getByRole('button', { name: '@landbridge/client' }).click()
      await samples.getByText('organization.spaces.create(').waitFor()
      await samples.getByRole('button', { name: 'Python' }).click()
      await samples.getByText('requests.post(').waitFor()
      await page.getByText('Schema', { exact: true }).first().click()
      // A field of the named schema, marked as required.
      await page.locator('.json-schema-2020-12-property--required', { hasText: 'name' }).first().waitFor()
      await page.getByText('NewSpace', { exact: true }).first().waitFor()
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
