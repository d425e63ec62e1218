// Prism as a validating proxy in front of the service: somebody else's reading of our OpenAPI document.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { Application, DeviceModel, memoryTokenStore } from '../../client/src/index.ts'
import { isId } from '../../server/src/platform/secrets/identifiers.ts'
import { type Document, type Operation, operationsOf, streams } from '../openapi/document.ts'
import { type FuzzRequest, poolOf, soundRequestOf } from '../openapi/requests.ts'
import { createTenant } from '../support/api-world.ts'
import { nextAddress, registerApplication } from '../support/applications.ts'
import { registration } from '../support/devices.ts'
import { freePort } from '../support/free-port.ts'
import { startHarness } from '../support/harness.ts'
import { submitConsent } from '../support/kit-service.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { until } from '../support/until.ts'

const folder = await mkdtemp(join(tmpdir(), 'landbridge-prism-'))
after(() => removeFolder(folder))
const installing = promisify(execFile)(
  'npm',
  ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '@stoplight/prism-cli@5.16.0'],
  { cwd: folder },
)
const service = await startHarness({ LANDBRIDGE_TRUST_PROXY: '127.0.0.1' })
const tenant = await createTenant(service)
// In the time of the harness, which its tokens and sessions have.
const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
await moveSessions()
/** For the journeys, which begin before the application is approved. */
const mine = await registerApplication(service)
await service.operator('PATCH', `/partners/${mine.partner_id}`, { portal_domain: new URL(url).host })
const running = { service, url, application: mine }
/** What the service calls itself. */
const issuer = service.context.addresses.publicUrl.replace(/\/$/, '')
const document = (await service.app.inject({ url: '/openapi.json' })).json<Document>()
/** A path that the service does not have, so that prism has something to find. */
const planted = { get: { responses: { 200: { description: 'Never.' } } } }
const given = { ...document, paths: { ...document.paths, '/planted': planted } }
await writeFile(join(folder, 'openapi.json'), JSON.stringify(given))
await installing
const proxy = await startPrism()

/** What prism cannot pass on. Each needs its reason. */
const notForPrism: Record<string, string> = {
  'oauth.authorize': 'it follows the redirect to the application itself',
  'oauth.authorizeByPost': 'it follows the redirect to the application itself',
  'oauth.revoke':
    'it reads JSON where the type says so, also of an empty body, which contract 4.3 and decision 8.5 want',
}

/** Reads before changes, and changes before removals: a later request needs what an earlier one leaves. */
const order: Operation['method'][] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const operations = operationsOf(document)
  .filter((operation) => !streams(operation) && !(operation.id in notForPrism))
  .toSorted((one, other) => order.indexOf(one.method) - order.indexOf(other.method))

