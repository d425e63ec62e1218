import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness } from '../../../../../test/support/harness.ts'
import { operatorKey } from '../../../../../test/support/keys.ts'
import { createOrganization } from '../../../../../test/support/organization.ts'
import { createApiKey } from '../../../directory/api-keys.ts'
import { type RecordedEvent, recordAudit } from '../../../events/audit.ts'
import { newId } from '../../../platform/secrets/identifiers.ts'

const service = await startHarness()
const organization = await createOrganization(service)
const other = await createOrganization(service)
const { customer_id, application } = organization
const { partner_id } = application
const partnerKey = await createApiKey(service.context, { kind: 'operator' }, { partner_id }, { name: 'Export' })

async function get(url: string, authorization: string) {
  const response = await service.app.inject({ url, headers: { authorization } })
  return { status: response.statusCode, text: response.body, headers: response.headers }
}

const apis = {
  operator: { base: '/core/v1/operator', key: operatorKey },
  organization: { base: '/core/v1/organization', key: organization.headers.api_key.authorization! },
  partner: { base: '/core/v1/partner', key: partnerKey.key },
}

/** RFC 4180, as far as it is needed here. */
function readCsv(text: string): string[][] {
  const fields = [...text.matchAll(/("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n)/g)]
  const rows: string[][] = [[]]
  for (const [, field = '', end] of fields) {
    rows.at(-1)!.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field)
    if (end === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}

async function exportsOf(api: string) {
  const { body } = await service.operator('GET', '/audit-events?type=data.exported')
  const owner = api === 'partner' ? partner_id : customer_id
  return (body.items as RecordedEvent[]).filter((event) =>
    api === 'operator' ? event.actor.kind === 'operator' : [event.partner_id, event.customer_id].includes(owner),
  )
}

describe('the audit log is exported as JSON lines and CSV', () => {
  for (const [api, { base, key }] of Object.entries(apis)) {
    it(`${api}: the export has what the list has, page after page`, async () => {
      const application_id = newId()
      const about = api === 'partner' ? { partner_id } : { customer_id }
      const events = Array.from({ length: 1_203 }, (_, n) => ({
        ...{ type: 'device.removed' as const, at: service.clock.now(), actor: { kind: 'operator' } as const },
        ...{ ...about, application_id, details: { n } },
      }))
      await recordAudit(service.sql, ...events)
      const items: object[] = []
      for (let after = ''; ; ) {
        const page = JSON.parse((await get(`${base}/audit-events?limit=100${after}`, key)).text)
        items.push(...page.items)
        if (page.next === null) break
        after = `&after=${page.next}`
      }
      const jsonl = await get(`${base}/audit-events.jsonl`, key)
      const [recorded] = await exportsOf(api)
      assert.deepEqual(recorded!.details, { what: 'audit log', format: 'jsonl' })
      assert.match(String(jsonl.headers['content-type']), /^application\/jsonl/)
      assert.match(
        String(jsonl.headers['content-disposition']),
        /^attachment; filename="[\w-]+_audit-log_2026-03-01\.jsonl"; filename\*=UTF-8''/,
      )
      const lines = jsonl.text.trimEnd().split('\n')
      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        items,
      )
      const csv = await get(`${base}/audit-events.csv?type=device.removed&application_id=${application_id}`, key)
      assert.match(String(csv.headers['content-type']), /^text\/csv/)
      const rows = readCsv(csv.text)
      assert.equal(rows.length, 1 + events.length)
      assert.ok(rows.every((row) => row.length === rows[0]!.length))
    })

    it(`${api}: without a credential → 401, with a bad filter → 422`, async () => {
      for (const format of ['csv', 'jsonl']) {
        assert.equal((await get(`${base}/audit-events.${format}`, 'wrong')).status, 401)
        assert.equal((await get(`${base}/audit-events.${format}?type=a&type=b`, key)).status, 422)
      }
    })
  }

  it('1.5 a customer and a partner get their own events only, and the partner no account data', async () => {
    const at = service.clock.now()
    const actor = { kind: 'user', id: organization.administrator.id } as const
    const details = { name: 'Secret room' }
    await recordAudit(
      service.sql,
      { type: 'device.claimed', at, actor, customer_id, partner_id, details },
      { type: 'device.claimed', at, actor, customer_id: other.customer_id, details: { name: 'Foreign' } },
    )
    const all = await get('/core/v1/partner/audit-events?type=device.claimed', apis.partner.key)
    for (const guess of [actor.id, newId(), 'x']) {
      const query = `?type=device.claimed&actor_id=${guess}&customer_id=${guess}`
      const guessed = await get(`/core/v1/partner/audit-events${query}`, apis.partner.key)
      assert.ok([guessed.text === all.text, guessed.status === 422].includes(true), 'a partner cannot ask who acted')
    }
    for (const [id, found] of [
      [actor.id, true],
      [newId(), false],
    ] as const) {
      const own = await get(`/core/v1/organization/audit-events?actor_id=${id}&partner_id=x`, apis.organization.key)
      assert.equal(own.text.includes('Secret room'), found, own.text)
    }
    for (const format of ['csv', 'jsonl']) {
      const own = await get(`/core/v1/organization/audit-events.${format}`, apis.organization.key)
      assert.ok(own.text.includes('Secret room') && !own.text.includes('Foreign'))
      const partners = await get(`/core/v1/partner/audit-events.${format}`, apis.partner.key)
      assert.ok(partners.text.includes('device.claimed'))
      for (const hidden of ['Secret room', 'Foreign', customer_id, actor.id]) assert.ok(!partners.text.includes(hidden))
    }
  })

  it('CSV: a cell that a spreadsheet would run is plain text', async () => {
    const at = service.clock.now()
    for (const type of ['=cmd()', '+1', '-1', '@sum', '\tx', 'a,"b"\r\nc']) {
      await recordAudit(service.sql, {
        type: type as 'device.removed',
        at,
        actor: { kind: 'system' },
        details: { formula: '=1+1' },
      })
    }
    const csv = readCsv((await get('/core/v1/operator/audit-events.csv', operatorKey)).text)
    const types = csv.slice(1, 7).map((row) => row[2])
    assert.deepEqual(types.toReversed(), ["'=cmd()", "'+1", "'-1", "'@sum", "'\tx", 'a,"b"\r\nc'])
    for (const row of csv) for (const field of row) assert.doesNotMatch(field, /^[=+\-@\t\r]/)
  })
})
