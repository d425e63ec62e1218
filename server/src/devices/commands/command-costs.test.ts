import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startCommandScene } from '../../../../test/support/command-scene.ts'
import { findBrokenRules } from '../../../../test/support/commands.ts'
import { rowsRead } from '../../../../test/support/rows-read.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'
import { createCommandCreator } from './command-creator.ts'
import { deleteOldCommandsJob } from './command-retention.ts'
import { type Commander, createCommands } from './create-commands.ts'
import { handOut } from './hand-out.ts'
import { countCommands, listCommands, listCommandsOfDevice } from './read-commands.ts'
import { createReporter } from './reports.ts'

const { claimed, context, model, organization, sql } = await startCommandScene()
const { customer_id } = organization
const owner = { customer_id }
const device = await claimed()
const many = 20_000
const batch_id = newId()
const client_id = newId()
const firstId = '00000000-0000-0000-0000-000000000000'
const ofClient = (of: string | null) => ({
  ...{ client_id, customer_id: of, after_customer: of ?? firstId, after_device: firstId },
})

/** Commands of other devices of the same customer and partner, in all states, many of them waiting. */
async function fill(): Promise<void> {
  await sql`
    insert into device_commands (bucket, device_id, number, id, partner_id, customer_id, name, state, head, source,
      client_id, batch_id, created_at, expires_at, timeout_seconds, attempts, due_at)
    select (n % 1024)::smallint, gen_random_uuid(), 1, gen_random_uuid(), ${model.partner_id}, ${customer_id}, 'reboot',
      (array['queued', 'sent', 'in_progress', 'done', 'failed', 'rejected', 'expired', 'unknown', 'canceled'])[n % 9 + 1],
      n % 9 < 3, 'portal', case when n % 2 = 0 then ${client_id}::uuid end, case when n <= 900 then ${batch_id}::uuid end, now() - make_interval(secs => n),
      now() + interval '1 day', 300, 0, case when n % 9 < 3 then now() + interval '1 hour' end
    from generate_series(1, ${many}::int) n`
}