describe('prism finds no response that breaks the OpenAPI document', () => {
  it('to sound requests of every operation', async () => {
    const all = poolOf(tenant)
    const pool = { ...all, ids: all.ids.filter(isId) }
    const violations: string[] = []
    const statuses = new Map<number, number>()
    const reached = new Set<string>()
    for (const operation of operations) {
      for (const request of fc.sample(soundRequestOf(operation, tenant, pool), { numRuns: 2, seed: 7 })) {
        const { status, found } = await send(request)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status < 300) reached.add(operation.id)
        violations.push(...found.map((violation) => `${operation.id} ${status}: ${violation}`))
      }
    }
    console.log(
      `prism: ${reached.size} of ${operations.length} operations; ${[...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}`,
    )
    assert.deepEqual([...new Set(violations)], [])
    // Refusals alone would prove little.
    assert.ok(reached.size > operations.length * 0.75, `${reached.size} of ${operations.length} succeeded`)
  })

  it('on the journeys of a partner: an application is connected, used and disconnected; devices register, send and are claimed', async () => {
    // The kit goes by the time of this machine.
    service.clock.forward((Date.now() - service.clock.now().getTime()) / 1000)
    const found: string[] = []
    const steps: string[] = []
    const application = new Application({
      ...{ url: issuer, clientId: mine.client_id, clientSecret: mine.client_secret, redirectUri: mine.redirect_uri },
      store: memoryTokenStore(),
      fetch: through(found, steps),
    })
    const { url: address, pending } = await application.begin()
    const { organization } = await application.finish(
      await submitConsent(running, address.replace(issuer, url)),
      pending,
    )
    await organization.info.get()
    await organization.permissions()
    await organization.userinfo()
    for await (const _ of organization.users.list()) break
    for await (const _ of organization.groups.list()) break
    const space = await organization.spaces.findOrCreate({ path: ['Journey', 'Room 1'] })
    const model = new DeviceModel({
      ...{ entryUrl: issuer, modelId: tenant.model.id, hardwareKey: tenant.model.hardware_key },
      fetch: through(found, steps),
    })
    const label = registration(tenant.model) as { mac: string; sn: string; firmware_version: string }
    const { mac, sn, firmware_version } = label
    const registered = await model.register({ mac, sn, firmware_version })
    const device = { ...registered, hub_url: issuer }
    await model.send(device, { status: 'online', telemetries: { temperature: 21.5 } })
    await model.sendMany([{ device, telemetry: { status: 'error', telemetries: { temperature: 40 } } }])
    const claimed = await organization.devices.claim({ mac, sn, model_id: tenant.model.id, space_id: space.id })
    await organization.devices.get(claimed.id)
    await organization.devices.update(claimed.id, { name: 'Journey', tags: ['new'] })
    for await (const _ of organization.devices.list({ search: 'journey' })) break
    for await (const _ of organization.devices.history(claimed.id)) break
    await organization.devices.delete(claimed.id)
    const gone = await model.send(device, { status: 'online', telemetries: {} }).catch((error) => error.code)
    assert.equal(gone, 'device_removed')
    await organization.disconnect()
    assert.deepEqual([...new Set(found)], [])
    assert.ok(steps.length >= 17, steps.join('\n'))
  })

  it('and finds one that was planted', async () => {
    const { status, found } = await send({ method: 'GET', url: '/planted', headers: {} })
    assert.equal(status, 404)
    assert.match(found.join(), /^response /)
  })
})

/** Prism calls the service by its own address, and knows the cookie by the name that it has over https. */
async function moveSessions(): Promise<void> {
  await service.sql`update sessions set host = ${new URL(url).hostname}`
  for (const { session } of Object.values(tenant.credentials)) {
    const { cookie } = session!
    Object.assign(session!, { origin: url, cookie: `${cookie}; __Host-${cookie}` })
    delete session!.host
  }
}

async function startPrism(): Promise<string> {
  const port = await freePort()
  const program = join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js')
  const child = spawn(process.execPath, [program, 'proxy', 'openapi.json', url, '--port', String(port)], {
    cwd: folder,
  })
  after(() => child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      said += text
    })
  }
  await until(() => {
    assert.equal(child.exitCode, null, said)
    return /Prism is listening/.test(said)
  }, 'prism')
  return `http://127.0.0.1:${port}`
}

/** What a client of ours sends, by way of prism; all but the revocation, whose empty response prism cannot read. */
function through(found: string[], steps: string[]): typeof fetch {
  return async (input, init) => {
    const address = String(input)
    if (address.endsWith('/oauth/revoke')) return await fetch(address.replace(issuer, url), init)
    const response = await fetch(address.replace(issuer, proxy), { ...init, redirect: 'manual' })
    const step = `${init?.method ?? 'GET'} ${new URL(address).pathname} ${response.status}`
    steps.push(step)
    found.push(...violationsIn(response).map((violation) => `${step}: ${violation}`))
    return response
  }
}

interface Violation {
  location: string[]
  severity: string
  message: string
}

async function send({ method, url: path, headers, payload }: Omit<FuzzRequest, 'operation'>) {
  const response = await fetch(proxy + path, {
    method,
    redirect: 'manual',
    headers: { ...headers, 'x-forwarded-for': nextAddress() },
    ...(payload === undefined ? {} : { body: payload }),
  })
  const text = await response.text()
  const found = violationsIn(response)
  // Prism's own problem, such as a path that it does not find in the document.
  if (text.includes('stoplight.io')) found.push(text)
  return { status: response.status, found }
}

function violationsIn(response: Response): string[] {
  const header = response.headers.get('sl-violations')
  const violations: Violation[] = header ? JSON.parse(header) : []
  // What the document refuses and the service refuses too is no fault of either.
  const counted = violations.filter(({ location }) => location[0] === 'response' || response.ok)
  return counted.map(({ location, message }) => `${location.join('.')} ${message}`)
}
