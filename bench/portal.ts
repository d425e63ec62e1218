// `npm run bench:portal`: the first and the second visit of each portal in a real browser, with and without a slow line
// and processor. Exits non-zero when a first visit makes too many requests or shows its data too late.
import type { Browser, BrowserContext, CDPSession } from 'playwright-core'
import { startBrowser } from '../test/support/browser/browser.ts'
import { findBrowser, howToGetOne } from '../test/support/browser/find.ts'
import { fillScene, type Scene } from '../test/support/portal-scene.ts'
import { median, operatorKey, startBenchPostgres, startService } from './environment.ts'
import { type Row, runAlone } from './table.ts'

interface Conditions {
  name: string
  /** `shows` must be below. */
  barSeconds: number
  /** Bits per second, and milliseconds until the first byte of each response. */
  network: { rate: number; latency: number } | null
  processorSlowdown: number
}

/** The slow one is Lighthouse's slow 4G: 1.6 Mbit/s down, 0.75 Mbit/s up, 150 ms, and a processor four times slower. */
const conditions: Conditions[] = [
  { name: 'unthrottled', barSeconds: 1.2, network: null, processorSlowdown: 1 },
  {
    name: '1.6 Mbit/s, 150 ms, CPU ÷ 4',
    barSeconds: 2.5,
    network: { rate: 1.6e6, latency: 150 },
    processorSlowdown: 4,
  },
]
const upstreamRate = 0.75e6
const maxRequests = 12

interface StartPage {
  name: string
  path: string
  /** An expression of the page: whether its own data is there, and nothing is loading any more. */
  shows: string
}

interface Visit {
  requests: number
  kilobytes: number
  firstPaint: number
  shows: number
}

interface Visits {
  page: StartPage
  conditions: Conditions
  first: Visit[]
  second: Visit[]
}

export async function measure(quick: boolean): Promise<Row[]> {
  if (findBrowser() === 'none') {
    console.log(`The portal is not measured. ${howToGetOne}`)
    return []
  }
  const postgres = await startBenchPostgres()
  const service = await startService(await postgres.createDatabase())
  const browser = await startBrowser()
  try {
    const scene = await fillScene(service.url, operatorKey)
    await setAccent(scene)
    const all: Visits[] = pagesOf(scene).flatMap((page) =>
      conditions.map((one) => ({ page, conditions: one, first: [], second: [] })),
    )
    // Round by round, so that a machine whose speed changes is as fast for every row.
    for (let round = -1; round < (quick ? 1 : 9); round += 1) {
      for (const visits of all) {
        // A slow line warms nothing up, and takes most of the time.
        if (visits.conditions.network && round < 0) continue
        const { first, second } = await visitTwice(browser, scene, visits)
        // The first round warms the service up.
        if (round < 0) continue
        visits.first.push(first)
        visits.second.push(second)
      }
    }
    return all.flatMap(rowsOf)
  } finally {
    await browser.close()
    await service.stop()
    await postgres.stop()
  }
}

function pagesOf({ customer, partner }: Scene): StartPage[] {
  const text = "document.querySelector('main')?.textContent ?? ''"
  return [
    {
      name: "customer's overview",
      path: `/customer/${customer.id}`,
      shows: `/No device reports|Room 103/.test(${text}) && /Ada Byron/.test(${text})`,
    },
    {
      name: "partner's start page",
      path: `/partner/${partner.id}`,
      shows: `/Portal domain/.test(${text}) && /Accent colour/.test(${text})`,
    },
    {
      name: "operator's overview",
      path: '/operator',
      shows: `/Ready/.test(${text}) && /Ada Byron/.test(${text})`,
    },
  ]
}

/** A portal of its own colour: one stylesheet more. */
async function setAccent({ admin, partner }: Scene): Promise<void> {
  const headers = { 'landbridge-partner': partner.id }
  await admin.call('PATCH', '/core/v1/partner/info', { accent_color: '#7a3cff' }, headers)
}

/** With an empty cache, then with what the first visit left in it. */
async function visitTwice(browser: Browser, scene: Scene, visits: Visits): Promise<{ first: Visit; second: Visit }> {
  const context = await browser.newContext({ baseURL: scene.url, viewport: { width: 1280, height: 860 } })
  try {
    const pairs = scene.admin.cookie.split('; ').map((pair) => pair.split('='))
    await context.addCookies(pairs.map(([name, value]) => ({ name: name!, value: value!, url: scene.url })))
    return { first: await visit(context, visits), second: await visit(context, visits) }
  } finally {
    await context.close()
  }
}

async function visit(context: BrowserContext, { page: { path, shows }, conditions }: Visits): Promise<Visit> {
  const page = await context.newPage()
  try {
    const session = await context.newCDPSession(page)
    await page.addInitScript(`
      sessionStorage.setItem('landbridge.operator-key', ${JSON.stringify(operatorKey)})
      const look = () => requestAnimationFrame(() => {
        if (document.querySelector('main') && !document.querySelector('[aria-busy=true]') && ${shows})
          reportShown(performance.now())
        else look()
      })
      look()`)
    await throttle(session, conditions)
    const traffic = { requests: 0, bytes: 0 }
    session.on('Network.requestWillBeSent', () => (traffic.requests += 1))
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (traffic.bytes += encodedDataLength))
    const shown = Promise.withResolvers<Omit<Visit, 'firstPaint'>>()
    await page.exposeFunction('reportShown', (at: number) => {
      shown.resolve({ requests: traffic.requests, kilobytes: traffic.bytes / 1000, shows: at / 1000 })
    })
    await page.goto(path)
    const visit = await shown.promise
    // The entry follows its frame, which may be the one that shows the data.
    const firstPaint = `new Promise((resolve) => new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime / 1000)
    }).observe({ type: 'paint', buffered: true }))`
    return { ...visit, firstPaint: await page.evaluate<number>(firstPaint) }
  } finally {
    await page.close()
  }
}

async function throttle(session: CDPSession, { network, processorSlowdown }: Conditions): Promise<void> {
  await session.send('Network.enable')
  await session.send('Emulation.setCPUThrottlingRate', { rate: processorSlowdown })
  if (!network) return
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: network.latency,
    downloadThroughput: network.rate / 8,
    uploadThroughput: upstreamRate / 8,
  })
}

function rowsOf({ page, conditions: { name, barSeconds }, first, second }: Visits): Row[] {
  const row = (what: string, visits: Visit[], bar: number | null): Row => {
    const of = (key: keyof Visit) => visits.map((visit) => visit[key])
    const shows = median(of('shows'))
    return {
      what: `${page.name}, ${what}, ${name}`,
      ours: `${shows.toFixed(2)} s (first paint ${median(of('firstPaint')).toFixed(2)} s, ${median(of('requests'))} requests, ${median(of('kilobytes')).toFixed(0)} kB)`,
      peer: bar === null ? '–' : `limit: ${bar} s`,
      ratio: bar === null ? null : shows / bar,
      bar: bar === null ? null : 1,
      better: 'lower',
      spread: `${Math.min(...of('shows')).toFixed(2)}–${Math.max(...of('shows')).toFixed(2)} s`,
    }
  }
  const requests = Math.max(...first.map((visit) => visit.requests))
  return [
    row('first visit', first, barSeconds),
    {
      what: `${page.name}, requests of a first visit, ${name}`,
      ours: String(requests),
      peer: `limit: ${maxRequests}`,
      ratio: requests / maxRequests,
      bar: 1,
      better: 'lower',
      spread: '–',
    },
    row('second visit', second, null),
  ]
}

if (import.meta.main) await runAlone(measure)
