import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness } from '../../../test/support/harness.ts'
import { holdLocks } from '../../../test/support/locks.ts'
import { createOrganization } from '../../../test/support/organization.ts'
import { newPartner } from '../../../test/support/partners.ts'
import { runJob } from '../platform/jobs.ts'
import { announceExpiringKeysJob } from './api-key-expiry.ts'

const service = await startHarness()
const { clock, context, sql } = service
const day = 86_400
const ahead = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString()
const announce = () => runJob(sql, announceExpiringKeysJob(context))
const announced = async (id: string) =>
  (
    await sql`select details from audit_events where type = 'api_key.expiring' and details ->> 'api_key_id' = ${id}`
  ).map(({ details }) => details.expires_at as string)

describe('decision 6.51: the expiry of an API key is announced once, 14 days ahead', () => {
  it('in the audit log of its organization, once, although two processes look at the same time', async () => {
    const organization = await createOrganization(service)
    const create = async (body: object) =>
      (await organization.call('session', 'POST', '/api-keys', { name: 'Export', ...body })).body.id as string
    const [early, late, never] = [
      await create({ expires_at: ahead(14 * day) }),
      await create({ expires_at: ahead(14 * day + 60) }),
      await create({}),
    ]
    const expected = ahead(14 * day)
    await Promise.all([announce(), announce(), announce()])
    await announce()
    assert.deepEqual(await announced(early), [expected])
    assert.deepEqual([...(await announced(late)), ...(await announced(never))], [])
    const { items } = (await organization.call('session', 'GET', '/audit-events?type=api_key.expiring')).body
    assert.deepEqual([items[0].actor.kind, items[0].details.name], ['system', 'Export'])
    const soon = (await organization.call('session', 'GET', '/api-keys?expiring=true')).body.items
    assert.deepEqual(
      soon.map(({ id }: { id: string }) => id),
      [early],
    )
    clock.forward(60)
    await announce()
    assert.equal((await announced(late)).length, 1)
  })

  it('another expiry is announced anew, another name is not', async () => {
    const organization = await createOrganization(service)
    const { id } = (await organization.call('session', 'POST', '/api-keys', { name: 'Export', expires_at: ahead(day) }))
      .body
    await announce()
    const patch = (body: object) => organization.call('session', 'PATCH', `/api-keys/${id}`, body)
    const expires_at = ahead(day)
    await patch({ name: 'Import', expires_at })
    await announce()
    assert.deepEqual(await announced(id), [expires_at])
    await patch({ expires_at: ahead(3 * day) })
    await announce()
    assert.deepEqual((await announced(id)).toSorted(), [expires_at, ahead(3 * day)])
  })

  it('not of one that is revoked, rotated or expired, and nothing waits for one that is being changed', async () => {
    const organization = await createOrganization(service)
    const create = async () =>
      (await organization.call('session', 'POST', '/api-keys', { name: 'Export', expires_at: ahead(day) })).body
        .id as string
    const [revoked, rotated, changing, expired] = [await create(), await create(), await create(), await create()]
    await organization.call('session', 'DELETE', `/api-keys/${revoked}`)
    await organization.call('session', 'POST', `/api-keys/${rotated}/rotate`)
    await sql`update api_keys set expires_at = ${clock.now()} where id = ${expired}`
    const release = await holdLocks(sql, (hold) => hold`select from api_keys where id = ${changing} for update`)
    await announce()
    await release()
    for (const id of [revoked, rotated, changing, expired]) assert.deepEqual(await announced(id), [])
    await announce()
    assert.equal((await announced(changing)).length, 1)
  })

  it('to the webhooks of a partner, whose key it is', async () => {
    const partner = await newPartner(service)
    const webhook = { url: 'https://example.com/hook', events: ['api_key.expiring'] }
    const { body: endpoint } = await partner.browse('POST', '/webhooks', webhook)
    const expires_at = ahead(9 * day)
    const { body: key } = await partner.browse('POST', '/api-keys', { name: 'Cloud', expires_at })
    await announce()
    await announce()
    const deliveries = (await partner.browse('GET', `/webhooks/${endpoint.id}/deliveries`)).body.items
    assert.deepEqual(
      deliveries.map(({ type }: { type: string }) => type),
      ['api_key.expiring'],
    )
    const [row] = await sql`select payload from webhook_deliveries where endpoint_id = ${endpoint.id}`
    const { data } = JSON.parse(row!.payload)
    assert.deepEqual(data, { api_key_id: key.id, name: 'Cloud', hint: key.hint, expires_at })
    assert.deepEqual(await announced(key.id), [expires_at])
  })

  it('from an index, however many keys there are', async () => {
    const { rows, plan } = await sql.begin(async (tx) => {
      await tx`set local enable_seqscan = off`
      const lines = await tx`explain select id from api_keys
        where expires_at > now() and expires_at <= now() and expiry_announced_at is null and revoked_at is null
        order by expires_at limit 200`
      return { rows: lines.length, plan: JSON.stringify(lines) }
    })
    assert.ok(rows > 0)
    assert.match(plan, /api_keys_by_expiry/)
  })
})
