import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startHarness } from '../../../test/support/harness.ts'
import { indexBlocksRead, rowsRead } from '../../../test/support/rows-read.ts'
import { newId } from '../platform/secrets/identifiers.ts'
import { type AuditFilter, listAuditEvents, recordAudit } from './audit.ts'
import { auditEventTypes } from './audit-types.ts'

const { sql, context } = await startHarness()
const owners = ['partner_id', 'application_id', 'customer_id'] as const
const mine = { partner_id: newId(), application_id: newId(), customer_id: newId() }
const other = newId()
/** The ids of these events are of no month that has its own partition. */
const table = 'audit_events_default'

// Half of the events are ours, and half of all are of the type that is rare among ours.
await sql`
  insert into audit_events (id, type, at, actor, partner_id, application_id, customer_id)
  select lpad(to_hex(n), 32, '0')::uuid, case when n % 1000 = 0 or n % 2 = 1 then 'rare' else 'often' end, now(), '{}',
    case when n % 2 = 0 then ${mine.partner_id}::uuid else ${other}::uuid end,
    case when n % 2 = 0 then ${mine.application_id}::uuid else ${other}::uuid end,
    case when n % 2 = 0 then ${mine.customer_id}::uuid else ${other}::uuid end
  from generate_series(1, 10000) n`

describe('audit events', () => {
  for (const owner of owners) {
    it(`a rare type of one ${owner} is found without reading its other events, or that type of others`, async () => {
      const filter: AuditFilter = { [owner]: mine[owner], type: 'rare' }
      const list = async ({ sql }: typeof context) => {
        assert.equal((await listAuditEvents(sql, filter, {})).items.length, 10)
      }
      const read = await rowsRead(context, table, list)
      assert.ok(read < 50, `${read} rows`)
    })

    it(`nor after that statement was planned for any ${owner} and type, as it is once it was sent a few times`, async () => {
      const read = await rowsRead(context, table, async ({ sql }) => {
        await sql`set local plan_cache_mode = force_generic_plan`
        for (const filter of [
          { [owner]: mine[owner], type: 'rare' },
          { [owner]: mine[owner], type: 'never' },
        ]) {
          await listAuditEvents(sql, filter, {})
        }
      })
      assert.ok(read < 50, `${read} rows`)
    })
  }

  it('a page from the middle reads no younger events, not even in the index, whatever the plan', async () => {
    const middle = `${'0'.repeat(8)}-0000-0000-0000-${(5_000).toString(16).padStart(12, '0')}`
    const { customer_id, partner_id } = mine
    for (const filter of [{}, { type: 'often' }, { customer_id }, { customer_id, type: 'often' }, { partner_id }]) {
      for (const plan of ['force_generic_plan', 'force_custom_plan']) {
        const blocks = await indexBlocksRead(context, table, async ({ sql }) => {
          await sql.unsafe(`set local plan_cache_mode = ${plan}`)
          assert.equal((await listAuditEvents(sql, filter, { after: middle })).items.length, 50)
        })
        assert.ok(blocks < 12, `${blocks} blocks for ${JSON.stringify(filter)} with ${plan}`)
      }
    }
  })

  it('all pages of a filter together have its events, newest first, each once', async () => {
    const { customer_id, application_id } = mine
    const filters: AuditFilter[] = [
      { customer_id },
      { customer_id, type: 'rare' },
      { customer_id, application_id },
      { customer_id, application_id, type: 'rare' },
      { type: 'rare' },
      {},
    ]
    for (const { customer_id, application_id, type } of filters) {
      const expected = await sql<{ id: string }[]>`
        select id from audit_events where (customer_id = ${customer_id ?? null} or ${customer_id === undefined})
          and (application_id = ${application_id ?? null} or ${application_id === undefined})
          and (type = ${type ?? null} or ${type === undefined})
        order by id desc limit 250`
      const filter = Object.fromEntries(
        Object.entries({ customer_id, application_id, type }).filter(([, value]) => value),
      )
      const ids: string[] = []
      let after: string | null = null
      do {
        const page: Awaited<ReturnType<typeof listAuditEvents>> = await listAuditEvents(sql, filter, {
          limit: 100,
          ...(after ? { after } : {}),
        })
        ids.push(...page.items.map(({ id }) => id))
        after = page.next
      } while (after !== null && ids.length < 250)
      assert.deepEqual(
        ids.slice(0, 250),
        expected.map(({ id }) => id),
        JSON.stringify(filter),
      )
    }
  })

  it('what one actor did, and what happened to one device, is found without reading the rest', async () => {
    const [actor_id, device_id] = [newId(), newId()]
    for (const n of [1, 2, 3]) {
      await recordAudit(sql, {
        ...{ type: 'device.changed', at: new Date(), actor: { kind: 'user', id: actor_id } },
        ...{ customer_id: mine.customer_id, device_id, details: { n } },
      })
    }
    for (const filter of [{ actor_id }, { device_id }, { actor_id, customer_id: mine.customer_id }]) {
      const read = await rowsRead(context, table, async ({ sql }) => {
        assert.equal((await listAuditEvents(sql, filter, {})).items.length, 3)
      })
      assert.ok(read < 50, `${read} rows`)
    }
  })

  it('a day long ago is found without reading the younger events', async () => {
    const [customer_id, ...neighbours] = Array.from({ length: 12 }, newId) as [string, ...string[]]
    const start = Date.UTC(2025, 0, 1)
    const hours = Array.from({ length: 24 * 100 }, (_, hour) => new Date(start + hour * 3_600_000))
    await sql`
      insert into audit_events (id, type, at, actor, customer_id)
      select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(c), 3, '0') ||
        '8000' || lpad(to_hex(n), 12, '0'))::uuid, 'device.changed', at, '{}', customer
      from unnest(${hours}::timestamptz[]) with ordinality as event (at, n),
        unnest(${[customer_id, ...neighbours]}::uuid[]) with ordinality as owner (customer, c)`
    await sql`analyze audit_events`
    const day = (n: number) => new Date(start + n * 86_400_000).toISOString()
    const read = await rowsRead(context, table, async ({ sql }) => {
      const { items } = await listAuditEvents(sql, { customer_id, since: day(10), until: day(11) }, {})
      const range = [items.at(-1)!.at.toISOString(), items[0]!.at.toISOString()]
      assert.deepEqual([items.length, ...range], [24, day(10), '2025-01-11T23:00:00.000Z'])
    })
    assert.ok(read < 120, `${read} rows`)
    for (const [since, until] of [
      ['0001-01-01T00:00:00Z', day(1)],
      [day(99), '9999-12-31T23:59:59Z'],
    ] as const) {
      assert.equal((await listAuditEvents(sql, { customer_id, since, until }, {})).items.length, 24)
    }
  })

  it('every type that readers are offered is written somewhere', async () => {
    const written = await sourceText()
    const unused = auditEventTypes.filter((type) => !written.includes(`'${type}'`))
    assert.deepEqual(unused, [], 'the compiler checks the reverse')
  })
})

/** Of the service, without its tests and the list itself. */
async function sourceText(): Promise<string> {
  const root = new URL('../', import.meta.url)
  const files = await Array.fromAsync(glob('**/*.ts', { cwd: fileURLToPath(root) }))
  const sources = files.filter((file) => !file.endsWith('.test.ts') && !file.endsWith('audit-types.ts'))
  return (await Promise.all(sources.map((file) => readFile(new URL(file, root), 'utf8')))).join('\n')
}
