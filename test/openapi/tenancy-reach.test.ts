// What a token or an API key leaves behind must end with it (decision 6.10), and what an administrator leaves behind
// must end with their right (decision 6.11): tried on every operation that the OpenAPI document knows.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'
import { createTenant } from '../support/api-world.ts'
import { password } from '../support/applications.ts'
import { startHarness, toTestResponse } from '../support/harness.ts'
import { sessionHeaders } from '../support/organization.ts'
import { type Document, fill, kindsOf, type Operation, operationsOf, type Schema, streams } from './document.ts'
import { valid } from './samples.ts'

const service = await startHarness()
const { sql } = service
const operations = operationsOf((await service.app.inject({ url: '/openapi.json' })).json<Document>())
const tenant = await createTenant(service)
const { customer_id, credentials, ids } = tenant
const approver = tenant.application.user_id
const ofOrganization = operations.filter(({ path }) => path.startsWith('/core/v1/organization/'))

const addPerson = async (role: 'administrator' | 'member') => {
  const email = `${newId()}@example.com`
  const person = { name: 'Person', email, password, role }
  const { body } = await service.operator('POST', `/customers/${customer_id}/users`, person)
  return { id: body.id as string, email }
}
const second = await addPerson('administrator')

/** Everything a token or an API key must not change, as one text. */
async function protectedThings(): Promise<string> {
  const rows = await Promise.all([
    sql`select user_id, role, active from memberships
      where customer_id = ${customer_id} and (role = 'administrator' or user_id = ${approver}) order by user_id`,
    sql`select group_id from group_members where customer_id = ${customer_id} and user_id = ${approver} order by 1`,
    sql`select id, revoked_at from api_keys where customer_id = ${customer_id} order by id`,
    sql`select client_id, policy, group_id, approved_by from approvals where customer_id = ${customer_id} order by 1`,
    sql`select id, digest from one_time_links
      where customer_id = ${customer_id} and (role = 'administrator' or maker_kind in ('user', 'operator') or digest is not null)
      order by id`,
    sql`select id, email, password_hash from users
      where id in (select user_id from memberships where customer_id = ${customer_id}) order by id`,
  ])
  return JSON.stringify(rows)
}

/** One body for each value that a field with few values may have, so that no role and no switch is left untried. */
function bodiesOf(schema: Schema): Record<string, unknown>[] {
  const pool = { ids: Object.values(ids.organization), hints: { email: [`${newId()}@example.com`] }, sound: true }
  const bodies = fc.sample(valid(schema, pool), { numRuns: 3, seed: 5 }) as Record<string, unknown>[]
  const few = Object.entries(schema.properties ?? {}).flatMap(([name, { enum: values, type }]) =>
    (values ?? (type === 'boolean' ? [true, false] : [])).map((value) => [name, value] as const),
  )
  return [...bodies, ...few.flatMap(([name, value]) => [{ [name]: value }, { ...bodies[0], [name]: value }])]
}

/** The person a path names, in turn: who approved, another administrator, and nobody special. */
function pathsOf({ path }: Operation): string[] {
  const kinds = kindsOf(path)
  const people = kinds.some(({ kind }) => kind === 'users' || kind === 'members') ? [approver, second.id] : ['']
  return people.map((person) => {
    const values = kinds.map(({ name, kind }) => [
      name,
      kind === 'users' || kind === 'members' ? person : ids.organization[kind]!,
    ])
    return fill(path, Object.fromEntries(values))
  })
}

