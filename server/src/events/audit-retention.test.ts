import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness } from '../../../test/support/harness.ts'
import { rowsRead } from '../../../test/support/rows-read.ts'
import { transaction } from '../platform/database/database.ts'
import { runJob } from '../platform/jobs.ts'
import { newId } from '../platform/secrets/identifiers.ts'
import { recordAudit } from './audit.ts'
import { deleteOldAuditEventsJob } from './audit-retention.ts'

const { sql, context, clock } = await startHarness({ LANDBRIDGE_AUDIT_DAYS: '100' })
const [{ now }] = (await sql`select now()`) as unknown as [{ now: Date }]
clock.forward((now.getTime() - clock.now().getTime()) / 1000)

const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)
const record = (days: number) =>
  recordAudit(sql, { type: 'device.claimed', at: daysAgo(days), actor: { kind: 'system' }, details: { days } })
const kept = async () =>
  (await sql`select (details->>'days')::int as days from audit_events order by at`).map(({ days }) => days as number)

describe('decision 10.6: audit retention', () => {
  it('all events past their retention are deleted; younger ones stay', async () => {
    for (const days of [400, 101, 99, 31, 1]) await record(days)
    await sql`
      insert into audit_events (id, type, at, actor, details)
      select gen_random_uuid(), 'device.claimed', ${daysAgo(200)}, '{}', '{"days": 200}' from generate_series(1, 2500)`
    const job = deleteOldAuditEventsJob(context)
    await runJob(sql, job)
    clock.forward(3_599)
    await runJob(sql, job)
    assert.equal((await kept()).length, 2_505, 'announced first: it is more than usual')
    clock.forward(1)
    await runJob(sql, job)
    assert.deepEqual(await kept(), [99, 31, 1])
  })

  it('one or two days’ events are deleted without an announcement', async () => {
    await record(101)
    await runJob(sql, deleteOldAuditEventsJob(context))
    assert.deepEqual(await kept(), [99, 31, 1])
  })

  it('a process whose clock is years ahead of the database deletes nothing', async () => {
    const ahead = { ...context, now: () => new Date(now.getTime() + 3_650 * 86_400_000) }
    await runJob(sql, deleteOldAuditEventsJob(ahead))
    assert.deepEqual(await kept(), [99, 31, 1])
  })

  it('with 0 days everything is kept', async () => {
    await record(101)
    await runJob(sql, deleteOldAuditEventsJob({ ...context, config: { auditDays: null } }))
    assert.deepEqual(await kept(), [101, 99, 31, 1])
    await runJob(sql, deleteOldAuditEventsJob(context))
  })

  it('no other statement deletes an event, and none deletes a young one', async () => {
    await assert.rejects(sql`delete from audit_events where at < now() - interval '90 days'`, /append-only/)
    await assert.rejects(
      transaction(sql, async (tx) => {
        await tx`select set_config('landbridge.audit_retention', 'on', true)`
        await tx`delete from audit_events where details->>'days' = '1'`
      }),
      /append-only/,
    )
    await assert.rejects(sql`update audit_events set type = type`, /append-only/)
    await assert.rejects(sql`truncate audit_events`, /append-only/)
    assert.deepEqual(await kept(), [99, 31, 1])
  })

  it('old events are found without reading the others', async () => {
    await sql`
      insert into audit_events (id, type, at, actor)
      select gen_random_uuid(), 'often', now(), '{}' from generate_series(1, 5000)`
    await sql`insert into audit_events (id, type, at, actor) values (${newId()}, 'old', ${daysAgo(101)}, '{}')`
    const read = await rowsRead(context, 'audit_events', async (counted) => {
      await runJob(counted.sql, deleteOldAuditEventsJob(counted))
    })
    assert.ok(read < 50, `${read} rows`)
  })
})
