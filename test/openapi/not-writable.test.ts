// CVE-2026-27946: nobody says of themselves that their email is verified, nor sets what only the service knows.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createTenant, operatorHeaders } from '../support/api-world.ts'
import { nextAddress } from '../support/applications.ts'
import { startHarness } from '../support/harness.ts'
import { createOrganization } from '../support/organization.ts'
import { fill, operationsOf, type Schema } from './document.ts'
import { idsOf, poolOf, soundRequestOf } from './requests.ts'

const service = await startHarness()
const document = (await service.app.inject({ url: '/openapi.json' })).json()
const organization = await createOrganization(service)
const tenant = await createTenant(service)

/** All names of properties below a schema, through references. */
function namesIn(schema: unknown, seen = new Set<unknown>()): string[] {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return []
  seen.add(schema)
  const { $ref, properties } = schema as { $ref?: string; properties?: object }
  const named = $ref ? namesIn(document.components.schemas[$ref.split('/').at(-1)!], seen) : []
  const below = Object.values(schema).flatMap((part) => namesIn(part, seen))
  return [...named, ...below, ...(properties ? Object.keys(properties) : [])]
}

describe('CVE-2026-27946: what only the service knows', () => {
  it('email_verified, factors and passwords’ verdicts are in no body that a caller sends', () => {
    const bodies = Object.entries<Record<string, { requestBody?: unknown }>>(document.paths).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, { requestBody }]) => ({
          of: `${method} ${path}`,
          names: namesIn(requestBody),
        })),
    )
    assert.ok(bodies.filter(({ names }) => names.length > 0).length > 30)
    const own = ['email_verified', 'verified_at', 'password_hash', 'password_weak', 'proved_at', 'methods', 'passkeys']
    for (const { of, names } of bodies) for (const name of own) assert.ok(!names.includes(name), `${of}: ${name}`)
  })

  it('a change of a user with every field of the response changes none of them', async () => {
    const { id } = organization.administrator
    for (const credential of ['session', 'bearer', 'api_key'] as const) {
      const { body: before } = await organization.call('session', 'GET', `/users/${id}`)
      for (const field of Object.keys(before)) {
        if (['role', 'active', 'groups', 'can_view_devices'].includes(field)) continue
        const { status } = await organization.call(credential, 'PATCH', `/users/${id}`, { [field]: true })
        assert.equal(status, 422, `${credential}: ${field}`)
      }
      const { body: after } = await organization.call('session', 'GET', `/users/${id}`)
      assert.deepEqual(after, before)
    }
  })

  const operations = operationsOf(document)
  const patches = operations.filter(({ method }) => method === 'PATCH')
  const neverDeclared = ['email_verified', 'password_hash', 'second_factor', 'id', 'created_at']
  const own = [...neverDeclared, 'customer_id', 'partner_id']
  const fieldsOf = (schema: Schema | null | undefined): string[] => [
    ...Object.keys(schema?.properties ?? {}),
    ...[...(schema?.anyOf ?? []), ...(schema?.oneOf ?? [])].flatMap(fieldsOf),
  ]

  it('there are changes to try, of each API', () => {
    assert.ok(patches.length >= 20, `${patches.length}`)
    for (const api of ['organization', 'partner', 'operator'])
      assert.ok(patches.some(({ path }) => path.startsWith(`/core/v1/${api}/`)))
  })

  for (const operation of patches) {
    it(`PATCH ${operation.path} with every field of its responses that it does not declare: refused, and nothing changes`, async () => {
      const path = fill(operation.path, idsOf(operation, tenant))
      const read = operations.find(({ method, path: one }) => method === 'GET' && one === operation.path)
      const declared = fieldsOf(operation.body?.schema)
      const shown = [operation, ...(read ? [read] : [])].flatMap(({ responses }) => fieldsOf(responses['200']?.schema))
      const fields = [...new Set([...shown, ...own])].filter((field) => !declared.includes(field))
      for (const field of neverDeclared) assert.ok(!declared.includes(field), field)
      // Beside a body that is in order, so that nothing but the field is wrong.
      const [drawn] = fc.sample(soundRequestOf(operation, tenant, poolOf(tenant)), { numRuns: 1, seed: 7 })
      const sound = JSON.parse(String(drawn!.payload))
      const [, api] = /^\/core\/v1\/(\w+)\//.exec(operation.path)!
      const credentials = api === 'operator' ? { operator: operatorHeaders } : tenant.credentials[api as 'partner']
      const trusted = 'operator' in credentials ? credentials.operator : credentials.session!
      const send = async (method: 'GET' | 'PATCH', headers: Record<string, string>, payload?: object) =>
        await service.app.inject({
          ...{ method, url: path, headers, remoteAddress: nextAddress() },
          ...(payload ? { payload } : {}),
        })
      const look = async () => (read ? (await send('GET', trusted!)).json() : null)
      const before = await look()
      assert.ok(!read || typeof before.code !== 'string', JSON.stringify(before))
      for (const [credential, headers] of Object.entries(credentials)) {
        for (const field of fields) {
          for (const payload of [{ [field]: true }, { ...sound, [field]: before?.[field] ?? 'x' }]) {
            const { statusCode, body } = await send('PATCH', headers!, payload)
            // What only a session may change is refused to tokens and keys before its body is looked at.
            const refused = statusCode === 422 || (statusCode === 403 && headers !== trusted)
            assert.ok(refused, `${credential}: ${field}: ${statusCode} ${body}`)
          }
        }
      }
      assert.deepEqual(await look(), before)
    })
  }
})
