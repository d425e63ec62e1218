// Connecting and webhooks as a partner's web server runs them: Express, Fastify, and plain requests as in Next.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { after, describe, it } from 'node:test'
import express from 'express'
import fastify from 'fastify'
import {
  Application,
  connectHandlers,
  type Handler,
  memoryTokenStore,
  type WebhookEvent,
  webhookHandler,
} from '../../client/src/index.ts'
import { expressHandler, fastifyHandler } from '../../client/src/node-handlers.ts'
import { signatureHeaders } from '../../server/src/events/webhooks/signature.ts'
import { startKitService, submitConsent } from '../support/kit-service.ts'

const running = await startKitService()
const { url, application } = running
const store = memoryTokenStore()
const kit = new Application({
  url,
  clientId: application.client_id,
  clientSecret: application.client_secret,
  redirectUri: application.redirect_uri,
  store,
})
const secret = `whsec_${btoa('a secret of the tests, long enough')}`
const events: WebhookEvent[] = []
const { connect, callback } = connectHandlers({
  application: kit,
  cookieSecret: 'a secret of the tests, long enough',
  onConnected: ({ org_id }) => `/connected/${org_id}`,
})
const webhook = webhookHandler({
  secrets: secret,
  onEvent: (event) => {
    if (event.type === 'device.removed') throw new Error('not handled')
    events.push(event)
  },
})

/** One function per framework: sends a request into it. */
type Send = (path: string, init?: RequestInit) => Promise<Response>

function overNetwork(base: string): Send {
  return (path, init) => fetch(base + path, { redirect: 'manual', ...init })
}

async function inExpress(): Promise<Send> {
  const app = express()
  app.get('/connect', expressHandler(connect))
  app.get('/callback', expressHandler(callback))
  app.post('/webhook', expressHandler(webhook))
  app.post('/parsed', express.json(), expressHandler(webhook))
  app.use(((_error, _request, response, _next) => response.status(500).end()) as express.ErrorRequestHandler)
  const server: Server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return overNetwork(`http://127.0.0.1:${(server.address() as { port: number }).port}`)
}

async function inFastify(): Promise<Send> {
  const app = fastify()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.get('/connect', fastifyHandler(connect))
  app.get('/callback', fastifyHandler(callback))
  app.post('/webhook', fastifyHandler(webhook))
  after(() => app.close())
  return overNetwork(await app.listen({ host: '127.0.0.1', port: 0 }))
}

/** The route handlers of Next's app router, Deno and Bun are such functions. */
async function inNext(): Promise<Send> {
  const routes: Record<string, Handler> = { '/connect': connect, '/callback': callback, '/webhook': webhook }
  return (path, init) => routes[path.split('?')[0]!]!(new Request(new URL(path, application.redirect_uri), init))
}

/** The cookies of a browser. */
class Jar {
  readonly #cookies = new Map<string, string>()

  get size(): number {
    return this.#cookies.size
  }

