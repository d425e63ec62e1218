import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { newModel, register } from '../../../../../test/support/devices.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { operatorKey } from '../../../../../test/support/keys.ts'
import { createOrganization } from '../../../../../test/support/organization.ts'
import { createApiKey } from '../../../directory/api-keys.ts'
import { recordAudit } from '../../../events/audit.ts'
import { newId } from '../../../platform/secrets/identifiers.ts'

const service = await startHarness()
const customers = [newId(), newId()] as const
const [partner_id, application_id] = [newId(), newId()]

async function newSpace(customer_id: string, name: string): Promise<string> {
  const id = newId()
  await service.sql`insert into spaces ${service.sql({ id, customer_id, name, created_at: service.clock.now() })}`
  return id
}

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

  it('a page names what its events mention, to each reader what they may know', async () => {
    const organization = await createOrganization(service)
    const other = await createOrganization(service)
    const { customer_id, application, administrator } = organization
    const model = await newModel(service)
    const { partner_id } = model
    const device = await register(service, model, { sn: 'named-1' })
    const space_id = await newSpace(customer_id, 'Secret hall')
    const foreign = await newSpace(other.customer_id, 'Foreign hall')
    for (const [customer, below] of [
      [customer_id, space_id],
      [other.customer_id, foreign],
    ] as const) {
      const above = await newSpace(customer, 'Berlin')
      await service.sql`update spaces set parent_id = ${above} where id = ${below}`
    }
    await service.sql`
      update devices set customer_id = ${customer_id}, name = 'Secret meter', claimed_at = now() where id = ${device.id}`
    const actor = { kind: 'user', id: administrator.id } as const
    const event = { type: 'device.claimed', at: service.clock.now(), actor, device_id: device.id } as const
    await recordAudit(
      service.sql,
      { ...event, customer_id, partner_id, application_id: application.client_id, details: { space_id } },
      { ...event, customer_id, details: { space_id: foreign, model_id: model.id, name_id: 'no id' } },
    )
    const { key } = await createApiKey(service.context, { kind: 'operator' }, { partner_id }, { name: 'Names' })
    const names = async (api: string, authorization: string): Promise<Record<string, string>> => {
      const url = `/core/v1/${api}/audit-events?type=device.claimed&device_id=${device.id}`
      return (await service.app.inject({ url, headers: { authorization } })).json().names
    }
    const ofCustomer = await names('organization', organization.headers.api_key.authorization!)
    assert.deepEqual(ofCustomer, {
      [administrator.id]: 'Ada Lovelace',
      [device.id]: 'Secret meter',
      [space_id]: 'Berlin / Secret hall',
      [application.client_id]: 'Dashboard',
    })
    assert.deepEqual(
      await names('partner', key),
      { [device.id]: 'Device named-1' },
      'contract 1.5: nothing of the customer or of another partner',
    )
    const ofOperator = await names('operator', operatorKey)
    for (const id of [administrator.id, device.id, space_id, foreign, model.id, customer_id, partner_id]) {
      assert.ok(ofOperator[id], id)
    }
    assert.equal(ofOperator[foreign], 'Berlin / Foreign hall')
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
