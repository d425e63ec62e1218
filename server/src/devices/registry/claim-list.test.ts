import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { skipOnCitus } from '../../../../test/support/citus.ts'
import { newMac, newModel, refused, startScene } from '../../../../test/support/devices.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { postgresLimits } from '../../platform/limits.ts'
import { ownLimits } from '../../platform/own-limits.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import { type Claim, claimDevice } from './claim.ts'
import { claimList, type ListResult } from './claim-list.ts'
import { getDevice, removeDevice } from './devices.ts'

const { claimed, clock, context, customer, customerId, model, newSpace, partner, service, sql, user } =
  await startScene()
const other = await newModel(service)
const { failedClaimsPerUser, failedClaimsByKeysOfCustomer, failedClaimsPerCustomer, failedClaimsInReserve } = ownLimits

const person = () => ({ kind: 'user', id: newId() }) as const
const guess = (): Claim => ({ mac: newMac(), sn: 'guess', model_id: model.id })
const guesses = (count: number) => Array.from({ length: count }, guess)

interface Labelled extends Claim {
  id: string
}

/** Registered in one statement: a thousand of them through the API would take longer than all tests of this file. */
async function registerMany(count: number): Promise<Labelled[]> {
  const devices = Array.from({ length: count }, () => ({ id: newId(), mac: newMac(), sn: newId(), model_id: model.id }))
  await sql`
    with created as (
      insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, status_at)
      select id, ${model.partner_id}, ${model.id}, mac, sn, '1.0.0', now(), now()
      from unnest(${devices.map(({ id }) => id)}::uuid[], ${devices.map(({ mac }) => mac)}::text[],
        ${devices.map(({ sn }) => sn)}::text[]) as label (id, mac, sn)
      returning id, number)
    insert into device_states (bucket, device_id, number, key_digest) select device_bucket(id), id, number, '' from created`
  return devices
}

function claim(lines: Claim[], by: Partial<Parameters<typeof claimList>[1]> = {}, on: Context = context) {
  return claimList(on, { actor: user, customer_id: customerId, address: '192.0.2.1', ...by }, lines.map(withoutId))
}

function withoutId(line: Claim): Claim {
  const { id: _, ...rest } = line as Labelled
  return rest
}

const outcomesOf = ({ results }: ListResult) => results.map(({ outcome }) => outcome)

