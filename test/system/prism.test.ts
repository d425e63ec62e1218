// Prism as a validating proxy in front of the service: somebody else's reading of our OpenAPI document.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { isId } from '../../server/src/platform/secrets/identifiers.ts'
import { type Document, type Operation, operationsOf, streams } from '../openapi/document.ts'
import { type FuzzRequest, poolOf, soundRequestOf } from '../openapi/requests.ts'
import { createTenant } from '../support/api-world.ts'
import { nextAddress } from '../support/applications.ts'
import { freePort } from '../support/free-port.ts'
import { startHarness } from '../support/harness.ts'
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
  const header = response.headers.get('sl-violations')
  const violations: Violation[] = header ? JSON.parse(header) : []
  // What the document refuses and the service refuses too is no fault of either.
  const counted = violations.filter(({ location }) => location[0] === 'response' || response.ok)
  const found = counted.map(({ location, message }) => `${location.join('.')} ${message}`)
  // Prism's own problem, such as a path that it does not find in the document.
  if (text.includes('stoplight.io')) found.push(text)
  return { status: response.status, found }
}