describe('decision 6.10: a token or an API key leaves no administrator, no link, no key and no approval behind', () => {
  it('there are operations to try', () => assert.ok(ofOrganization.length > 20))

  for (const operation of ofOrganization) {
    if (streams(operation)) continue
    it(`${operation.method} ${operation.path}`, async () => {
      const before = await protectedThings()
      const payloads = operation.body ? bodiesOf(operation.body.schema) : [undefined]
      for (const credential of ['bearer', 'apiKey']) {
        for (const url of pathsOf(operation)) {
          for (const payload of payloads) {
            // The invitations of people are not a token's to withdraw for an administrator; a member's it may end.
            if (operation.method === 'DELETE' && operation.path.includes('/invitations/')) continue
            const response = await service.app.inject({
              method: operation.method,
              url,
              headers: credentials.organization[credential]!,
              ...(payload ? { payload } : {}),
            })
            assert.ok(response.statusCode < 500, response.body)
            assert.ok(!/lbo_|lbk_[A-Za-z0-9]{20}|\/link\//.test(response.body), `a secret: ${response.body}`)
            assert.equal(await protectedThings(), before, `${credential} ${url} ${JSON.stringify(payload)}`)
          }
        }
      }
    })
  }
})

describe('decision 6.10: a partner’s API key leaves no person, no link and no key behind', () => {
  const { partner_id } = tenant
  const protectedOfPartner = async () =>
    JSON.stringify(
      await Promise.all([
        sql`select user_id from partner_members where partner_id = ${partner_id} order by 1`,
        sql`select id, revoked_at from api_keys where partner_id = ${partner_id} order by 1`,
        sql`select id, digest from one_time_links where partner_id = ${partner_id} order by 1`,
      ]),
    )
  for (const operation of operations.filter(({ path }) => path.startsWith('/core/v1/partner/'))) {
    if (streams(operation) || !/members|invitations|api-keys/.test(operation.path)) continue
    it(`${operation.method} ${operation.path}`, async () => {
      const before = await protectedOfPartner()
      const values = kindsOf(operation.path).map(({ name, kind }) => [name, ids.partner[kind]!])
      const url = fill(operation.path, Object.fromEntries(values))
      for (const payload of operation.body ? bodiesOf(operation.body.schema) : [undefined]) {
        const response = await service.app.inject({
          method: operation.method,
          url,
          headers: credentials.partner.partnerKey!,
          ...(payload ? { payload } : {}),
        })
        assert.ok(response.statusCode < 500, response.body)
        assert.ok(!/lbo_|lbk_[A-Za-z0-9]{20}/.test(response.body), `a secret: ${response.body}`)
        assert.equal(await protectedOfPartner(), before)
      }
    })
  }
})

/** An operation whose response has a link, and what it creates the link for. */
const linkMakers = operations.filter(({ responses }) => {
  const properties = responses['201']?.schema?.properties ?? {}
  return 'link' in properties
})

describe('decision 6.11: a person who loses the right to create a link keeps none', () => {
  const apis = ['organization', 'partner'] as const
  const ofApis = linkMakers.filter(({ path }) => apis.some((api) => path.startsWith(`/core/v1/${api}/`)))

  it('there are operations that create links', () => assert.ok(ofApis.length >= 5, String(ofApis.length)))

  for (const operation of ofApis) {
    const api = operation.path.includes('/partner/') ? 'partner' : 'organization'
    for (const change of api === 'partner' ? ['removed'] : ['removed', 'demoted', 'deactivated']) {
      it(`${operation.method} ${operation.path}: the maker is ${change} → 410`, async () => {
        const maker = await addPerson('administrator')
        if (api === 'partner') {
          await sql`insert into partner_members values (${tenant.partner_id}, ${maker.id}, now())`
        }
        const headers = await sessionHeaders(service, { email: maker.email, password })
        const member = await addPerson('member')
        const values = kindsOf(operation.path).map(({ name, kind }) => [
          name,
          kind === 'users' ? member.id : ids[api][kind]!,
        ])
        const properties = operation.body?.schema.properties ?? {}
        const payload = {
          email: `${newId()}@example.com`,
          ...('role' in properties ? { role: 'administrator' } : {}),
        }
        const url = fill(operation.path, Object.fromEntries(values))
        const created = toTestResponse(
          await service.app.inject({ method: 'POST', url, headers, ...(operation.body ? { payload } : {}) }),
        )
        assert.equal(created.status, 201, JSON.stringify(created.body))
        const link = new URL(created.body.link).pathname
        const open = async () => (await service.app.inject({ url: link })).statusCode
        assert.equal(await open(), 200)

        const collection =
          api === 'partner' ? `/partners/${tenant.partner_id}/members` : `/customers/${customer_id}/users`
        const path = `${collection}/${maker.id}`
        const lost =
          change === 'removed'
            ? await service.operator('DELETE', path)
            : await service.operator('PATCH', path, change === 'demoted' ? { role: 'member' } : { active: false })
        assert.ok(lost.status < 300)
        assert.equal(await open(), 410)
        const form = { name: 'X', new_password: 'x'.repeat(12), repeated_password: 'x'.repeat(12) }
        const used = await service.app.inject({
          method: 'POST',
          url: link,
          headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
          payload: new URLSearchParams(form).toString(),
        })
        assert.equal(used.statusCode, 410)
        // A new link ended its invitation: the next round needs another.
        if (operation.path.endsWith('/invitations/{id}/link')) await inviteAgain(api)
      })
    }
  }
})

async function inviteAgain(api: 'organization' | 'partner'): Promise<void> {
  const payload = { email: `${newId()}@example.com`, ...(api === 'organization' ? { role: 'member' } : {}) }
  const url = `/core/v1/${api}/invitations`
  const created = await service.app.inject({ method: 'POST', url, headers: credentials[api].session!, payload })
  ids[api].invitations = created.json().id
}