function countsOf(...lists: ListResult[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of lists.flatMap(outcomesOf)) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

async function auditOf(type: string, deviceIds: string[]): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from audit_events where type = ${type} and device_id = any(${deviceIds}::uuid[])`
  return row!.count
}

/** A context as another process has it: connections and limits of its own, on the same database. */
function otherProcess(): Context {
  const pool = sql.alongside({ max: 4 })
  after(() => pool.end({ timeout: 1 }))
  return { ...context, sql: pool, limits: postgresLimits(pool, clock.now) }
}

describe('decision 7.31: a list is claimed with one outcome per line', () => {
  it('every kind of outcome, in the order of the lines; one that fails undoes no other', async () => {
    clock.forward(61)
    const [plain, inSpace, twice, faulty, taken, removed] = await registerMany(6)
    const space_id = await newSpace(customerId)
    const foreign = await newSpace(other.lab_customer_id)
    const own = { ...(await claimed({ name: 'Kept' })), model_id: model.id }
    await claim([taken!], { actor: person(), customer_id: other.lab_customer_id })
    await removeDevice(context, user, partner, removed!.id)
    const lines = [
      { ...plain!, mac: plain!.mac.toUpperCase(), model_id: model.id.toUpperCase() },
      { ...inSpace!, name: 'Boiler', space_id: space_id.toUpperCase() },
      twice!,
      twice!,
      { mac: own.mac, sn: own.sn, model_id: model.id, name: 'Changed' },
      { ...faulty!, space_id: foreign },
      { ...faulty!, space_id: 'nonsense' },
      taken!,
      removed!,
      { ...faulty!, sn: 'wrong' },
      { ...faulty!, model_id: 'nonsense' },
      { ...faulty!, model_id: other.id },
    ]
    const { results, retry_after_seconds } = await claim(lines)
    const expected = [
      ['claimed', plain!.id],
      ['claimed', inSpace!.id],
      ['claimed', twice!.id],
      ['already_yours', twice!.id],
      ['already_yours', own.id],
      ['unknown_space', undefined],
      ['unknown_space', undefined],
      ...Array(5).fill(['claim_failed', undefined]),
    ]
    assert.deepEqual(
      results.map(({ outcome, device_id }) => [outcome, device_id]),
      expected,
    )
    assert.equal(retry_after_seconds, null)
    const sentences = new Set(results.filter(({ outcome }) => outcome === 'claim_failed').map(({ error }) => error))
    const single = await refused(claimDevice(context, user, { customer_id: customerId }, '192.0.2.1', guess()))
    assert.deepEqual([...sentences], [single.message])

    const boiler = await getDevice(context, customer, inSpace!.id)
    assert.deepEqual([boiler.name, boiler.space_id, boiler.claimed_at], ['Boiler', space_id, clock.now()])
    assert.equal((await getDevice(context, customer, own.id)).name, 'Kept')
    const [state] = await sql`select customer_id from device_states where device_id = ${inSpace!.id}`
    assert.equal(state!.customer_id, customerId)
    assert.equal(await auditOf('device.claimed', [plain!.id, inSpace!.id, twice!.id]), 3)
    // The space was at fault, not the device.
    assert.deepEqual(outcomesOf(await claim([faulty!])), ['claimed'])
  })

  it('a thousand lines leave an audit event and a webhook delivery each; sent again, all are already yours', async () => {
    clock.forward(61)
    const endpoint = newId()
    await sql`
      insert into webhook_endpoints (id, partner_id, url, events, secret, created_at)
      values (${endpoint}, ${model.partner_id}, 'https://example.com/', ${['device.claimed']}, '', now())`
    const devices = await registerMany(1_000)
    const ids = devices.map(({ id }) => id)
    const began = performance.now()
    assert.deepEqual(countsOf(await claim(devices)), { claimed: 1_000 })
    // Far more than it takes even on a loaded machine.
    assert.ok(performance.now() - began < 20_000)
    assert.equal(await auditOf('device.claimed', ids), 1_000)
    const [queued] = await sql`select count(*)::int as count from webhook_deliveries where endpoint_id = ${endpoint}`
    assert.equal(queued!.count, 1_000)
    const again = await claim(devices)
    assert.deepEqual(countsOf(again), { already_yours: 1_000 })
    assert.deepEqual(
      again.results.map(({ device_id }) => device_id),
      ids,
    )
    assert.equal(await auditOf('device.claimed', ids), 1_000)
    await sql`delete from webhook_deliveries where endpoint_id = ${endpoint}`
    await sql`delete from webhook_endpoints where id = ${endpoint}`
  })

  it('of two customers on two processes exactly one gets each device, in whichever order the lists have them', async () => {
    clock.forward(61)
    const devices = await registerMany(60)
    const [mine, theirs] = await Promise.all([
      claim(devices, {}, otherProcess()),
      claim(devices.toReversed(), { customer_id: other.lab_customer_id, actor: person() }, otherProcess()),
    ])
    const won = (list: ListResult) => list.results.flatMap((result) => result.device_id ?? [])
    assert.deepEqual([...won(mine!), ...won(theirs!)].toSorted(), devices.map(({ id }) => id).toSorted())
    assert.equal(
      await auditOf(
        'device.claimed',
        devices.map(({ id }) => id),
      ),
      60,
    )
  })

  it('a device that somebody else gets while the list waits for it: theirs fails, ours is already ours', {
    skip: skipOnCitus.lock,
  }, async () => {
    for (const [winner, outcome] of [
      [other.lab_customer_id, 'claim_failed'],
      [customerId, 'already_yours'],
    ] as const) {
      clock.forward(61)
      const [first, contested] = await registerMany(2)
      const release = await holdLocks(sql, async (hold) => {
        await hold`select from device_states where device_id = ${contested!.id} for update`
        await hold`update device_states set customer_id = ${winner} where device_id = ${contested!.id}`
        await hold`
          update devices set customer_id = ${winner}, claimed_at = now() where id = ${contested!.id}`
      })
      const claiming = claim([first!, contested!])
      await untilWaiting(sql)
      await release()
      assert.deepEqual(outcomesOf(await claiming), ['claimed', outcome])
    }
  })

  it('a space that is being deleted: unknown, or kept until the device is in it', async () => {
    clock.forward(61)
    const [device] = await registerMany(1)
    const space_id = await newSpace(customerId)
    const release = await holdLocks(sql, (hold) => hold`delete from spaces where id = ${space_id}`)
    const claiming = claim([{ ...device!, space_id }])
    await untilWaiting(sql)
    await release()
    assert.deepEqual(outcomesOf(await claiming), ['unknown_space'])
  })
})

describe('decision 7.31: what changes between the judgement and the claim', () => {
  /** The failures of a list are counted in between. */
  function changing(change: () => Promise<unknown>): Context {
    let calls = 0
    const takeMany: Context['limits']['takeMany'] = async (key, wanted, max) => {
      if (key === `claim ${customerId} user ${user.id}` && ++calls === 2) await change()
      return await context.limits.takeMany(key, wanted, max)
    }
    return { ...context, limits: { ...context.limits, takeMany } }
  }

  it('the space is deleted, the device is removed, or claimed by this or another customer', async () => {
    const space_id = await newSpace(customerId)
    const changes: [change: (device: Labelled) => Promise<unknown>, outcome: string][] = [
      [() => sql`delete from spaces where id = ${space_id}`, 'unknown_space'],
      [({ id }) => removeDevice(context, user, partner, id), 'claim_failed'],
      [(device) => claim([device], { actor: person() }), 'already_yours'],
      [(device) => claim([device], { actor: person(), customer_id: other.lab_customer_id }), 'claim_failed'],
    ]
    for (const [change, outcome] of changes) {
      clock.forward(61)
      const [device, twin] = await registerMany(2)
      const inSpace = outcome === 'unknown_space' ? { space_id } : {}
      const list = [guess(), { ...device!, ...inSpace }, { ...device!, ...inSpace }, twin!]
      const results = await claim(
        list,
        {},
        changing(() => change(device!)),
      )
      assert.deepEqual(outcomesOf(results), ['claim_failed', outcome, outcome, 'claimed'])
    }
  })
})

describe('decision 7.32: guessing is limited by failed lines', () => {
  const guesser = person()

  /** Each list holds one attempt until it is done, which others that run at the same time may lack. */
  function assertUsedUp(failed: number, max: number, lists: ListResult[]): void {
    assert.ok(failed <= max && failed > max - lists.length, `${failed} failures were revealed`)
  }

  it('after as many failures as single claims may have, no line is tried, not even one that could be claimed', async () => {
    clock.forward(61)
    const [before, behind] = await registerMany(2)
    const list = [before!, ...guesses(failedClaimsPerUser + 20), behind!]
    const first = await claim(list, { actor: guesser })
    const expected = [
      'claimed',
      ...Array(failedClaimsPerUser).fill('claim_failed'),
      ...Array(20).fill('not_tried'),
      'not_tried',
    ]
    assert.deepEqual(outcomesOf(first), expected)
    clock.forward(10)
    const second = await claim([behind!, guess()], { actor: guesser })
    assert.deepEqual([outcomesOf(second), second.retry_after_seconds], [['not_tried', 'not_tried'], 50])
    const single = await refused(
      claimDevice(context, guesser, { customer_id: customerId }, '192.0.2.1', withoutId(behind!)),
    )
    assert.equal(single.code, 'too_many_attempts')
    clock.forward(50)
    assert.deepEqual(outcomesOf(await claim([behind!], { actor: guesser })), ['claimed'])
    const audited = await sql`
      select from audit_events where type = 'device.claim_failed' and actor ->> 'id' = ${guesser.id}`
    assert.equal(audited.length, failedClaimsPerUser)
  })

  it('single claims and lists share the budget, and a list with one failure fewer than are left is tried to its end', async () => {
    clock.forward(61)
    const actor = person()
    for (let n = 0; n < 10; n += 1)
      await refused(claimDevice(context, actor, { customer_id: customerId }, '192.0.2.1', guess()))
    const [last, next] = await registerMany(2)
    const left = failedClaimsPerUser - 10
    assert.deepEqual(countsOf(await claim([...guesses(left - 1), last!], { actor })), {
      claim_failed: left - 1,
      claimed: 1,
    })
    assert.deepEqual(outcomesOf(await claim([guess(), next!], { actor })), ['claim_failed', 'not_tried'])
  })

  it('successes, repeats, unknown spaces and what is already yours cost nothing', async () => {
    clock.forward(61)
    const actor = person()
    const devices = await registerMany(300)
    const nowhere = devices.map((line) => ({ ...line, space_id: newId() }))
    const same = guess()
    for (const list of [nowhere, devices, devices, [same, same, same]]) await claim(list, { actor })
    const [last] = await registerMany(1)
    const list = [...guesses(failedClaimsPerUser - 2), last!, ...guesses(3)]
    assert.deepEqual(countsOf(await claim(list, { actor })), {
      claim_failed: failedClaimsPerUser - 1,
      claimed: 1,
      not_tried: 2,
    })
  })

  it('many lists at once, on two processes, reveal no more failures than one', async () => {
    clock.forward(61)
    const actor = person()
    const processes = [otherProcess(), otherProcess()]
    const lists = await Promise.all(
      Array.from({ length: 12 }, (_, n) => claim(guesses(50), { actor }, processes[n % 2]!)),
    )
    assertUsedUp(countsOf(...lists).claim_failed!, failedClaimsPerUser, lists)
  })

  it('all API keys and tokens of a customer share one budget, from any address', async () => {
    clock.forward(61)
    const lists = await Promise.all(
      Array.from({ length: 10 }, (_, n) => {
        const actor = { kind: n % 2 === 0 ? 'api_key' : 'application', id: newId() } as const
        return claim(guesses(30), { actor, address: `198.51.100.${n}` })
      }),
    )
    assertUsedUp(countsOf(...lists).claim_failed!, failedClaimsByKeysOfCustomer, lists)
  })

  it('people share the customer’s budget; each still has a reserve, and the owner’s list is claimed', async () => {
    clock.forward(61)
    const address = '198.51.100.99'
    const lists: ListResult[] = []
    for (let n = 0; n < 5; n += 1) lists.push(await claim(guesses(200), { actor: person(), address }))
    // The third is cut off by the customer's budget, within its own.
    assert.deepEqual(
      lists.map((list) => countsOf(list).claim_failed),
      [
        failedClaimsPerUser,
        failedClaimsPerUser,
        failedClaimsPerCustomer - 2 * failedClaimsPerUser + failedClaimsInReserve,
        failedClaimsInReserve,
        failedClaimsInReserve,
      ],
    )
    const devices = await registerMany(200)
    assert.deepEqual(countsOf(await claim(devices, { actor: person(), address })), { claimed: 200 })
  })
})
