import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness } from '../../../../../test/support/harness.ts'
import { operatorKey } from '../../../../../test/support/keys.ts'

const service = await startHarness()

describe('operator API: partners', () => {
  const admin = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }

  it('a partner is created with its lab tenant', async () => {
    const created = await service.operator('POST', '/partners', { name: 'Acme', portal_domain: 'acme.test', admin })
    assert.equal(created.status, 201)
    assert.equal(created.body.portal_domain, 'acme.test')
    const [lab] = await service.sql`select lab, partner_id from customers where id = ${created.body.lab.customer_id}`
    assert.deepEqual({ ...lab }, { lab: true, partner_id: created.body.id })
  })

  it('7.7 no key and a wrong key → 401', async () => {
    for (const headers of [{}, { authorization: 'wrong' }]) {
      const response = await service.app.inject({ url: '/core/v1/operator/partners', headers })
      assert.equal(response.statusCode, 401)
      assert.equal(response.body, '{"error":"Not authorized"}')
    }
  })

  it('a bad body → 422 that names every wrong field', async () => {
    const refused = await service.operator('POST', '/partners', { name: '', portal_domain: 7, colour: 'red' })
    assert.equal(refused.status, 422)
    assert.equal(refused.body.code, 'invalid')
    const fields = refused.body.details.map(({ field }: { field: string }) => field)
    assert.deepEqual(fields.toSorted(), ['admin', 'colour', 'name', 'portal_domain'])
  })

  it('an unknown partner is a 404, whatever its id looks like', async () => {
    for (const id of ['nonsense', '00000000-0000-7000-8000-000000000000']) {
      assert.equal((await service.operator('GET', `/partners/${id}`)).status, 404)
    }
  })

  it('a list is read page by page', async () => {
    for (let n = 0; n < 4; n += 1) {
      await service.operator('POST', '/partners', { name: `P${n}`, portal_domain: null, admin })
    }
    const seen: string[] = []
    let after = ''
    do {
      const { body } = await service.operator('GET', `/partners?limit=2${after && `&after=${after}`}`)
      seen.push(...body.items.map(({ id }: { id: string }) => id))
      after = body.next
    } while (after)
    assert.equal(seen.length, 5)
    assert.deepEqual(seen, seen.toSorted())
  })

  it('a partner is renamed, given a portal domain, and the domain is removed', async () => {
    const { id } = (await service.operator('POST', '/partners', { name: 'Old', portal_domain: null, admin })).body
    const changed = await service.operator('PATCH', `/partners/${id}`, { name: 'New', portal_domain: 'new.test:8080' })
    assert.deepEqual([changed.status, changed.body.name, changed.body.portal_domain], [200, 'New', 'new.test:8080'])
    const cleared = await service.operator('PATCH', `/partners/${id}`, { portal_domain: null })
    assert.deepEqual([cleared.body.name, cleared.body.portal_domain], ['New', null])
    assert.deepEqual((await service.operator('GET', `/partners/${id}`)).body, cleared.body)
    for (const bad of [{}, { portal_domain: 'https://new.test' }, { portal_domain: 'NEW.test' }, { id: 'x' }]) {
      assert.equal((await service.operator('PATCH', `/partners/${id}`, bad)).status, 422)
    }
    const nobody = '00000000-0000-7000-8000-000000000000'
    assert.equal((await service.operator('PATCH', `/partners/${nobody}`, { name: 'X' })).status, 404)
  })

  it('If-Match: a change based on an old version → 412', async () => {
    const { id } = (await service.operator('POST', '/partners', { name: 'Busy', portal_domain: null, admin })).body
    const { headers } = await service.operator('GET', `/partners/${id}`)
    const change = (name: string) =>
      service.app.inject({
        method: 'PATCH',
        url: `/core/v1/operator/partners/${id}`,
        headers: { authorization: operatorKey, 'if-match': String(headers.etag) },
        payload: { name },
      })
    assert.equal((await change('First')).statusCode, 200)
    assert.equal((await change('Second')).statusCode, 412)
  })

  it('the lab tenant of a partner with the longest name has a name of 200 characters too', async () => {
    const long = { name: '😀'.repeat(200), portal_domain: null, admin: { ...admin, email: 'long@example.com' } }
    const created = await service.operator('POST', '/partners', long)
    assert.equal(created.status, 201)
    const { body } = await service.operator('GET', `/customers/${created.body.lab.customer_id}`)
    assert.equal(body.name, `${'😀'.repeat(186)} (test tenant)`)
  })
})
