import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness } from '../../../test/support/harness.ts'
import { rowsRead } from '../../../test/support/rows-read.ts'
import { transaction } from '../platform/database/database.ts'
import { runJob } from '../platform/jobs.ts'
import { newId, smallestIdOf } from '../platform/secrets/identifiers.ts'
import { listAuditEvents } from './audit.ts'
import { auditMonthsJob } from './audit-retention.ts'
import { createAuditMonth } from './store/audit-events.ts'

const { sql, context, clock } = await startHarness({ LANDBRIDGE_AUDIT_DAYS: '100' })
const [{ now }] = (await sql`select now()`) as unknown as [{ now: Date }]
clock.forward((now.getTime() - clock.now().getTime()) / 1000)

const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)
/** With the id that a process of that day would have given it. */
const record = (days: number, at = daysAgo(days)) =>
  sql`
    insert into audit_events (id, type, at, actor, details)
    select overlay(gen_random_uuid()::text placing ${smallestIdOf(daysAgo(days).getTime()).slice(0, 14)} from 1)::uuid,
      'device.claimed', ${at}, '{}', ${sql.json({ days })}`
const kept = async () =>
  (await sql`select (details->>'days')::int as days from audit_events order by id`).map(({ days }) => days as number)
const months = async () =>
  (
    await sql`select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'audit_events'::regclass and inhrelid::regclass::text ~ '[0-9]$' order by 1`
  ).map(({ name }) => name as string)

/** As the job of that time would have. */
async function createMonthOf(days: number): Promise<string> {
  const at = daysAgo(days)
  const start = (later: number) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + later)
  const name = `audit_events_${at.toISOString().slice(0, 7).replace('-', '')}`
  if (!(await months()).includes(name)) {
    await createAuditMonth(sql, name, smallestIdOf(start(0)), smallestIdOf(start(1)))
  }
  return name
}

describe('decision 10.6: audit retention', () => {
  it('this month and the next two have partitions; what came before its month is moved into it', async () => {
    await record(0)
    await runJob(sql, auditMonthsJob(context))
    assert.equal((await months()).length, 3)
    const [row] = await sql`select count(*)::int as strays from audit_events_default`
    assert.equal(row!.strays, 0)
    assert.deepEqual(await kept(), [0])
  })

  it('a month whose events are all past their retention is dropped as a whole; others stay', async () => {
    const old = await createMonthOf(200)
    for (const days of [200, 99, 31]) {
      await createMonthOf(days)
      await record(days)
    }
    await runJob(sql, auditMonthsJob(context))
    assert.deepEqual(await kept(), [99, 31, 0])
    assert.ok(!(await months()).includes(old))
  })

  it('several months at once are announced an hour ahead', async () => {
    for (const days of [500, 465, 430]) {
      await createMonthOf(days)
      await record(days)
    }
    const job = auditMonthsJob(context)
    await runJob(sql, job)
    clock.forward(3_599)
    await runJob(sql, job)
    assert.deepEqual((await kept()).slice(0, 3), [500, 465, 430])
    clock.forward(1)
    await runJob(sql, job)
    assert.deepEqual(await kept(), [99, 31, 0])
  })

  it('a month stays while it has an event that is to be kept, whatever its id says', async () => {
    const name = await createMonthOf(430)
    await record(430, daysAgo(50))
    await runJob(sql, auditMonthsJob(context))
    assert.ok((await months()).includes(name))
    await record(430, daysAgo(1))
    await assert.rejects(sql`select drop_audit_partition(${name})`, /events of the last 30 days/)
  })

  it('old events of a month that never got its partition are deleted', async () => {
    await record(300)
    await runJob(sql, auditMonthsJob(context))
    assert.ok(!(await kept()).includes(300))
  })

  it('a process whose clock is years ahead of the database removes nothing', async () => {
    const before = await kept()
    const ahead = { ...context, now: () => new Date(now.getTime() + 3_650 * 86_400_000) }
    const job = auditMonthsJob(ahead)
    await runJob(sql, job)
    assert.deepEqual(await kept(), before)
  })

  it('with 0 days everything is kept', async () => {
    await createMonthOf(600)
    await record(600)
    await runJob(sql, auditMonthsJob({ ...context, config: { auditDays: null } }))
    assert.ok((await kept()).includes(600))
  })

  it('no other statement changes or deletes an event, of the log or of one of its months', async () => {
    const before = await kept()
    const month = await createMonthOf(0)
    for (const table of ['audit_events', month, 'audit_events_default']) {
      await record(0)
      await sql`insert into audit_events_default (id, type, at, actor) values (${smallestIdOf(0)}, 'x', now(), '{}')
        on conflict do nothing`
      await assert.rejects(sql`delete from ${sql(table)}`, /append-only/, table)
      await assert.rejects(
        transaction(sql, async (tx) => {
          await tx`select set_config('landbridge.audit_deletion', 'retention', true)`
          await tx`delete from ${sql(table)} where at > now() - interval '2 hours'`
        }),
        /append-only/,
        table,
      )
      await assert.rejects(sql`update ${sql(table)} set type = type`, /append-only/, table)
      await assert.rejects(sql`truncate ${sql(table)}`, /append-only/, table)
    }
    assert.equal((await kept()).length, before.length + 4)
  })

  it('a page of the log and the job read only the rows they need, in whichever month they are', async () => {
    const customer_id = newId()
    await sql`
      insert into audit_events (id, type, at, actor, customer_id)
      select overlay(gen_random_uuid()::text placing ${newId().slice(0, 14)} from 1)::uuid, 'often', now(), '{}',
        case when n = 1 then ${customer_id}::uuid end
      from generate_series(1, 5000) n`
    const read = await rowsRead(context, await createMonthOf(0), async (counted) => {
      const { items } = await listAuditEvents(counted.sql, { customer_id }, { limit: 100 })
      assert.equal(items.length, 1)
      await runJob(counted.sql, auditMonthsJob(counted))
    })
    assert.ok(read < 50, `${read} rows`)
  })
})
