import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startHarness } from '../../../../../test/support/harness.ts'
import { recordAudit } from '../../../events/audit.ts'
import { newId } from '../../../platform/secrets/identifiers.ts'

const service = await startHarness()
const customers = [newId(), newId()] as const
const [partner_id, application_id] = [newId(), newId()]

describe('operator API: audit events', () => {
  before(async () => {
    for (let n = 0; n < 6; n += 1) {
      await recordAudit(service.sql, {
        type: n % 3 === 0 ? 'device.removed' : 'device.claimed',
        at: service.clock.now(),
        actor: { kind: 'system' },
        customer_id: customers[n % 2],
        ...(n === 5 ? { partner_id, application_id } : {}),
        details: { n },
      })
    }
  })
  const numbers = async (query: string) =>
    (await service.operator('GET', `/audit-events${query}`)).body.items.map(
      ({ details }: { details: { n: number } }) => details.n,
    )

  it('newest first, page by page', async () => {
    assert.deepEqual(await numbers(''), [5, 4, 3, 2, 1, 0])
    const first = (await service.operator('GET', '/audit-events?limit=4')).body
    assert.deepEqual(await numbers(`?limit=4&after=${first.next}`), [1, 0])
  })

  it('by type, customer, partner and application, alone and together', async () => {
    assert.deepEqual(await numbers('?type=device.removed'), [3, 0])
    assert.deepEqual(await numbers(`?customer_id=${customers[1]}`), [5, 3, 1])
    assert.deepEqual(await numbers(`?customer_id=${customers[1]}&type=device.removed`), [3])
    assert.deepEqual(await numbers(`?partner_id=${partner_id}`), [5])
    assert.deepEqual(await numbers(`?application_id=${application_id}`), [5])
    assert.deepEqual(await numbers('?type=nonsense'), [])
    assert.deepEqual(await numbers(`?actor_id=${newId()}`), [])
  })

  it('an event has only the fields that apply to it', async () => {
    const { items } = (await service.operator('GET', '/audit-events?limit=1&type=device.removed')).body
    assert.deepEqual(Object.keys(items[0]).sort(), ['actor', 'at', 'customer_id', 'details', 'id', 'type'])
    assert.deepEqual((await service.operator('GET', `/audit-events/${items[0].id}`)).body, items[0])
    assert.equal((await service.operator('GET', `/audit-events/${newId()}`)).status, 404)
  })

  it('an event has the current name of its actor', async () => {
    const { body } = await service.operator('POST', '/partners', {
      name: 'Northwind',
      portal_domain: 'northwind.test',
      admin: { name: 'Ada Byron', email: 'ada@example.com', password: 'correct horse battery' },
    })
    const [member] = await service.sql<{ user_id: string }[]>`
      select user_id from partner_members where partner_id = ${body.id}`
    const id = member!.user_id
    const at = service.clock.now()
    await recordAudit(service.sql, { type: 'model.created', at, actor: { kind: 'user', id }, partner_id: body.id })
    const { items } = (await service.operator('GET', '/audit-events?type=model.created')).body
    assert.deepEqual(items[0].actor, { kind: 'user', id, name: 'Ada Byron' })
    assert.deepEqual((await service.operator('GET', `/audit-events/${items[0].id}`)).body, items[0])
  })

  it('decision 10.6 no statement can change or delete an event', async () => {
    for (const statement of [
      'update audit_events set type = type',
      'delete from audit_events',
      'truncate audit_events',
    ]) {
      await assert.rejects(service.sql.unsafe(statement), /append-only/)
    }
  })

  it('a bad query → 422', async () => {
    for (const query of [
      '?customer_id=x',
      '?limit=0',
      '?limit=x',
      '?after=x',
      '?type=a&type=b',
      '?since=yesterday',
      '?device_id=x',
    ]) {
      assert.equal((await service.operator('GET', `/audit-events${query}`)).status, 422)
    }
    assert.equal((await service.operator('GET', '/audit-events?type=%00')).status, 422)
  })
})