  headers(): RequestInit {
    return { headers: { cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; ') } }
  }

  take(response: Response): Response {
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!
      if (/Max-Age=0/.test(cookie)) this.#cookies.delete(name!)
      else this.#cookies.set(name!, value!)
    }
    return response
  }
}

const delivery = (type: string, at = new Date()) => {
  const body = JSON.stringify({ type, timestamp: at.toISOString(), data: { device_id: 'd' } })
  const headers = signatureHeaders({ id: 'e1', at, payload: body }, [secret])
  return { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
}

describe('partner kit: handlers', () => {
  for (const [framework, start] of Object.entries({ express: inExpress, fastify: inFastify, next: inNext })) {
    it(`${framework}: a person connects; a callback without their cookie, or with another's, does not`, async () => {
      const send = await start()
      const away = await send('/connect')
      assert.equal(away.status, 303)
      const cookie = away.headers.getSetCookie()[0]!.split(';')[0]!
      const { search } = new URL(await submitConsent(running, away.headers.get('location')!))
      assert.equal((await send(`/callback${search}`)).status, 400)
      const other = (await send('/connect')).headers.getSetCookie()[0]!.split(';')[0]!
      assert.equal((await send(`/callback${search}`, { headers: { cookie: other } })).status, 400)
      const forged = cookie.replace(/=./, (first) => (first === '=0' ? '=1' : '=0'))
      assert.equal((await send(`/callback${search}`, { headers: { cookie: forged } })).status, 400)
      const back = await send(`/callback${search}`, { headers: { cookie } })
      assert.deepEqual([back.status, back.headers.get('location')], [303, `/connected/${application.customer_id}`])
      assert.match(back.headers.getSetCookie()[0]!, /^__Host-landbridge_pending_[\w-]{43}=; Max-Age=0/)
      assert.ok(await store.read(application.customer_id))
      const declined = await send('/connect')
      const no = await submitConsent(running, declined.headers.get('location')!, 'decline')
      const headers = { cookie: declined.headers.getSetCookie()[0]!.split(';')[0]! }
      assert.equal((await send(`/callback${new URL(no).search}`, { headers })).status, 403)
    })

    it(`${framework}: a callback of anybody's making touches nothing, and two tabs both connect`, async () => {
      const send = await start()
      const jar = new Jar()
      const tabs = await Promise.all([1, 2].map(() => send('/connect', jar.headers()).then((away) => jar.take(away))))
      assert.equal(jar.size, 2)
      for (const stray of ['code=junk&state=junk', 'error=access_denied&state=junk', 'code=junk', 'state=%00;x=1']) {
        const response = await send(`/callback?${stray}`, jar.headers())
        assert.deepEqual([response.status, response.headers.getSetCookie()], [400, []], stray)
      }
      // The right state, and still not of this service.
      const { search: begun } = new URL(tabs[0]!.headers.get('location')!)
      const foreign = `state=${new URLSearchParams(begun).get('state')}&iss=https://evil.test&code=junk`
      assert.deepEqual((await send(`/callback?${foreign}`, jar.headers())).headers.getSetCookie(), [])
      for (const away of tabs) {
        const { search } = new URL(await submitConsent(running, away.headers.get('location')!))
        assert.equal(jar.take(await send(`/callback${search}`, jar.headers())).status, 303)
      }
      assert.equal(jar.size, 0)
    })

    it(`${framework}: a webhook with a right signature is handled, any other is not`, async () => {
      const send = await start()
      events.length = 0
      assert.equal((await send('/webhook', delivery('device.claimed'))).status, 204)
      assert.deepEqual(
        events.map(({ type }) => type),
        ['device.claimed'],
      )
      assert.equal((await send('/webhook', { ...delivery('device.claimed'), body: '{}' })).status, 401)
      assert.equal((await send('/webhook', delivery('device.removed'))).status, 500)
      assert.equal(events.length, 1)
    })
  }

  it('express: a body that was parsed before cannot be checked, and says so', async () => {
    const send = await inExpress()
    assert.equal((await send('/parsed', delivery('device.claimed'))).status, 500)
  })

  it('fastify: a handler that fails gets a response; express: a path never becomes the host', async () => {
    const app = fastify()
    app.get(
      '/fails',
      fastifyHandler(async () => assert.fail('a fault of the application')),
    )
    after(() => app.close())
    const base = await app.listen({ host: '127.0.0.1', port: 0 })
    assert.equal((await fetch(`${base}/fails`, { signal: AbortSignal.timeout(5_000) })).status, 500)

    const server = express()
      .use(expressHandler(async (request) => new Response(request.url)))
      .listen(0, '127.0.0.1')
    await once(server, 'listening')
    after(() => server.close())
    const origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`
    assert.equal(await (await fetch(`${origin}//evil.example/x?a=1?b`)).text(), `${origin}//evil.example/x?a=1?b`)
  })

  it('of many departures the newest eight are remembered, and none for longer than 15 minutes', async (t) => {
    const send = await inNext()
    const jar = new Jar()
    const departures: Response[] = []
    for (let n = 0; n < 12; n += 1) {
      departures.push(jar.take(await send('/connect', jar.headers())))
      assert.ok(jar.size <= 8)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    assert.equal(jar.size, 8)
    assert.ok(String((jar.headers().headers as { cookie: string }).cookie).length < 4_000)
    const pathOf = (away: Response) => {
      const state = new URL(away.headers.get('location')!).searchParams.get('state')
      return `/callback?state=${state}&error=access_denied&iss=${url}`
    }
    assert.equal((await send(pathOf(departures[3]!), jar.headers())).status, 400, 'the oldest are forgotten')
    assert.equal((await send(pathOf(departures[4]!), jar.headers())).status, 403)
    const kept = jar.headers()
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 901_000 })
    assert.equal((await send(pathOf(departures[11]!), kept)).status, 400, 'also where a browser would keep it')
    assert.equal(jar.take(await send('/connect', kept)).status, 303)
    assert.equal(jar.size, 1)
  })

  it('what is configured wrong is refused at the start', () => {
    const broken = { application: kit, cookieSecret: 'short', onConnected: () => '/' }
    assert.throws(() => connectHandlers(broken), /32 characters/)
    for (const secrets of ['whsec_not base64', ['whsec_'], [secret, '…']]) {
      assert.throws(() => webhookHandler({ secrets, onEvent: () => {} }), { code: 'invalid_secret' }, String(secrets))
    }
  })

  it('over https the cookie can only be set by the host itself', async () => {
    const application = new Application({ ...kit.options, redirectUri: 'https://partner.example/callback' })
    const cookieSecret = 'a secret of the tests, long enough'
    const secure = connectHandlers({ application, cookieSecret, onConnected: () => '/' })
    const away = await secure.connect(new Request('https://partner.example/connect'))
    assert.match(
      away.headers.getSetCookie()[0]!,
      /^__Host-landbridge_pending_[\w-]{43}=[\w-]+\.[\w-]{43}; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    )
  })
})