describe('what commands cost among many', () => {
  before(fill)

  const bounded: [string, (scene: typeof context) => Promise<unknown>][] = [
    ['a page of all', (scene) => listCommands(scene, owner, { limit: 50 })],
    ['a page by state', (scene) => listCommands(scene, owner, { limit: 50, states: ['failed'] })],
    ['a page by two states', (scene) => listCommands(scene, owner, { limit: 20, states: ['failed', 'queued'] })],
    ['a page of a batch', (scene) => listCommands(scene, owner, { limit: 10, batch_id })],
    ['the commands of a device', (scene) => listCommandsOfDevice(scene, owner, device.id, {})],
    ['a poll', (scene) => handOut(scene, [device.id], 'poll')],
    ['what is due', (scene) => telemetry.listDueCommands(scene.sql, 100)],
    ['the next that is due', (scene) => telemetry.findNextCommandDue(scene.sql)],
    ['what the fleet may take', (scene) => telemetry.listForFleet(scene.sql, model.partner_id, 100)],
    ['of a client', (scene) => telemetry.listDevicesQueuedBy(scene.sql, ofClient(customer_id), 100)],
    ['of a client everywhere', (scene) => telemetry.listDevicesQueuedBy(scene.sql, ofClient(null), 100)],
  ]
  for (const [what, work] of bounded) {
    it(`${what} reads a page`, async () => {
      const rows = await rowsRead(context, 'device_commands', work)
      assert.ok(rows <= 210, `${rows} rows`)
    })
  }

  it('the counts of a batch read the batch', async () => {
    const rows = await rowsRead(context, 'device_commands', (scene) => countCommands(scene, owner, batch_id))
    assert.ok(rows <= 1_000, `${rows} rows`)
  })

  const commander: Commander = {
    ...{ owner, actor: { kind: 'operator' }, source: 'portal', created_by: null, client_id: null },
    hold: async () => {},
  }

  it('as many statements for a hundred devices as for one', async () => {
    const devices = await Promise.all(Array.from({ length: 30 }, () => claimed()))
    const statements = async (ids: string[]) => {
      let sent = 0
      const counting = { ...context, sql: countStatements(context.sql, () => (sent += 1)) }
      const { outcomes } = await createCommands(counting, commander, ids, { name: 'reboot' })
      assert.ok(outcomes.every((outcome) => 'command' in outcome))
      return sent
    }
    const one = await statements([devices[0]!.id])
    const all = await statements(devices.slice(1).map(({ id }) => id))
    assert.ok(one > 5 && all === one, `${one} for one, ${all} for 29`)
  })

  it('what one credential sends at once shares a transaction, but for those of the same device; another has its own', async () => {
    const devices = await Promise.all(Array.from({ length: 20 }, () => claimed()))
    const { counting, transactions } = countTransactions()
    const create = createCommandCreator(counting)
    const another: Commander = { ...commander, client_id: newId() }
    const orders = [...devices, devices[0]!, devices[0]!].map(({ id }) => ({ id, by: commander }))
    orders.push({ id: devices[1]!.id, by: another })
    const rows = await Promise.all(orders.map(({ id, by }) => create(by, id, { name: 'reboot' })))
    assert.equal(transactions(), 4)
    assert.deepEqual(
      rows.map(({ device_id }) => device_id),
      orders.map(({ id }) => id),
    )
    const ofFirst = await sql`select id from device_commands where device_id = ${devices[0]!.id} order by number`
    assert.deepEqual(
      ofFirst.map(({ id }) => id),
      [0, 20, 21].map((index) => rows[index]!.id),
    )
    assert.deepEqual(await findBrokenRules(sql), [])
  })

  it('reports of many devices at once share a transaction; one that is refused is refused alone', async () => {
    const devices = await Promise.all(Array.from({ length: 10 }, () => claimed()))
    const rows = await Promise.all(devices.map(({ id }) => context.createCommand(commander, id, { name: 'reboot' })))
    const { counting, transactions } = countTransactions()
    const report = createReporter(counting)
    const outcomes = await Promise.allSettled([
      ...rows.map(({ id, device_id }) => report({ device_id }, { id, status: 'done' })),
      report({ device_id: devices[0]!.id }, { id: rows[1]!.id, status: 'done' }),
      report({ device_id: devices[2]!.id }, { id: rows[2]!.id, status: 'failed' }),
    ])
    assert.equal(transactions(), 2)
    assert.deepEqual(
      outcomes.slice(9).map((outcome) => ('reason' in outcome ? outcome.reason.status : outcome.value)),
      [{ next: false }, 404, 409],
    )
    assert.deepEqual(await findBrokenRules(sql), [])
  })

  it('of those that are sent at once, one that is refused is refused alone', async () => {
    const [one, other] = [await claimed(), await claimed()]
    const [created, unknown, undeclared] = await Promise.allSettled([
      context.createCommand(commander, one.id, { name: 'reboot' }),
      context.createCommand(commander, newId(), { name: 'reboot' }),
      context.createCommand(commander, other.id, { name: 'explode' }),
    ])
    assert.equal(created.status, 'fulfilled')
    assert.deepEqual(
      [unknown, undeclared].map((one) => (one as PromiseRejectedResult).reason.status),
      [404, 422],
    )
  })

  it('after 90 days those that have ended are deleted', async () => {
    await sql`update device_commands set created_at = now() - interval '91 days' where batch_id = ${batch_id}`
    const waiting = await sql`
      select from device_commands where batch_id = ${batch_id} and state in ('queued', 'sent', 'in_progress')`
    await deleteOldCommandsJob({ now: () => new Date() }).run(sql)
    const left = await sql`select from device_commands where batch_id = ${batch_id}`
    assert.deepEqual([left.length, waiting.length], [300, 300])
    const [rest] = await sql`select count(*)::int as n from device_commands where batch_id is null`
    assert.ok(rest!.n >= many - 900)
  })
})

/** A context whose transactions are counted. */
function countTransactions() {
  let count = 0
  const begin: typeof context.sql.begin = (work) => {
    count += 1
    return context.sql.begin(work)
  }
  const get = (target: typeof context.sql, name: string) => (name === 'begin' ? begin : Reflect.get(target, name))
  return { counting: { ...context, sql: new Proxy(context.sql, { get } as object) }, transactions: () => count }
}

/** The pool, with each statement of its transactions counted. */
function countStatements(pool: typeof context.sql, onStatement: () => void): typeof context.sql {
  const begin: typeof pool.begin = (work) =>
    pool.begin((tx) => {
      const counted = new Proxy(tx, {
        apply(target, self, given: unknown[]) {
          const first = given[0] as { raw?: unknown } | undefined
          if (Array.isArray(first) && first.raw) onStatement()
          return Reflect.apply(target as never, self, given)
        },
      })
      return work(counted)
    })
  return new Proxy(pool, { get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)) })
}
