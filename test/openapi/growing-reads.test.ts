// Every read says whether its cost grows with its tenant, and one that does uses only the connections for such reads.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import fastify, { type RouteOptions } from 'fastify'
import { buildApp } from '../../server/src/build-app.ts'
import { requireDeclaredReads } from '../../server/src/platform/gated-reads.ts'
import type { App } from '../../server/src/platform/http/app.ts'
import { createTenant } from '../support/api-world.ts'
import { nextAddress } from '../support/applications.ts'
import { startHarness } from '../support/harness.ts'
import { type Document, operationsOf, sessionOnly, streams } from './document.ts'
import { poolOf, soundRequestOf } from './requests.ts'

const service = await startHarness()
const tenant = await createTenant(service)
const pool = poolOf(tenant)

/** On another context than the harness's, so that statements outside the gate are seen. */
const statements: string[] = []
const { context } = service
const watched = {
  ...context,
  sql: Object.assign(
    context.sql.through((run) => {
      statements.push('outside')
      return run()
    }),
    { begin: context.sql.begin, alongside: context.sql.alongside },
  ) as typeof context.sql,
}
const app = await buildApp(watched)
const document = (await app.inject({ url: '/openapi.json' })).json<Document>()
const operations = operationsOf(document)
const growing = operations.filter(({ responses }) => JSON.stringify(responses).includes('"too_many_reads"'))

describe('decision 10.21: a read that grows with its tenant takes turns', () => {
  it('there are such reads: exports, counts, searches, histories', () => {
    const paths = growing.map(({ path }) => path.replace('/core/v1', ''))
    for (const path of ['/organization/devices.csv', '/organization/devices/total', '/organization/audit-events.csv']) {
      assert.ok(paths.includes(path), path)
    }
    for (const path of ['/partner/devices/counts', '/operator/audit-events.jsonl', '/organization/devices/stream']) {
      assert.ok(paths.includes(path), path)
    }
    assert.ok(growing.length > 35, `${growing.length}`)
  })

  for (const operation of growing.filter((each) => !streams(each))) {
    it(`${operation.method} ${operation.path} sends no statement outside the gate`, async () => {
      const [request] = fc.sample(soundRequestOf(operation, tenant, pool), { numRuns: 1, seed: 7 })
      const { operation: _, ...sent } = request!
      const api = operation.path.startsWith('/core/v1/partner/') ? 'partner' : 'organization'
      const { apiKey, partnerKey, session } = tenant.credentials[api]
      const byPerson = sessionOnly(operation)
      const key = byPerson ? session : (apiKey ?? partnerKey)
      const headers = operation.path.includes('/operator/') ? {} : key
      const payload = operation.body ? { payload: JSON.stringify({ device_ids: [tenant.device.id] }) } : {}
      const whole = {
        ...sent,
        ...payload,
        headers: { ...sent.headers, cookie: '', ...headers },
        remoteAddress: nextAddress(),
      }
      statements.length = 0
      const response = await app.inject(whole)
      assert.equal(response.statusCode, 200, response.body)
      // An export looks up whose file it is and records who took it: three statements at most, however large it is.
      const most = /\.(csv|jsonl)$/.test(operation.path) ? 3 : 0
      // Of a person's request, two more find the session and the membership.
      assert.ok(statements.length <= most + (byPerson ? 2 : 0), `${statements.length} statements`)
    })
  }

  it('an app with a read that does not say what it costs does not start', async () => {
    const undeclared = fastify() as unknown as App
    requireDeclaredReads(undeclared)
    undeclared.get('/declared', { config: { reads: 'bounded' } } as unknown as RouteOptions, async () => '')
    assert.throws(() => undeclared.get('/silent', async () => ''), /GET \/silent must declare/)
  })
})
