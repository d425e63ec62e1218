// Decision 6.47: what the operations of the organization API declare is what holds, whoever calls.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allPermissions, ofCredential, permits } from '../../server/src/directory/permissions.ts'
import { startHarness } from '../support/harness.ts'
import { createOrganization } from '../support/organization.ts'
import { type Document, fill, kindsOf, operationsOf } from './document.ts'

const service = await startHarness()
const organization = await createOrganization(service)
const document = (await service.app.inject({ url: '/openapi.json' })).json() as Document
const prefix = '/core/v1/organization'
const operations = operationsOf(document).filter(({ path }) => path.startsWith(`${prefix}/`))
/** These make a secret for a person or are about people’s roles, which no credential may, whatever it is permitted. */
const onlyPeople = /\/(link|password-reset|roles|access|second-factor-policy)$|\/second-factor(s|-reset)(\/|$)/

describe('decision 6.47: permissions of operations', () => {
  it('every operation of the organization API declares one, but those which say who the organization is and what the caller may do', () => {
    assert.ok(operations.length > 60, 'the document was read')
    const undeclared = operations.filter(({ permission }) => permission === 'none').map(({ path }) => path)
    assert.deepEqual(undeclared, [`${prefix}/info`, `${prefix}/permissions`])
    const used = new Set(operations.map(({ permission }) => permission))
    assert.deepEqual(
      allPermissions.filter((permission) => !used.has(permission)),
      [],
    )
  })

  for (const kind of ['bearer', 'api_key'] as const) {
    it(`${kind}: what it lacks is refused before the path and the body are looked at, and nothing else is`, async () => {
      const nobody = '01900000-0000-7000-8000-000000000000'
      for (const { method, path, permission } of operations) {
        if (path.endsWith('/stream')) continue // stays open
        const address = fill(path, Object.fromEntries(kindsOf(path).map(({ name }) => [name, nobody])))
        const body = method === 'GET' || method === 'DELETE' ? undefined : {}
        const response = await organization.call(kind, method, address.slice(prefix.length), body)
        // Given apart from the rest, to credentials too.
        if (permission === 'devices: command') {
          assert.deepEqual([response.status, response.body.missing], [403, permission], `${method} ${path}`)
          continue
        }
        const refused = response.status === 403 && response.body.code === 'portal_session_required'
        const expected = !permits(ofCredential, permission) || onlyPeople.test(path)
        assert.equal(refused, expected, `${method} ${path}: ${response.status}`)
      }
    })
  }

  it('a route that declares none does not start', async () => {
    const { requireDeclaredPermissions } = await import('../../server/src/api/organization/declared-permissions.ts')
    const { default: fastify } = await import('fastify')
    const app = fastify()
    requireDeclaredPermissions(app as never)
    assert.throws(() => app.get('/new', { config: {} }, async () => ''), /GET \/new must declare `permission`/)
    assert.throws(
      () => app.get('/x', { config: { permission: 'devices: own' } as object }, async () => ''),
      /must declare/,
    )
    app.get('/fine', { config: { permission: 'devices: read' } as object }, async () => '')
  })

  it('/docs/permissions has every permission with its operations', async () => {
    const page = await service.app.inject({ url: '/docs/permissions' })
    assert.equal(page.statusCode, 200)
    for (const permission of allPermissions) assert.ok(page.body.includes(`>${permission}</h2>`), permission)
    const listed = [...page.body.matchAll(/<code>([A-Z]+ \S+)<\/code>/g)].map(([, operation]) => operation!)
    const declared = operations.filter(({ permission }) => permission !== 'none')
    assert.deepEqual(
      listed.toSorted(),
      declared.map(({ method, path }) => `${method} ${path.slice(prefix.length)}`).toSorted(),
    )
  })
})
