// A partner's application: connects an organization and shows its people and devices, live.
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { AccessDenied, Application, connectHandlers, ReconnectRequired } from '@landbridge/client'
import { fileTokenStore } from '@landbridge/client/file'
import { expressHandler } from '@landbridge/client/node'
import { applicationSettings } from '../lab.js'
import { connectedPage, errorPage, page, welcomePage } from './pages.js'
import { Sessions } from './sessions.js'

const settings = await applicationSettings()
const folder = process.env.APP_DATA || join(import.meta.dirname, 'data')
const { cookieSecret, tokenKey } = await readSecrets()
const store = fileTokenStore({ folder: join(folder, 'tokens'), key: tokenKey })
const sessions = new Sessions(settings.redirectUri.startsWith('https:'))

/** The kit, reporting each of its requests to the panel of this session alone: another customer's are none of its business. */
function applicationOf(session) {
  return new Application({ ...settings, store, log: (attempt) => session.tell({ type: 'wire', ...attempt }) })
}

function handlersOf(session) {
  return connectHandlers({
    application: applicationOf(session),
    cookieSecret,
    onConnected({ org_id, claims }) {
      session.connect(org_id, claims?.name ?? claims?.email ?? 'Someone')
      return '/'
    },
    onFailed: (error) =>
      error instanceof AccessDenied
        ? errorPage(403, 'Not connected', 'You declined. Nothing was shared.')
        : errorPage(400, 'Not connected', error.message),
  })
}

const connect = async (request) => {
  // The same for all tabs of a browser: one that connects does not sign out another.
  const session = sessions.of(request.headers.get('cookie')) ?? sessions.create()
  return sessions.withCookie(await handlersOf(session).connect(request), session)
}

const callback = async (request) => {
  const session = sessions.of(request.headers.get('cookie'))
  if (!session) return errorPage(400, 'Not connected', 'This link is no longer valid. Start connecting again.')
  const response = await handlersOf(session).callback(request)
  // A new id for the session that is worth stealing now. A callback that was discarded changes nothing.
  return response.status === 303 ? sessions.withCookie(response, sessions.renew(session)) : response
}

const home = async (request) => {
  const session = sessions.of(request.headers.get('cookie'))
  if (!session?.orgId) return page(welcomePage({ session, service: settings.url }))
  const organization = applicationOf(session).organization(session.orgId)
  try {
    const [info, users, listed] = await Promise.all([
      organization.info.get(),
      organization.users.list().first(8),
      organization.devices.list().first(12),
    ])
    const devices = await Promise.all(listed.map(({ id }) => organization.devices.get(id)))
    return page(connectedPage({ session, info, users, devices, service: settings.url }))
  } catch (error) {
    if (!(error instanceof ReconnectRequired)) throw error
    // The customer revoked the application, or somebody disconnected it elsewhere. The kit has deleted the tokens.
    session.end()
    return page(welcomePage({ session, service: settings.url }))
  }
}

const disconnect = async (request) => {
  const session = sessions.of(request.headers.get('cookie'))
  const form = new URLSearchParams(await request.text())
  // Only from a form of ours: another site could submit one, but does not know the token.
  if (!session?.orgId || !session.isOwnForm(form)) return errorPage(403, 'Not done', 'Reload the page and try again.')
  await applicationOf(session).organization(session.orgId).disconnect()
  session.end()
  return new Response(null, { status: 303, headers: { location: '/' } })
}

/** Server-sent events for the page: what devices report and what the kit does for it. */
function stream(request, response) {
  const session = sessions.of(request.headers.cookie ?? null)
  if (!session?.orgId) return void response.writeHead(401).end()
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  const write = (event) => void response.write(`data: ${JSON.stringify(event)}\n\n`)
  const unsubscribe = session.subscribe(write)
  const closed = new AbortController()
  response.once('close', () => {
    closed.abort()
    unsubscribe()
  })
  const { devices } = applicationOf(session).organization(session.orgId)
  const follow = async () => {
    try {
      for await (const event of devices.stream({}, { signal: closed.signal })) write(event)
    } catch (error) {
      if (error instanceof ReconnectRequired) {
        session.end()
        write({ type: 'ended' })
      }
    }
    // After anything else the page opens it again by itself.
    response.end()
  }
  void follow()
}

const routes = {
  'GET /': home,
  'GET /connect': connect,
  [`GET ${new URL(settings.redirectUri).pathname}`]: callback,
  'POST /disconnect': disconnect,
}
const files = { '/app.css': 'text/css', '/app.js': 'text/javascript' }

const server = createServer((request, response) => {
  const path = request.url.split('?')[0]
  const type = files[path]
  if (request.method === 'GET' && type) {
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'x-content-type-options': 'nosniff' })
    return void createReadStream(join(import.meta.dirname, path)).pipe(response)
  }
  if (request.method === 'GET' && path === '/events') return stream(request, response)
  const handler =
    routes[`${request.method} ${path}`] ?? (async () => errorPage(404, 'Not found', 'There is no such page.'))
  const guarded = (input) =>
    handler(input).catch((error) => {
      console.error(error)
      return errorPage(502, 'Something went wrong', 'The service could not be reached. Try again in a moment.')
    })
  return expressHandler(guarded)(request, response)
})

const { hostname, port, origin } = new URL(settings.redirectUri)
server.once('error', (error) => {
  console.error(error.code === 'EADDRINUSE' ? `Something else listens on port ${port}.` : error.message)
  process.exit(1)
})
// Only this machine can reach it: it speaks plain HTTP.
server.listen(Number(port || 80), hostname === 'localhost' ? 'localhost' : '127.0.0.1', () => {
  console.log(`Open ${origin}`)
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(0))

/** Made at the first start. In production they come from your secret manager. */
async function readSecrets() {
  const file = join(folder, 'secrets.json')
  const stored = await readFile(file, 'utf8').catch(() => null)
  if (stored !== null) return JSON.parse(stored)
  const random = () => randomBytes(32).toString('base64')
  const secrets = { cookieSecret: random(), tokenKey: random() }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(file, JSON.stringify(secrets), { mode: 0o600, flag: 'wx' })
  return secrets
}
