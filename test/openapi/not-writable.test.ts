// CVE-2026-27946: nobody says of themselves that their email is verified, nor sets what only the service knows.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness } from '../support/harness.ts'
import { createOrganization } from '../support/organization.ts'

const service = await startHarness()
const document = (await service.app.inject({ url: '/openapi.json' })).json()
const organization = await createOrganization(service)

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
})
