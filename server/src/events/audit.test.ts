import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness } from '../../../test/support/harness.ts'
import { rowsRead } from '../../../test/support/rows-read.ts'
import { newId } from '../platform/secrets/identifiers.ts'
import { type AuditFilter, listAuditEvents } from './audit.ts'

const { sql, context } = await startHarness()
const owners = ['partner_id', 'application_id', 'customer_id'] as const
const mine = { partner_id: newId(), application_id: newId(), customer_id: newId() }
const others = Array.from({ length: 50 }, newId)

// Half of the events are ours, and half of all are of the type that is rare among ours.
await sql`
  insert into audit_events (id, type, at, actor, partner_id, application_id, customer_id)
  select gen_random_uuid(), case when n % 1000 = 0 or n % 2 = 1 then 'rare' else 'often' end, now(), '{}',
    case when n % 2 = 0 then ${mine.partner_id}::uuid else other end,
    case when n % 2 = 0 then ${mine.application_id}::uuid else other end,
    case when n % 2 = 0 then ${mine.customer_id}::uuid else other end
  from generate_series(1, 10000) n, lateral (select (${others}::uuid[])[1 + n % 50] as other) someone`

describe('audit events', () => {
  for (const owner of owners) {
    it(`a rare type of one ${owner} is found without reading its other events, or that type of others`, async () => {
      const filter: AuditFilter = { [owner]: mine[owner], type: 'rare' }
      const list = async ({ sql }: typeof context) => {
        assert.equal((await listAuditEvents(sql, filter, {})).items.length, 10)
      }
      const read = await rowsRead(context, 'audit_events', list)
      assert.ok(read < 50, `${read} rows`)
    })
  }
})
